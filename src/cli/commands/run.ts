import { SessError } from '../../model/errors.ts'
import type { Variables } from '../../model/variables.ts'
import { quoted } from '../../text/shellwords.ts'
import { counted, firstLine, type Line, styled } from '../../text/text.ts'
import {
  finishRun,
  followRun,
  prepareRun,
  RUNNABLE_NAMES,
  type Run,
  type RunInput,
  type RunSession,
  unkeptCommand,
} from '../../verbs/running.ts'
import { arrayOf, integer, nullable, object, string } from '../../verbs/schema.ts'
import { choice } from '../../verbs/values.ts'
import { defineCommand, output } from '../define.ts'
import type { Invocation } from '../invocation.ts'
import { flag, flagOff, option, required, revision, session, several, text } from '../parameters.ts'
import { inputBytes } from '../stdin.ts'

/** The most bytes of a prompt from standard input. */
const MAX_PROMPT = 1 << 20

const keptSchema = object({ session: string, title: nullable(string), entries: integer, added: integer })

/** `sess run`: starts an agent, keeps its session while it runs, and says how to go on. */
export const command = defineCommand({
  effect: 'write',
  arguments: {
    agent: required(choice(RUNNABLE_NAMES, 'agent'), 'the agent to start'),
    words: several(text('word'), 'further words for the agent, after --'),
  },
  options: {
    prompt: option(text('text'), 'the first prompt; by default, what comes on standard input'),
    print: flag('answer the prompt without a terminal, and end', { short: 'p' }),
    continue: flag("continue this folder's latest session of the agent", { short: 'c' }),
    fork: option(revision(), 'continue a new session that forks from this entry', { excludes: ['continue'] }),
    title: option(text('title'), 'the title of a new session'),
    parent: option(session(), 'note the session that this one comes from, as the property parent'),
    session: flagOff('keep nothing of it, neither here nor at the agent'),
  },
  help: `No settings of the agent are changed: what it writes is imported while it runs, and once more when it has ended. Then the
session is printed on standard error, and how to go on. -n prints the command line. The exit code is that of the agent.`,
  examples: [
    ['sess run claude', 'start Claude Code in this folder'],
    ['sess run pi -c', 'continue its latest session'],
    ["sess handoff 'finish the tables' 3b1f | sess run pi --parent 3b1f", 'start with a briefing'],
    ['sess run codex --fork 3b1f~2', 'try another way from an entry on'],
    ["echo 'What is a tide?' | sess run claude -p", 'only print the answer'],
    ['sess run pi -- --model opus', 'pass words on to the agent'],
  ],
  output: output(
    'One object, after what the agent printed.',
    object({ command: arrayOf(string), sessions: arrayOf(keptSchema) }),
  ),
  run: async (call, { session: keeps, continue: continues, ...given }) => {
    const piped = given.prompt === undefined ? await promptIn(call) : undefined
    const input: RunInput = { ...given, keeps, continues, prompt: given.prompt ?? piped }
    if (!keeps) return runUnkept(call, input, piped !== undefined)
    const context = await call.context({ create: true, following: 'run' })
    const run = await prepareRun(context, input, call.dryRun)
    if (call.dryRun) return answer(call, run.command, [])
    for (const { role, text: said } of run.last)
      await call.io.note(
        styled(role === 'user' ? 'bold' : 'plain', `${role}: `),
        firstLine(said.slice(0, 400)),
      )
    await call.io.flushNotes()
    const stopping = new AbortController()
    const following = followRun({ ...context, signal: stopping.signal }, run)
    try {
      await start(call, run, piped !== undefined, run.variables)
    } finally {
      stopping.abort()
      // The last import reports what this one could not read.
      await following.catch(() => undefined)
    }
    return answer(call, run.command, await finishRun(context, run, input))
  },
})

/** Returns the prompt on standard input; undefined where that is a terminal, or nothing comes. */
async function promptIn({ platform }: Invocation): Promise<string | undefined> {
  if (platform.stdin.isTTY) return undefined
  const prompt = new TextDecoder().decode(await inputBytes(platform.stdin, MAX_PROMPT)).trim()
  return prompt === '' ? undefined : prompt
}

async function runUnkept(
  call: Invocation,
  input: RunInput,
  isPiped: boolean,
): Promise<ReturnType<typeof answer>> {
  if (input.continues || input.fork !== undefined || input.title !== undefined || input.parent !== undefined)
    throw new SessError('bad-usage', '--no-session keeps no session', {
      hint: 'leave out -c, --fork, --title and --parent',
    })
  const words = unkeptCommand(input)
  const { cwd } = call.platform.env
  if (!call.dryRun)
    await start(call, { command: words, cwd, agent: { title: input.agent } }, isPiped, { SESS_HOOKS: 'off' })
  return answer(call, words, [])
}

/** Lends the terminal to the agent until it ends. */
async function start(
  call: Invocation,
  {
    command: words,
    cwd,
    agent,
  }: Pick<Run, 'command' | 'cwd'> & { readonly agent: { readonly title: string } },
  isPiped: boolean,
  variables: Variables,
): Promise<void> {
  const { platform } = call
  const code = await platform.edit(words, { ...platform.variables, ...variables }, cwd, isPiped)
  if (code === undefined)
    throw new SessError('not-started', words[0] ?? '', {
      hint: `install ${agent.title}, or check the folder '${cwd}'`,
    })
  call.status = code
}

function answer(
  call: Invocation,
  words: readonly string[],
  sessions: readonly RunSession[],
): {
  data: { command: readonly string[]; sessions: readonly RunSession[] }
  render: () => Line[]
  notes: Line[]
} {
  const notes = sessions.flatMap(({ session: id, added, entries }): Line[] => [
    [styled('bold', id), ` has ${counted(added, 'new entry')}, ${entries} in all`],
    [`go on with: sess resume ${quoted(id)} --run`],
  ])
  return {
    data: { command: words, sessions },
    render: () => (call.dryRun ? [[words.map(quoted).join(' ')]] : []),
    notes,
  }
}
