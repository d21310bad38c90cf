import { SessError } from '../../model/errors.ts'
import { quoted, shellLine, typed } from '../../text/shellwords.ts'
import { firstLine, whole } from '../../text/text.ts'
import { listing } from '../../verbs/ls.ts'
import type { VerbContext } from '../../verbs/open.ts'
import { resume } from '../../verbs/resume.ts'
import type { Resume } from '../../verbs/types.ts'
import { openBrowser } from '../browser.ts'
import { defineCommand } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { flag } from '../parameters.ts'
import { answerOf, outputOf } from '../present.ts'

/** `sess resume`: prints or runs the command that resumes a session in its agent. */
export const command = defineCommand({
  effect: resume.effect,
  arguments: {
    session: {
      ...resume.input.session,
      about: 'its id, title, or a prefix of its id; by default the latest of this folder',
      current: false,
    },
  },
  options: {
    pick: flag('choose among the sessions of this folder, as sess pick does', { excludes: ['session'] }),
    all: flag('with --pick: choose among all sessions', { needs: 'pick' }),
    format: resume.input.format,
    run: flag('run the command instead of printing it'),
  },
  help: `Nothing is written. The command is printed quoted for this shell; --run starts the agent without a shell, in the folder
where the agent finds the session. If the session was also exported to another agent, the copy that is up to date is resumed, preferably
in the session's own agent.`,
  examples: [
    ['sess resume 3b1f', 'print the command'],
    ['sess resume 3b1f --format codex', 'print the command for Codex, after an export to Codex'],
  ],
  output: outputOf('One object; nothing with --run.', resume.output),
  run: async (call, { session: name, pick, all, run, ...how }) => {
    const { io, platform } = call
    const context = await call.context()
    const chosen = pick ? await picked(call, context, all) : (name ?? '@')
    if (chosen === undefined) return undefined
    const found = await resume.run(context, { session: chosen, ...how })
    if (!found.upToDate) await io.note(outdated(found))
    if (!found.cwdExists) await io.note(missingFolder(found))
    if (run) return started(call, found)
    const { opens, cwd } = found
    return answerOf(resume, found, {
      render: () =>
        opens === undefined ? [[whole(shellLine(commandsOf(found), cwd, platform.env.cwd))]] : [],
      notes: opens === undefined ? [] : [opens],
    })
  },
})

const missingFolder = ({ cwd }: Resume): string =>
  `the folder '${firstLine(cwd)}' does not exist; if it moved, say where it is now: sess mv ${typed(cwd)} NEW`

const outdated = ({ agent, session: id, format }: Resume): string =>
  `${agent} does not have the session as it is here; ` +
  `export it there with: sess export ${quoted(id)} --format ${format} --to-agent`

/** Shows the sessions of this folder, or all, on the terminal. Returns the chosen one; undefined where none was. */
async function picked(call: Invocation, context: VerbContext, all: boolean): Promise<string | undefined> {
  const { cwd } = call.platform.env
  const listed = { sort: 'updated', reverse: false, where: [], limit: 1, ...(!all && { cwd }) } as const
  const { count, stored } = await listing(context, listed)
  if (count === 0 && stored > 0)
    throw new SessError('no-folder', cwd, {
      hint: "type 'sess resume --pick --all' to pick from the sessions of all folders",
    })
  if (count === 0) throw new SessError('no-session', cwd, { typed: '' })
  const { code, output } = await openBrowser(call, { picks: 'session', folder: all ? null : cwd })
  call.status = code
  return output ?? undefined
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
