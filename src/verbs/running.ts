import { type RunnableAgent, runCommandLine, runnableAgent } from '../live/runs.ts'
import { SessError } from '../model/errors.ts'
import { exportAgent } from './export-agent.ts'
import { fork } from './fork.ts'
import { importInto } from './import.ts'
import { withUsual } from './input.ts'
import { log } from './log.ts'
import { listing } from './ls.ts'
import type { VerbContext } from './open.ts'
import { rename } from './rename.ts'
import { resume } from './resume.ts'
import { set } from './set.ts'
import { watchWith } from './watch.ts'

export { RUNNABLE_NAMES } from '../live/runs.ts'

/** The wishes of a user for a run of an agent. */
export interface RunInput {
  readonly agent: string
  readonly prompt?: string | undefined
  readonly print: boolean
  readonly keeps: boolean
  /** Continues the folder's latest session of the agent. */
  readonly continues: boolean
  /** The entry that it forks from. */
  readonly fork?: string | undefined
  readonly title?: string | undefined
  readonly parent?: string | undefined
  readonly words: readonly string[]
}

/** A run of an agent that can be started. */
export interface Run {
  readonly agent: RunnableAgent
  readonly command: readonly string[]
  /** The folder to run it in. */
  readonly cwd: string
  /** The session that it continues; null for a new one. */
  readonly session: string | null
  /** The entries of that session before. */
  readonly entries: number
  /** The last exchange in it, the user's words first. */
  readonly last: readonly { readonly role: string; readonly text: string }[]
  readonly began: number
}

/** Prepares a run: finds or makes the session that it continues. Throws `no-folder` where there is none to continue. */
export async function prepareRun(context: VerbContext, input: RunInput): Promise<Run> {
  const agent = runnableAgent(input.agent)
  const { prompt, print, keeps, words } = input
  const continued = await continuedBy(context, agent, input)
  const command = runCommandLine({
    agent,
    prompt,
    print,
    keeps,
    words,
    ...(continued && { command: continued.command }),
  })
  const session = continued?.session ?? null
  const { count, last } = session === null ? { count: 0, last: [] } : await lastExchange(context, session)
  return {
    agent,
    command,
    cwd: continued?.cwd ?? context.env.cwd,
    session,
    entries: count,
    last,
    began: context.env.now(),
  }
}

/** Returns the command line of a run that keeps nothing, and continues nothing. Throws `bad-usage`. */
export const unkeptCommand = ({ agent, prompt, print, words }: RunInput): readonly string[] =>
  runCommandLine({ agent: runnableAgent(agent), prompt, print, keeps: false, words })

interface Continued {
  readonly session: string
  readonly command: readonly string[]
  readonly cwd: string
}

async function continuedBy(
  context: VerbContext,
  { name, format }: RunnableAgent,
  { continues, fork: revision, title }: RunInput,
): Promise<Continued | undefined> {
  if (revision !== undefined) {
    const made = await fork.run(context, withUsual(fork.input, { revision, ...(title && { title }) }))
    const { command, cwd } = await exportAgent.run(
      context,
      withUsual(exportAgent.input, { session: made.session, format }),
    )
    return { session: made.session, command, cwd }
  }
  if (!continues) return undefined
  const { cwd } = context.env
  const found = await listing(
    context,
    { cwd, agent: name, sort: 'updated', reverse: false, where: [], limit: 1 },
    ['id'],
  )
  const [session] = found.map('id', (id) => id)
  if (session === undefined) throw new SessError('no-folder', cwd, { hint: 'leave out -c for a new session' })
  return resume.run(context, { session })
}

/** The most entries that are looked at for what was said last. */
const MAX_LOOKED = 200

async function lastExchange(
  context: VerbContext,
  session: string,
): Promise<{ readonly count: number; readonly last: Run['last'] }> {
  const { userWords } = await import('../ops/userwords.ts')
  const said: { role: string; text: string }[] = []
  const looked = withUsual(log.input, { revision: session, limit: MAX_LOOKED })
  for await (const { oid, role, text } of log.items(context, looked)) {
    if (role === 'assistant' && text && said.length === 0) said.unshift({ role, text })
    const words = role === 'user' ? await userWords(context.repo, oid) : undefined
    if (!words) continue
    said.unshift({ role: 'user', text: words })
    break
  }
  return { count: await entriesOf(context, session), last: said }
}

async function entriesOf(context: VerbContext, session: string): Promise<number> {
  const { sessionInfo } = await import('../ops/list.ts')
  return (await sessionInfo(context.repo, session)).entries
}

/** The time before a run from which files may be of it, in milliseconds: clocks of file systems are coarse. */
const CLOCK = 2000

/** Returns which files are of a run: those of its agent and folder that were written to since. */
const choiceOf = ({ agent, cwd, began }: Run) => ({
  path: [],
  agent: agent.name,
  since: began - CLOCK,
  cwd,
})

/** Imports what an agent writes while it runs, until the signal of the context aborts. */
export async function followRun(context: VerbContext, run: Run): Promise<void> {
  const { events } = await watchWith(context, choiceOf(run))
  // Files that cannot be read now are tried again at the end.
  for await (const _ of events);
}

/** A session that a run has added to. */
export interface RunSession {
  readonly session: string
  readonly title: string | null
  readonly entries: number
  readonly added: number
}

/** Imports what a run has left, and names its session. Returns the sessions that it has added to. */
export async function finishRun(
  context: VerbContext,
  run: Run,
  { title, parent }: Pick<RunInput, 'title' | 'parent'>,
): Promise<readonly RunSession[]> {
  const { files } = await importInto(context, { ...choiceOf(run), all: false })
  const { sessionInfo } = await import('../ops/list.ts')
  const sessions: RunSession[] = []
  for (const id of new Set(files.map(({ session }) => session))) {
    const one = await sessionInfo(context.repo, id)
    const before = id === run.session ? run.entries : 0
    if (one.entries > before)
      sessions.push({ session: id, title: one.title, entries: one.entries, added: one.entries - before })
  }
  const [only, ...others] = sessions
  if (!only || others.length > 0) return sessions
  if (title !== undefined && run.session === null) {
    await rename.run(context, { session: only.session, title })
    sessions[0] = { ...only, title }
  }
  if (parent !== undefined)
    await set.run(context, { session: only.session, pair: [['parent', parent]], unset: [] })
  return sessions
}
