import { Option } from 'commander'
import { WRITABLE } from '../../formats/writers.ts'
import { SessError } from '../../model/errors.ts'
import { listSessions } from '../../ops/list.ts'
import { type Resume, resumeOf } from '../../ops/resume.ts'
import { homeOf } from '../../repo/location.ts'
import type { Repo } from '../../repo/repo.ts'
import type { Call, Define } from '../call.ts'
import { examples } from '../examples.ts'
import { quoted, shellLine } from '../quoted.ts'
import { SessionTable } from '../render/sessions.ts'

interface Options {
  readonly pick?: boolean
  readonly all?: boolean
  readonly format?: string
  readonly run?: boolean
}

/** `sess resume`: prints or runs the command with which a session's agent goes on with it. */
export const define: Define = (command, act) => {
  command
    .argument('[session]', 'its id, title, or a prefix of its id; by default the latest of this folder')
    .option('--pick', 'choose from a list of the sessions of this folder')
    .option('--all', 'with --pick: list all sessions')
    .addOption(new Option('--format <name>', 'resume it in this agent').choices(NAMES))
    .option('--run', 'run the command instead of printing it')
    .addHelpText('after', `\n${ABOUT}`)
    .action(
      act(async (call, name: string | undefined, { pick, all, format, run }: Options) => {
        if (pick && name !== undefined) throw wrong('--pick goes without a session')
        if (all && !pick) throw wrong('--all needs --pick')
        const { io, world } = call
        const repo = await call.repo()
        const session = pick ? await picked(call, repo, all ?? false) : (name ?? '@')
        const found = await resumeOf(repo, session, {
          home: homeOf(world),
          variables: world.variables,
          ...(format !== undefined && { format }),
        })
        if (!found.upToDate) await io.note(elsewhere(found))
        if (run) await started(call, found)
        else if (io.json) await io.data(found)
        else if (found.opens !== undefined) await io.note(found.opens)
        else await io.print(shellLine(commandsOf(found), found.cwd, world.env.cwd))
      }),
    )
  examples(command, [
    ['sess resume 3b1f', 'print the command'],
    ['sess resume 3b1f --format codex', 'print the command for Codex, after an export to Codex'],
  ])
}

const NAMES = WRITABLE.flatMap(({ name, agent }) => (agent ? [name] : []))

const wrong = (message: string): SessError =>
  new SessError('bad-usage', message, { hint: "type 'sess help resume' to see how it is used" })

const elsewhere = ({ agent, session, format }: Resume): string =>
  `${agent} does not stand where the session stands here; ` +
  `take it there as it is with: sess export ${quoted(session)} --format ${format} --to-agent`

/** A list to pick from is so long. */
const MOST = 20

/** Lists sessions with numbers and gives the id of the one whose number is typed. */
async function picked(call: Call, repo: Repo, all: boolean): Promise<string> {
  const { io, world } = call
  const list = await listSessions(repo, {
    limit: MOST,
    ...(!all && { cwd: world.env.cwd }),
  })
  if (list.count === 0) throw new SessError('no-session', all ? '@' : world.env.cwd)
  const look = { columns: io.columns - 4, zone: world.zone, now: world.env.now() }
  const table = new SessionTable(list, look)
  await io.note('    ', ...table.heading)
  let number = 1
  for (const line of table.lines()) await io.note(`${number++}`.padStart(2), '  ', ...line)
  await io.note(`which one, 1 to ${list.count}?`)
  const typed = await firstLineOf(world.stdin)
  const chosen = /^\d+$/.test(typed) ? list.map('id', (id) => id)[Number(typed) - 1] : undefined
  if (chosen === undefined) throw wrong(`'${typed}' is no number of the list`)
  return chosen
}

async function firstLineOf(input: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of input) {
    text += decoder.decode(piece, { stream: true })
    if (text.includes('\n')) break
  }
  return (text.split('\n')[0] ?? '').trim()
}

/** Returns the commands that resume a session: first the one by which its agent imports the file, if it needs one. */
const commandsOf = ({ take, command }: Resume): (readonly string[])[] => [...(take ? [take] : []), command]

/** Gives the terminal to the agent until it ends, and exits with its code. */
async function started(call: Call, found: Resume): Promise<void> {
  const { world } = call
  const { cwd, agent, opens } = found
  if (opens !== undefined)
    throw new SessError('not-started', agent, { detail: 'it has no command for a session', hint: opens })
  for (const command of commandsOf(found)) {
    const code = await world.edit(command, world.variables, cwd)
    if (code === undefined)
      throw new SessError('not-started', command[0] ?? '', {
        hint: `install ${agent}, or check the folder '${cwd}'`,
      })
    call.status = code
    if (code !== 0) return
  }
}

const ABOUT = `Nothing is written. The command is printed quoted for this shell; --run starts the agent without a shell, in the folder
of the session. If the session was also exported to another agent, the copy that is up to date is resumed, preferably
in the session's own agent.`
