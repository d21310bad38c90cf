import { SessError } from '../../model/errors.ts'
import type { RefName } from '../../model/refname.ts'
import { isMalformedRef } from '../../model/refs/table.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { scratchPrefix } from '../../repo/scratch.ts'
import { passOver } from '../../repo/unsoundrefs.ts'
import { absolute, type FoundFile } from '../../sources/files.ts'
import { Scratch } from '../../sources/scratch.ts'
import type { Grafting } from '../graft.ts'
import { joinBases } from '../reread/joinbases.ts'
import type { BasedSession } from './base.ts'
import { settleIds } from './claims.ts'
import type { ImportFilter } from './filter.ts'
import { candidates, type LinkPlaces } from './findsources.ts'
import { type BatchOptions, ImportBatch, type WaitingFile } from './importbatch.ts'
import { joinParents, ParentSearch } from './joinparents.ts'
import { idNow, type MovedId } from './moveid.ts'
import { indexOutputs, OutputSearch } from './outputs.ts'
import { type ImportProgress, Queue } from './queue.ts'
import type { Imported, Refused, Skipped, Unread } from './result.ts'
import type { UnlinkedSubagent } from './spawnedagents.ts'
import { linkSubagents, SubagentSearch } from './subagents.ts'

/** The sums over all files of an import; `sessions` counts each session once. */
export interface Totals {
  readonly files: number
  readonly sessions: number
  readonly records: number
  readonly entries: number
  readonly newEntries: number
  readonly newObjects: number
  readonly bytes: number
}

/** How files are imported. */
export interface ImportOptions {
  /** Import every file of a folder byte for byte, also those that hold no conversation or belong to a session. */
  readonly all?: boolean
  /** Import only the files that this filter lets through; the others are not reported. */
  readonly only?: ImportFilter
  /** Imports in a row with the same key are one operation. */
  readonly coalesce?: string
  /**
   * Let other processes have the store between two files, and within a large one: an import that nobody waits for. What they
   * do meanwhile divides it into several operations.
   */
  readonly givesWay?: boolean
  /** The places of agents, at which symbolic links in folders are followed. */
  readonly places?: LinkPlaces
  /** The symbolic links at the places of agents that are not followed. */
  readonly links?: readonly string[]
  /** Called before a file is read, with its size. */
  readonly onBegin?: (path: string, bytes: number) => void
  /** Called as files are looked at and read. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called with the result of each file once it is durable. */
  readonly onFile?: (file: Imported | Refused) => void
  /** Called with each session that refers to a history that the store lacks, or is joined to it now that it has come. */
  readonly onBase?: (based: BasedSession) => void
  /** Called with each file whose session got another id. */
  readonly onMoved?: (moved: MovedId) => void
  /** Called with the result of joining each new entry to a parent that its file names and does not have. */
  readonly onGraft?: (grafting: Grafting) => void
}

/** The result of an import: the imported files, in order, and the paths that could not be imported. */
export interface ImportResult {
  readonly files: readonly Imported[]
  readonly refused: readonly Refused[]
  /** The files in folders that hold no conversation, and symbolic links. They make no session. */
  readonly skipped: readonly Skipped[]
  /** Likely sessions that were not read, in databases, folders and documents. */
  readonly unread: readonly Unread[]
  /** The sessions that refer to a history that the store lacks, and those that are joined to it now that it has come. */
  readonly bases: readonly BasedSession[]
  /** The files whose sessions got another id. */
  readonly moved: readonly MovedId[]
  /** The results of joining new entries to parents that their files name and do not have. */
  readonly grafts: readonly Grafting[]
  /** Sub-agents whose files name a call that the session that started them does not have. */
  readonly unlinked: readonly UnlinkedSubagent[]
  readonly totals: Totals
}

/** The least number of bytes of files that are made durable together. */
const BATCH = 64 << 20

/**
 * Returns the number of bytes of the next batch. Each batch writes the operation of the whole import again, so batches
 * grow with it: what all of them write stays linear.
 */
const batchAfter = (imported: number): number => Math.max(BATCH, imported / 2)

/**
 * Imports files, and the files in folders that hold a conversation: their new parts, byte for byte. A file in a folder is
 * looked into if its name is that of JSON, JSON Lines or a database; with `all` every file is imported. Files of credentials
 * and those of the store are never imported; a file that is named always is. Sources are never written to. The import is
 * one operation. Throws `stopped` when the store's signal asks to stop, with what is kept.
 */
export async function importPaths(
  repo: Repo,
  paths: readonly (string | FoundFile)[],
  options: ImportOptions = {},
): Promise<ImportResult> {
  const files: Imported[] = []
  const refused: Refused[] = []
  const skipped: Skipped[] = []
  const unread: Unread[] = []
  const sidecars = new Set<string>()
  const grafts: Grafting[] = []
  const parents = new ParentSearch()
  const arrived = new Set<string>()
  const bases = new Map<string, BasedSession>()
  const subagents = new SubagentSearch()
  const outputs = new OutputSearch()
  let unlinked: readonly UnlinkedSubagent[] = []
  const contested = new Map<string, string[]>()
  const silent: WaitingFile[] = []
  const moved: MovedId[] = []
  const report = (queue: Queue, done: readonly (Imported | Refused)[]): void => {
    for (const file of done) {
      const result = 'error' in file && queue.hasOthers(file.path) ? { ...file, others: true as const } : file
      if ('error' in result) refused.push(result)
      else files.push(result)
      options.onFile?.(result)
    }
  }
  const all = options.all ?? false
  const sources = paths.map((path) => (typeof path === 'string' ? absolute(repo.env.cwd, path) : path))
  const scratch = new Scratch(scratchPrefix(repo.dir))
  /** The number of entries of files whose import was not finished. */
  let unfinished = 0
  try {
    const onSkipped = (file: Skipped): number => skipped.push(file)
    const onUnread = (one: Unread): number => unread.push(one)
    const { places } = options
    const finding = { all, own: repo.dir, places, scratch, onSkipped, onUnread }
    const queue = new Queue(candidates(sources, finding), options.onProgress)
    const coalesce = options.coalesce ?? `import ${repo.env.now()}`
    const writing = { bulk: true, dense: true, plain: true, coalesce }
    const batch = {
      ...options,
      all,
      scratch,
      parts: new Map<string, Imported>(),
      parents,
      arrived,
      bases,
      subagents,
      outputs,
      contested,
      silent,
      onSkipped,
      onUnread,
      sidecars,
    }
    const importNext = async (
      change: Change,
      from: Pick<BatchOptions, 'queue' | 'last'>,
    ): Promise<readonly (Imported | Refused)[]> => {
      const imported = files.reduce((sum, { newObjects, bytes }) => sum + (newObjects > 0 ? bytes : 0), 0)
      try {
        return await new ImportBatch(repo, change, { ...batch, ...from, most: batchAfter(imported) }).run()
      } catch (error) {
        unfinished = change.writer.created.entries
        throw error
      }
    }
    while (queue.first) report(queue, await repo.write(writing, (change) => importNext(change, { queue })))
    const isNew = files.some(({ newObjects }) => newObjects > 0)
    for (const { known } of silent) if (known && !isNew) onSkipped(known)
    const waited = silent.flatMap(({ candidate, known }) => (known && !isNew ? [] : [candidate]))
    const last = { queue: new Queue(waited, undefined), last: true }
    while (last.queue.first) report(queue, await repo.write(writing, (change) => importNext(change, last)))
    const writeIfSound = <T>(work: (change: Change) => Promise<T>): Promise<T | undefined> =>
      ifSound(repo, () => repo.write(writing, work))
    if (outputs.any) await repo.write(writing, (change) => indexOutputs(change, outputs))
    if (contested.size > 0)
      moved.push(...((await writeIfSound((change) => settleIds(change, contested, { files, all }))) ?? []))
    for (const one of moved) options.onMoved?.(one)
    const now = (id: string): string => idNow(moved, id)
    parents.rename(now)
    subagents.rename(now)
    const placed = (await ifSound(repo, () => joinBases(repo, writing, arrived))) ?? []
    const based = [...bases.values()].map((one) => ({ ...one, session: now(one.session) }))
    const basedNow = new Map([...based, ...placed].map((one) => [one.session, one]))
    if (parents.any) grafts.push(...((await writeIfSound((change) => joinParents(change, parents))) ?? []))
    if (subagents.all.size > 0)
      unlinked = (await writeIfSound((change) => linkSubagents(change, subagents))) ?? []
    bases.clear()
    for (const [session, one] of basedNow) bases.set(session, one)
    for (const one of bases.values()) options.onBase?.(one)
    for (const grafting of grafts) options.onGraft?.(grafting)
    for (const path of options.links ?? []) onSkipped({ path, skipped: 'symbolic-link' })
    files.sort((a, b) => queue.place(a.path) - queue.place(b.path))
  } catch (error) {
    throw stoppedAfter(error, files.length, unfinished)
  } finally {
    scratch.close()
  }
  const demoted = new Map(
    moved.flatMap(({ before, now, file }) => (file === undefined ? [] : [[before, now]])),
  )
  const isDemoted = ({ session, exported }: Imported): boolean =>
    exported === undefined && demoted.has(session)
  for (const file of files.filter(isDemoted)) {
    const session = demoted.get(file.session) as string
    skipped.push({ path: file.path, skipped: 'no-message', session })
  }
  const rest = skipped.filter(({ path }) => !sidecars.has(path))
  const named = files
    .filter((file) => !isDemoted(file))
    .map((file) => ({ ...file, session: idNow(moved, file.session) }))
  const sums = { moved, bases: [...bases.values()], grafts, unlinked, totals: totalsOf(named) }
  return { files: named, refused, skipped: rest, unread, ...sums }
}

/**
 * Runs work that joins what was imported to other sessions. It is left out where a ref of one of them cannot be read, which
 * is recorded: what was imported stays.
 */
async function ifSound<T>(repo: Repo, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!isMalformedRef(error)) throw error
    const { ref } = error.remedy
    await repo.read((reader) => passOver(reader, ref as RefName, error.detail ?? ''))
    return undefined
  }
}

/** Returns an error; if it stopped the import, with the number of files and entries that are kept. */
function stoppedAfter(error: unknown, files: number, entries: number): unknown {
  if (!(error instanceof SessError) || error.code !== 'stopped' || files + entries === 0) return error
  const imported =
    files === 0 ? 'no file is imported yet' : `${files} ${files === 1 ? 'file is' : 'files are'} imported`
  // Objects are written ahead of the last batch, which makes a session of them.
  const kept = `up to ${entries} entries of the next files are kept, and the next import uses them`
  return new SessError('stopped', entries === 0 ? imported : `${imported}; ${kept}`, { cause: error })
}

function totalsOf(files: readonly Imported[]): Totals {
  const sum = (of: (file: Imported) => number): number => files.reduce((total, file) => total + of(file), 0)
  return {
    files: files.length,
    sessions: new Set(files.map((f) => f.session)).size,
    records: sum((f) => f.records),
    entries: sum((f) => f.entries),
    newEntries: sum((f) => f.newEntries),
    newObjects: sum((f) => f.newObjects),
    bytes: sum((f) => f.bytes),
  }
}
