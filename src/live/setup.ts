import { createHash } from 'node:crypto'
import { chmodSync, existsSync, lstatSync, readFileSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { linkedFile, makeFolderSync, replaceFile } from '../files/replacefile.ts'
import { SessError } from '../model/errors.ts'
import { type AgentFile, type AgentHome, isInstalled, LIVE_AGENTS, type LiveAgent } from './agents.ts'
import { spliced } from './jsontext.ts'
import { launcherText, type Program } from './launcher.ts'
import { isSettling, LIVE, namesOf, textOf } from './livefolder.ts'

/** Where agents are set up: the machine, and the folder for what is set up. */
export interface SetupPlace extends AgentHome {
  readonly folder: string
}

/** The options of a set-up. */
export interface SetupOptions {
  /** The names of agents, or their first words; all that are installed without any. */
  readonly agents: readonly string[]
  readonly statusline: boolean
  /** The store of all sessions; undefined for that of each session's folder. */
  readonly store?: string | undefined
  readonly dryRun: boolean
}

/** A file that is written, changed or removed. */
export interface FileChange {
  readonly path: string
  /** Its text before and after; null where there is no file. */
  readonly before: string | null
  readonly after: string | null
}

/** An agent, and what changes in its settings. */
export interface AgentChange {
  readonly agent: string
  readonly title: string
  readonly installed: boolean
  readonly files: readonly FileChange[]
}

/** How a file was before: where its text differs, and what was there; null where there was no file. */
interface Undo {
  readonly sha256: string
  readonly start: number
  readonly end: number
  readonly former: string | null
  /** The containers that were there and empty. */
  readonly kept: readonly string[]
}

/** The record of a set-up, by which it is taken back. */
export interface SetupRecord {
  readonly store: string | null
  readonly files: Readonly<Record<string, Undo>>
}

const EMPTY: SetupRecord = { store: null, files: {} }

/** Returns what was set up by what is kept of it; nothing where that cannot be read. */
export function setupRecord(folder: string): SetupRecord {
  try {
    const record = JSON.parse(textOf(join(folder, LIVE.setup)) ?? '{}') as Partial<SetupRecord>
    return { ...EMPTY, ...record }
  } catch {
    return EMPTY
  }
}

export const launcherOf = (folder: string): string => join(folder, LIVE.launcher)

/** Returns the agents that are named, else those that are installed. Throws `bad-usage` for a name of none. */
function chosenAgents(names: readonly string[], at: AgentHome): LiveAgent[] {
  if (names.length === 0) return LIVE_AGENTS.filter((agent) => isInstalled(agent, at))
  return names.map((name) => {
    const found = LIVE_AGENTS.find((one) => one.name === name || one.name.startsWith(`${name}-`))
    if (found) return found
    const choices = LIVE_AGENTS.map((one) => one.name)
    throw new SessError('bad-usage', `there is nothing to set up for an agent '${name}'`, {
      typed: name,
      choices,
      hint: `it may be ${choices.join(', ')}; others can be watched`,
    })
  })
}

/** Writes the launcher that hooks call. */
export function writeLauncher(folder: string, program: Program): void {
  const path = launcherOf(folder)
  writeText(path, launcherText(program, folder))
  chmodSync(path, 0o700)
}

/** Adds hooks to the settings of agents. In a dry run only returns what would change. */
export function setUp(place: SetupPlace, program: Program, options: SetupOptions): AgentChange[] {
  const { folder } = place
  const record = setupRecord(folder)
  const wanted = { launcher: launcherOf(folder), statusline: options.statusline }
  const changes = chosenAgents(options.agents, place).map((agent) => ({
    ...changeOf(agent, place),
    files: agent.files(place, wanted).map((file) => added(file, record)),
  }))
  if (options.dryRun) return changes
  writeLauncher(folder, program)
  const undo = changes.flatMap(({ files }) =>
    files.flatMap(({ path, after, base, kept }) =>
      after === null ? [] : [[path, undoOf(base, after, kept)] as const],
    ),
  )
  const store = options.store ?? record.store
  // Before the files: of a process that is killed in between, the rest is taken out part by part.
  writeText(
    join(folder, LIVE.setup),
    `${JSON.stringify({ store, files: { ...record.files, ...Object.fromEntries(undo) } })}\n`,
  )
  for (const { files } of changes) for (const file of files) apply(file)
  return changes
}

/** Takes the hooks of agents out of their settings, all that are set up unless some are named. */
export function takeDown(
  place: SetupPlace,
  { agents, dryRun }: Omit<SetupOptions, 'statusline'>,
): AgentChange[] {
  const { folder } = place
  const record = setupRecord(folder)
  const wanted = { launcher: launcherOf(folder), statusline: true }
  const chosen = agents.length === 0 ? [...LIVE_AGENTS] : chosenAgents(agents, place)
  const changes = chosen.map((agent) => ({
    ...changeOf(agent, place),
    files: agent.files(place, wanted).flatMap((file) => {
      const before = textAt(file.path)
      if (before === null) return []
      const { base } = baseOf(file, before, record)
      return base === before ? [] : [{ path: file.path, before, after: base }]
    }),
  }))
  if (dryRun) return changes
  for (const { files } of changes) for (const file of files) apply(file)
  const gone = new Set(changes.flatMap(({ files }) => files.map(({ path }) => path)))
  const files = Object.fromEntries(Object.entries(record.files).filter(([path]) => !gone.has(path)))
  if (agents.length === 0) removeFolder(folder)
  else if (Object.keys(record.files).length > 0)
    writeText(join(folder, LIVE.setup), `${JSON.stringify({ ...record, files })}\n`)
  return changes
}

const changeOf = (agent: LiveAgent, at: AgentHome): Omit<AgentChange, 'files'> => ({
  agent: agent.name,
  title: agent.title,
  installed: isInstalled(agent, at),
})

/** A change that adds parts, with the text that taking them out gives back. */
interface AddedFile extends FileChange {
  readonly base: string | null
  readonly kept: readonly string[]
}

function added(file: AgentFile, record: SetupRecord): AddedFile {
  const before = textAt(file.path)
  const { base, kept } = before === null ? { base: null, kept: [] } : baseOf(file, before, record)
  // A part that is there as it is wanted stays where it is, among others that were added since.
  if (before !== null && isWhole(file, before)) return { path: file.path, before, after: before, base, kept }
  const after = file.parts.reduce<string | null>(
    (text, part) => namingFile(file.path, () => part.add(text)),
    base,
  )
  return { path: file.path, before, after, base, kept }
}

const isWhole = ({ path, parts }: AgentFile, text: string): boolean =>
  namingFile(path, () => parts.every((part) => part.isIn(text)))

/** Returns a text without the parts of sess: the former bytes where nothing else has changed since. */
function baseOf(
  { path, parts }: AgentFile,
  text: string,
  { files }: SetupRecord,
): { readonly base: string | null; readonly kept: readonly string[] } {
  const undo = files[path]
  if (undo && undo.sha256 === digestOf(text)) {
    const { start, end, former, kept } = undo
    return { base: former === null ? null : spliced(text, start, end, former), kept }
  }
  const kept = undo?.kept ?? namingFile(path, () => parts.flatMap((part) => part.emptyIn(text)))
  let base: string | null = text
  for (const part of [...parts].reverse())
    if (base !== null) {
      const from: string = base
      base = namingFile(path, () => part.remove(from, kept))
    }
  const isEmptied = undo?.former === null && base !== null && /^\s*(?:\{\s*\}\s*)?$/.test(base)
  return { base: isEmptied ? null : base, kept }
}

/** Runs work on the text of a file; an error about it names the file. */
function namingFile<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof SessError) || error.code !== 'bad-config') throw error
    throw new SessError('bad-config', path, {
      cause: error,
      detail: error.detail,
      hint: 'nothing was changed: repair it, or name the other agents',
    })
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex')

function undoOf(base: string | null, after: string, kept: readonly string[]): Undo {
  const sha256 = digestOf(after)
  if (base === null) return { sha256, start: 0, end: after.length, former: null, kept }
  let start = 0
  while (start < base.length && base[start] === after[start]) start++
  let rest = 0
  const most = Math.min(base.length, after.length) - start
  while (rest < most && base[base.length - 1 - rest] === after[after.length - 1 - rest]) rest++
  return { sha256, start, end: after.length - rest, former: base.slice(start, base.length - rest), kept }
}

/** The largest file of settings. */
const MAX_SETTINGS = 8 << 20

/** Returns the text of a file of settings, null where there is none. Throws `unreadable-path`. */
function textAt(path: string): string | null {
  const target = linkedFile(path)
  const stats = lstatSync(target, { throwIfNoEntry: false })
  if (!stats) return null
  if (!stats.isFile() || stats.size > MAX_SETTINGS)
    throw new SessError('unreadable-path', path, { detail: 'it is no file of settings' })
  const bytes = readFileSync(target)
  const text = bytes.toString('utf8')
  if (!Buffer.from(text, 'utf8').equals(bytes))
    throw new SessError('unreadable-path', path, { detail: 'it is not UTF-8' })
  return text
}

/** Writes or removes a file. Throws `conflict` where it has changed since it was read. */
function apply({ path, before, after }: FileChange): void {
  if (after === before) return
  if (textAt(path) !== before)
    throw new SessError('conflict', path, { detail: 'it has changed meanwhile', hint: 'try again' })
  const target = linkedFile(path)
  if (after === null) unlinkSync(target)
  else writeText(target, after)
}

function writeText(path: string, text: string): void {
  makeFolderSync(dirname(path))
  replaceFile(path, text)
}

/** Removes what only a set-up needs. Notes that are not settled stay. */
function removeFolder(folder: string): void {
  for (const name of [LIVE.launcher, LIVE.setup, LIVE.faults, `${LIVE.faults}.old`])
    rmSync(join(folder, name), { force: true })
  for (const name of [LIVE.saved, LIVE.runs, LIVE.extensions])
    rmSync(join(folder, name), { recursive: true, force: true })
  const spool = join(folder, LIVE.spool)
  if (existsSync(spool) && namesOf(spool).length === 0) rmSync(spool, { recursive: true })
  try {
    if (!isSettling(folder, Date.now())) rmdirSync(folder)
  } catch {
    // Something is left in it, or it is gone.
  }
}
