import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { append, createSession } from '../../ops/append/append.ts'
import { type Append, check } from '../../ops/append/request.ts'
import { makeSessionCurrent } from '../../ops/switch.ts'
import { findCurrent } from '../../repo/currentsession.ts'
import type { Repo } from '../../repo/repo.ts'
import { resolveSession } from '../../repo/revision.ts'
import { anyOf, object, string } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { type Entries, entriesOf, textOf } from '../entryinput.ts'
import { branch, flag, option, optional, session, text } from '../parameters.ts'
import { lineBatches } from '../stdin.ts'

/** `sess append`: adds entries from standard input. */
export const command = defineCommand({
  effect: 'write',
  reportsStop: true,
  arguments: { session: optional(session(), 'its id, title, or a prefix of its id') },
  options: {
    new: flag('create a session and print its id first', { excludes: ['session', 'branch'] }),
    title: option(text('title'), 'with --new: the title of the session', { needs: 'new' }),
    branch: option(branch(), 'a branch of the session; its current branch by default'),
    role: option(text('role'), 'read standard input as the text of one message with this role'),
  },
  help: `Each line of standard input is one JSON object {"type","body"}. The type defaults to sess/message, whose body is
{"role","content"}: a role of user, assistant, tool or system, and a text or a list of blocks. The oid of each entry
is printed once the entry is durable. The first invalid line ends the command; the entries printed before it stay.
Other processes can use the store while append waits for input.`,
  examples: [
    ["echo 'Try it without a cache.' | sess append 3b1f --role user", 'append a message to a session'],
    [
      `echo '{"type":"agent_action","body":{"action":"complete","agentId":"a1"}}' | sess append 3b1f --branch at-1d9fca05`,
      'append to a branch of a session',
    ],
    [
      `echo '{"body":{"role":"user","content":"Hi"}}' | sess append --new --title Greeting`,
      'start a session',
    ],
  ],
  output: output(
    'A line for each entry, once it is durable; with --new a line with the session first.',
    anyOf(object({ oid: oidSchema }), object({ session: string })),
  ),
  run: async (call, { session: name, new: isNew, title, branch: onto, role }, out) => {
    const { io, dryRun } = call
    const repo = await call.repo({ create: isNew })
    const id = isNew ? await createSession(repo, defined({ title })) : await named(repo, name)
    if (isNew) {
      await makeSessionCurrent(repo, id)
      void out.record(dryRun ? `would create session ${id}` : id, { session: id })
      await io.flushData()
    }
    const add = async ({ entries, wrong }: Entries<Append>): Promise<void> => {
      const oids = entries.length === 0 ? [] : await append(repo, id, entries, defined({ branch: onto }))
      for (const added of oids) void out.record(dryRun ? `would append ${added}` : added, { oid: added })
      await io.flushData()
      if (wrong) throw wrong
    }
    await call.announceInput(role === undefined ? 'type one JSON object per line' : 'type the message')
    if (role !== undefined) {
      await add({ entries: [check({ body: { role, content: await textOf(call.platform.stdin) } })] })
      return
    }
    let [first, added] = [1, 0]
    for await (const lines of lineBatches(call.platform.stdin)) {
      const read = entriesOf(lines, first)
      await add(read)
      first += lines.length
      added += read.entries.length
    }
    if (added === 0 && !isNew) await io.note('standard input was empty: no entry was added')
  },
})

/** Returns the id of the session that is named, else of the current one. */
async function named(repo: Repo, name: string | undefined): Promise<string> {
  const found = await repo.read((reader) => (name === undefined ? findCurrent(reader) : undefined))
  if (name === undefined && !found)
    throw new SessError('bad-usage', 'no session was named', {
      hint: "type 'sess append SESSION', or 'sess append --new' to create one",
    })
  const { id } = await repo.read((reader) => resolveSession(reader, name ?? '@'))
  repo.checkCurrent()
  return id
}
