import { SessError } from '../../model/errors.ts'
import { type Append, type AppendTo, check } from '../../ops/append/request.ts'
import { append, createSession } from '../../ops/append.ts'
import type { Repo } from '../../repo/repo.ts'
import { resolveSession } from '../../repo/revision.ts'
import type { Call, Define } from '../call.ts'
import { type Entries, entriesOf, lineBatches, textOf } from '../entries.ts'
import { examples } from '../examples.ts'

interface Options {
  readonly new?: boolean
  readonly title?: string
  readonly role?: string
  readonly branch?: string
}

/** `sess append`: adds entries from standard input. */
export const define: Define = (command, act) => {
  command
    .argument('[session]', 'its id, title, or a prefix of its id')
    .option('--new', 'create a session and print its id first')
    .option('--title <title>', 'with --new: the title of the session')
    .option('--branch <branch>', 'a branch of the session; its current branch by default')
    .option('--role <role>', 'read standard input as the text of one message with this role')
    .addHelpText(
      'after',
      `
Each line of standard input is one JSON object {"type","body"}. The type defaults to sess/message, whose body is
{"role","content"}: a role of user, assistant, tool or system, and a text or a list of blocks. The oid of each entry
is printed once the entry is durable. The first invalid line ends the command; the entries printed before it stay.
Other processes can use the store while append waits for input.`,
    )
    .action(
      act(async (call, session: string | undefined, options: Options) => {
        const repo = await call.repo({ create: options.new ?? false })
        const { branch } = options
        const to = {
          session: await target(call, repo, session, options),
          ...(branch !== undefined && { branch }),
        }
        if (options.role !== undefined) {
          const content = await textOf(call.world.stdin)
          await add(call, repo, to, { entries: [check({ body: { role: options.role, content } })] })
          return
        }
        let [first, added] = [1, 0]
        for await (const lines of lineBatches(call.world.stdin)) {
          const read = entriesOf(lines, first)
          await add(call, repo, to, read)
          first += lines.length
          added += read.entries.length
        }
        if (added === 0 && !options.new) await call.io.note(NOTHING_CAME)
      }),
    )
  examples(command, [
    ["echo 'Try it without a cache.' | sess append 3b1f --role user", 'append a message to a session'],
    [
      `echo '{"type":"agent_action","body":{"action":"complete","agentId":"a1"}}' | sess append 3b1f --branch at-1d9fca05`,
      'append to a branch of a session',
    ],
    [
      `echo '{"body":{"role":"user","content":"Hi"}}' | sess append --new --title Greeting`,
      'start a session',
    ],
  ])
}

const NOTHING_CAME = 'nothing came on standard input: no entry was added'

async function target(
  call: Call,
  repo: Repo,
  session: string | undefined,
  options: Options,
): Promise<string> {
  const { io } = call
  if (!options.new) {
    if (session === undefined)
      throw new SessError('bad-usage', 'no session was named', {
        hint: "type 'sess append SESSION', or 'sess append --new' to begin one",
      })
    if (options.title !== undefined)
      throw new SessError('bad-usage', '--title goes with --new', {
        hint: "type 'sess help append' to see how it is used",
      })
    return repo.read(async (reader) => (await resolveSession(reader, session, repo.env.cwd)).id)
  }
  if (options.branch !== undefined)
    throw new SessError('bad-usage', '--new takes no branch', {
      hint: 'make the session first, then its branches with sess branch',
    })
  if (session !== undefined)
    throw new SessError('bad-usage', '--new takes no session', {
      hint: 'give the new session a name with --title TITLE',
    })
  const id = await createSession(repo, options.title === undefined ? {} : { title: options.title })
  await (io.json ? io.data({ session: id }) : io.print(id))
  await io.flushData()
  return id
}

/** Appends the valid entries, acknowledges them, then throws the error after them. */
async function add(
  { io }: Call,
  repo: Repo,
  { session, ...to }: { readonly session: string } & Pick<AppendTo, 'branch'>,
  { entries, wrong }: Entries<Append>,
): Promise<void> {
  const oids = entries.length === 0 ? [] : await append(repo, session, entries, to)
  for (const oid of oids) void (io.json ? io.data({ oid }) : io.print(oid))
  await io.flushData()
  if (wrong) throw wrong
}
