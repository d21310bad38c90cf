import { runHooks } from '../live/runhooks.ts'
import { RUN_VARIABLE, type ToldSessions, takeRun } from '../live/runnotes.ts'
import { checkProgram, type RunnableAgent, runCommandLine, runnableAgent } from '../live/runs.ts'
import { SessError } from '../model/errors.ts'
import type { Variables } from '../model/variables.ts'
import { exportAgent } from './export-agent.ts'
import { fork } from './fork.ts'
import { importInto } from './import.ts'
import { withUsual } from './input.ts'
import { log } from './log.ts'
import { listing } from './ls.ts'
import { machineOf, type VerbContext } from './open.ts'
import { rename } from './rename.ts'
import { resume } from './resume.ts'
import { set } from './set.ts'
import { liveFolderOf } from './settle.ts'
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
  /** The variables that the agent gets besides those that are there. */
  readonly variables: Variables
  /** The folder to run it in. */
  readonly cwd: string
  /** The session that it continues; null for a new one. */
  readonly session: string | null
  /** The entries of each session of the agent in that folder before. */
  readonly entries: ReadonlyMap<string, number>
  /** The name by which its hooks tell of it. */
  readonly name: string
  /** The last exchange in it, the user's words first. */
  readonly last: readonly { readonly role: string; readonly text: string }[]
  readonly began: number
}

/**
 * Prepares a run: finds or makes the session that it continues, and gives the agent hooks where it takes them for one run.
 * A dry run does without. Throws `no-folder` where there is no session to continue, and `not-started` before anything is
 * made where there is no such program.
 */
export async function prepareRun(context: VerbContext, input: RunInput, isDry: boolean): Promise<Run> {
  const agent = runnableAgent(input.agent)
  const { prompt, print, keeps, words } = input
  if (!isDry) checkProgram(agent, machineOf(context).variables)
  const continued = await continuedBy(byPerson(context), agent, input)
  const { session = null, cwd = context.env.cwd } = continued ?? {}
  const asked = { agent, prompt, print, keeps, words, ...(continued && { command: continued.command }) }
  const unhooked = runCommandLine(asked)
  const name = Buffer.from(context.env.random(8)).toString('hex')
  const hooks = isDry
    ? { words: [], variables: {} }
    : runHooks(agent.name, { ...machineOf(context), cwd }, liveFolderOf(context))
  return {
    agent,
    command: isDry ? unhooked : runCommandLine({ ...asked, hooks: hooks.words }),
    variables: { ...hooks.variables, [RUN_VARIABLE]: name, SESS_STORE: context.store },
    cwd,
    session,
    entries: await entriesIn(context, agent, cwd),
    name,
    last: session === null ? [] : await lastExchange(context, session),
    began: context.env.now(),
  }
}

/** Returns the context of what the user has asked for, which an undo takes back; the rest is of a program. */
const byPerson = (context: VerbContext): VerbContext => ({
  ...context,
  repo: context.repo.call({ actor: 'person', command: 'run' }),
})

/** Returns the number of entries of each session of an agent in a folder. */
async function entriesIn(
  context: VerbContext,
  { name: agent }: RunnableAgent,
  cwd: string,
): Promise<ReadonlyMap<string, number>> {
  const wanted = { cwd, agent, sort: 'updated', reverse: false, where: [] } as const
  const found = await listing(context, wanted, ['id', 'entries'])
  const counts = found.map('entries', (entries) => entries)
  const ids = found.map('id', (id) => id)
  return new Map(ids.map((id, i) => [id, counts[i] ?? 0]))
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

async function lastExchange(context: VerbContext, session: string): Promise<Run['last']> {
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
  return said
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
  const ids = sessionsOf(run, files, takeRun(liveFolderOf(context), run.name))
  const { sessionInfo } = await import('../ops/list.ts')
  const sessions: RunSession[] = []
  for (const session of ids) {
    const { entries, title: named } = await sessionInfo(context.repo, session)
    const added = entries - (run.entries.get(session) ?? 0)
    if (added > 0) sessions.push({ session, title: named, entries, added })
  }
  const [only, ...others] = sessions
  if (!only || others.length > 0) return sessions
  const person = byPerson(context)
  if (title !== undefined && run.session === null) {
    await rename.run(person, { session: only.session, title })
    sessions[0] = { ...only, title }
  }
  if (parent !== undefined)
    await set.run(person, { session: only.session, pair: [['parent', parent]], unset: [] })
  return sessions
}

/**
 * Returns the sessions that are of a run: those that hooks told of and the one that it continues, else all in the files
 * that were written to meanwhile. Another run in the same folder may write there too.
 */
function sessionsOf(
  { session }: Run,
  files: readonly { readonly path: string; readonly session: string }[],
  { paths, ids }: ToldSessions,
): ReadonlySet<string> {
  const told = files.filter(
    (file) =>
      file.session === session ||
      ids.has(file.session) ||
      paths.has(file.path) ||
      // Sessions in a database have its path and their ids.
      ids.has(file.path.slice(file.path.lastIndexOf('#') + 1)),
  )
  return new Set((told.length > 0 ? told : files).map((file) => file.session))
}
