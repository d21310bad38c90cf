import { RESUMABLE } from '../../formats/writable.ts'
import { SessError } from '../../model/errors.ts'
import { defined } from '../../model/json.ts'
import { listSessions } from '../../ops/list.ts'
import { type Resume, resumeOf } from '../../ops/resume.ts'
import { homeOf } from '../../repo/environment.ts'
import type { Repo } from '../../repo/repo.ts'
import { firstLine, whole } from '../../text/text.ts'
import { arrayOf, boolean, described, nullable, object, string } from '../../verbs/schema.ts'
import { defineCommand, misuse, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { choice, flag, option, optional, session } from '../parameters.ts'
import { SessionTable } from '../render/sessions.ts'
import { quoted, shellLine, typed } from '../shellwords.ts'

const NAMES = RESUMABLE.map(({ name }) => name)

/** `sess resume`: prints or runs the command that resumes a session in its agent. */
export const command = defineCommand({
  effect: 'read',
  arguments: {
    session: optional(
      session(),
      'its id, title, or a prefix of its id; by default the latest of this folder',
    ),
  },
  options: {
    pick: flag('choose from a list of the sessions of this folder', { excludes: ['session'] }),
    all: flag('with --pick: list all sessions', { needs: 'pick' }),
    format: option(choice(NAMES, 'name'), 'resume it in this agent'),
    run: flag('run the command instead of printing it'),
  },
  help: `Nothing is written. The command is printed quoted for this shell; --run starts the agent without a shell, in the folder
where the agent finds the session. If the session was also exported to another agent, the copy that is up to date is resumed, preferably
in the session's own agent.`,
  examples: [
    ['sess resume 3b1f', 'print the command'],
    ['sess resume 3b1f --format codex', 'print the command for Codex, after an export to Codex'],
  ],
  output: output(
    'One object; nothing with --run.',
    object(
      {
        session: string,
        title: nullable(string),
        format: string,
        agent: described('its usual name', string),
        id: described('the id that the session has there', string),
        path: string,
        cwd: described('the folder in which to run the command: where the agent finds the session', string),
        cwdExists: described('whether that folder exists', boolean),
        command: described('a list of arguments', arrayOf(string)),
        upToDate: described('whether the agent has the session as it is here', boolean),
      },
      {
        take: described('the command to run first, by which the agent imports the file', arrayOf(string)),
        opens: described('how to open it if the agent has no command; that is empty then', string),
      },
    ),
  ),
  run: async (call, { session: name, pick, all, format, run }) => {
    const { io, platform } = call
    const repo = await call.repo()
    const chosen = pick ? await picked(call, repo, all) : (name ?? '@')
    const found = await resumeOf(repo, chosen, {
      home: homeOf(platform),
      variables: platform.variables,
      ...defined({ format }),
    })
    if (!found.upToDate) await io.note(outdated(found))
    if (!found.cwdExists) await io.note(missingFolder(found))
    if (run) return started(call, found)
    const { opens, cwd } = found
    return {
      data: found,
      render: () =>
        opens === undefined ? [[whole(shellLine(commandsOf(found), cwd, platform.env.cwd))]] : [],
      notes: opens === undefined ? [] : [opens],
    }
  },
})

const missingFolder = ({ cwd }: Resume): string =>
  `the folder '${firstLine(cwd)}' does not exist; if it moved, say where it is now: sess mv ${typed(cwd)} NEW`

const outdated = ({ agent, session: id, format }: Resume): string =>
  `${agent} does not have the session as it is here; ` +
  `export it there with: sess export ${quoted(id)} --format ${format} --to-agent`

/** The length of a list to pick from. */
const MOST = 20

/** Lists sessions with numbers and returns the id of the one whose number is typed. */
async function picked(call: Invocation, repo: Repo, all: boolean): Promise<string> {
  const { io, platform } = call
  const list = await listSessions(repo, {
    limit: MOST,
    ...(!all && { cwd: platform.env.cwd }),
  })
  if (list.count === 0) throw new SessError('no-session', platform.env.cwd, { typed: '' })
  const table = new SessionTable(list, { ...call.display, columns: io.columns - 4 })
  await io.note('    ', ...table.heading)
  let number = 1
  for (const line of table.lines()) await io.note(`${number++}`.padStart(2), '  ', ...line)
  const answer = await call.ask(`which one, 1 to ${list.count}?`)
  const chosen = /^\d+$/.test(answer) ? list.map('id', (id) => id)[Number(answer) - 1] : undefined
  if (chosen !== undefined) return chosen
  throw misuse('resume', `'${answer}' is no number of the list`)
}

/** Returns the commands that resume a session: first the one by which its agent imports the file, if it needs one. */
const commandsOf = ({ take, command: resumes }: Resume): (readonly string[])[] => [
  ...(take ? [take] : []),
  resumes,
]

/** Lends the terminal to the agent until it ends, and exits with its code. */
async function started(call: Invocation, found: Resume): Promise<undefined> {
  const { platform } = call
  const { cwd, agent, opens } = found
  if (opens !== undefined)
    throw new SessError('not-started', agent, { detail: 'it has no command for a session', hint: opens })
  for (const words of commandsOf(found)) {
    const code = await platform.edit(words, platform.variables, cwd)
    if (code === undefined)
      throw new SessError('not-started', words[0] ?? '', {
        hint: `install ${agent}, or check the folder '${cwd}'`,
      })
    call.status = code
    if (code !== 0) break
  }
  return undefined
}
