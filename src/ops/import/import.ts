import { SessError } from '../../model/errors.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { scratchPrefix } from '../../repo/scratch.ts'
import { absolute, type FoundFile } from '../../sources/files.ts'
import { Scratch } from '../../sources/scratch.ts'
import type { Grafting } from '../graft.ts'
import { settleIds } from './claims.ts'
import type { ImportFilter } from './filter.ts'
import { candidates, type LinkPlaces } from './findsources.ts'
import { type BatchOptions, ImportBatch, type WaitingFile } from './importbatch.ts'
import { joinParents, ParentSearch } from './joinparents.ts'
import { idNow, type MovedId } from './moveid.ts'
import { type ImportProgress, Queue } from './queue.ts'
import type { Imported, Refused, Skipped, Unread } from './result.ts'
import type { ResumableReads } from './resumablereads.ts'
import { linkSubagents } from './subagents.ts'
import { unmatchedIn } from './unmatchedfiles.ts'

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
  /** The states of files whose reading is continued where it ended; this import adds its own. */
  readonly following?: ResumableReads
  /** Imports in a row with the same key are one operation. */
  readonly coalesce?: string
  /** The places of agents, at which symbolic links in folders are followed. */
  readonly places?: LinkPlaces
  /** Files at the places of agents that are no sessions by their names: reported where they look like some. */
  readonly others?: readonly FoundFile[]
  /** The symbolic links at the places of agents that are not followed. */
  readonly links?: readonly string[]
  /** Called before a file is read, with its size. */
  readonly onBegin?: (path: string, bytes: number) => void
  /** Called as files are looked at and read. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called with the result of each file once it is durable. */
  readonly onFile?: (file: Imported | Refused) => void
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
  /** What looks like sessions and was not read, in databases, folders and documents. */
  readonly unread: readonly Unread[]
  /** The files whose sessions got another id. */
  readonly moved: readonly MovedId[]
  /** The results of joining new entries to parents that their files name and do not have. */
  readonly grafts: readonly Grafting[]
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
  const prompted = new Set<string>()
  const contested = new Set<string>()
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
  let done = false
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
      parents,
      prompted,
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
    const rest = silent.flatMap(({ candidate, known }) => (known && !isNew ? [] : [candidate]))
    const last = { queue: new Queue(rest, undefined), last: true }
    while (last.queue.first) report(queue, await repo.write(writing, (change) => importNext(change, last)))
    if (contested.size > 0)
      moved.push(...(await repo.write(writing, (change) => settleIds(change, contested, files))))
    for (const one of moved) options.onMoved?.(one)
    const now = (id: string): string => idNow(moved, id)
    parents.rename(now)
    if (parents.any) grafts.push(...(await repo.write(writing, (change) => joinParents(change, parents))))
    if (prompted.size > 0)
      await repo.write(writing, (change) => linkSubagents(change, new Set([...prompted].map(now))))
    for (const grafting of grafts) options.onGraft?.(grafting)
    for (const path of options.links ?? []) onSkipped({ path, skipped: 'symbolic-link' })
    unread.push(...unmatchedIn((options.others ?? []).filter(({ path }) => !sidecars.has(path))))
    done = true
    files.sort((a, b) => queue.place(a.path) - queue.place(b.path))
  } catch (error) {
    throw stoppedAfter(error, files.length, unfinished)
  } finally {
    if (!done) options.following?.forget()
    scratch.close()
  }
  const rest = skipped.filter(({ path }) => !sidecars.has(path))
  const named = files.map((file) => ({ ...file, session: idNow(moved, file.session) }))
  return { files: named, refused, skipped: rest, unread, moved, grafts, totals: totalsOf(named) }
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
