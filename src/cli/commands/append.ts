import { hasCode } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { append, appendTarget, appendTo } from '../../verbs/append.ts'
import { type Append, entryIn } from '../../verbs/entry.ts'
import { newSession } from '../../verbs/new.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { anyOf, object } from '../../verbs/schema.ts'
import { oidSchema } from '../../verbs/wire.ts'
import { defineCommand, output } from '../define.ts'
import { type Entries, entriesOf, textOf } from '../entryinput.ts'
import { flag, option, text } from '../parameters.ts'
import { lineBatches } from '../stdin.ts'

const { session, branch } = append.input

/** `sess append`: adds entries from standard input. */
export const command = defineCommand({
  effect: append.effect,
  reportsStop: true,
  arguments: { session },
  options: {
    new: flag('create a session and print its id first', { excludes: ['session', 'branch'] }),
    title: option(text('title'), 'with --new: the title of the session', { needs: 'new' }),
    branch,
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
    anyOf(object({ oid: oidSchema }), newSession.output.schema),
  ),
  run: async (call, { session: name, new: isNew, title, branch: onto, role }, out) => {
    const { io, dryRun } = call
    const context = await call.context({ create: isNew })
    const id = isNew
      ? (await newSession.run(context, defined({ title }))).session
      : await targetOf(context, name)
    if (isNew) {
      void out.record(dryRun ? `would create session ${id}` : id, { session: id })
      await io.flushData()
    }
    const add = async ({ entries, wrong }: Entries<Append>): Promise<void> => {
      const input = { session: id, entry: entries, ...defined({ branch: onto }) }
      const { oids } = entries.length === 0 ? { oids: [] } : await appendTo(context, input)
      for (const added of oids) void out.record(dryRun ? `would append ${added}` : added, { oid: added })
      await io.flushData()
      if (wrong) throw wrong
    }
    await call.announceInput(role === undefined ? 'type one JSON object per line' : 'type the message')
    let added = 0
    if (role !== undefined) {
      const content = await textOf(call.platform.stdin)
      if (content !== '') added = 1
      if (added > 0) await add({ entries: [entryIn({ body: { role, content } })] })
    } else {
      let first = 1
      for await (const lines of lineBatches(call.platform.stdin)) {
        const read = entriesOf(lines, first)
        await add(read)
        first += lines.length
        added += read.entries.length
      }
    }
    if (added === 0 && !isNew) await io.note('standard input was empty: no entry was added')
  },
})

/** Returns the id of the session that is named, else of the current one. */
async function targetOf(context: VerbContext, name: string | undefined): Promise<string> {
  try {
    return await appendTarget(context, name)
  } catch (error) {
    if (!hasCode(error, 'bad-usage')) throw error
    throw error.with({ hint: "type 'sess append SESSION', or 'sess append --new' to create one" })
  }
}
