import { SessError } from '../../model/errors.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { scratchPrefix } from '../../repo/scratch.ts'
import { absolute, type FoundFile } from '../../sources/files.ts'
import { Scratch } from '../../sources/scratch.ts'
import { type Grafting, Grafts } from '../graft.ts'
import { Indexer } from '../indexing.ts'
import type { ImportFilter } from './filter.ts'
import { candidates, openCandidate, sourcesInDatabase } from './findsources.ts'
import { importFile } from './importfile.ts'
import { joinParents, ParentSearch } from './joinparents.ts'
import { type ImportProgress, Queue } from './queue.ts'
import { type Imported, orRefused, type Refused, type Skipped } from './result.ts'
import type { ResumableReads } from './resumablereads.ts'
import { ChangedSessions, SessionIds } from './sessionids.ts'
import { type SidecarContext, updateSidecars } from './sidecars.ts'
import type { Source } from './source.ts'
import { linkSubagents } from './subagents.ts'
import type { UnresolvedParent } from './unresolvedparents.ts'

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
  /** Called before a file is read, with its size. */
  readonly onBegin?: (path: string, bytes: number) => void
  /** Called as files are looked at and read. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called with the result of each file once it is durable. */
  readonly onFile?: (file: Imported | Refused) => void
  /** Called with the result of joining each new entry to a parent that its file names and does not have. */
  readonly onGraft?: (grafting: Grafting) => void
}

/** The result of an import: the imported files, in order, and the paths that could not be imported. */
export interface ImportResult {
  readonly files: readonly Imported[]
  readonly refused: readonly Refused[]
  /** The files in folders that hold no conversation, and symbolic links. They make no session. */
  readonly skipped: readonly Skipped[]
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
  const sidecars = new Set<string>()
  const grafts: Grafting[] = []
  const parents = new ParentSearch()
  const prompted = new Set<string>()
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
    const finding = { all, own: repo.dir, scratch, onSkipped }
    const queue = new Queue(candidates(sources, finding), options.onProgress)
    const coalesce = options.coalesce ?? `import ${repo.env.now()}`
    const writing = { bulk: true, dense: true, plain: true, coalesce }
    const batch = { ...options, queue, scratch, parents, prompted, onSkipped, sidecars }
    const importNext = async (change: Change): Promise<(Imported | Refused)[]> => {
      const imported = files.reduce((sum, { newObjects, bytes }) => sum + (newObjects > 0 ? bytes : 0), 0)
      try {
        return await importBatch(repo, change, { ...batch, most: batchAfter(imported) })
      } catch (error) {
        unfinished = change.writer.created.entries
        throw error
      }
    }
    while (queue.first) report(queue, await repo.write(writing, importNext))
    if (parents.any) grafts.push(...(await repo.write(writing, (change) => joinParents(change, parents))))
    if (prompted.size > 0) await repo.write(writing, (change) => linkSubagents(change, prompted))
    for (const grafting of grafts) options.onGraft?.(grafting)
    done = true
    files.sort((a, b) => queue.place(a.path) - queue.place(b.path))
  } catch (error) {
    throw stoppedAfter(error, files.length, unfinished)
  } finally {
    if (!done) options.following?.forget()
    scratch.close()
  }
  const rest = skipped.filter(({ path }) => !sidecars.has(path))
  return { files, refused, skipped: rest, grafts, totals: totalsOf(files) }
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

interface Batch extends ImportOptions {
  /** The number of bytes of files after which it ends. */
  readonly most: number
  readonly queue: Queue
  readonly scratch: Scratch
  readonly parents: ParentSearch
  /** Sessions that may have started sub-agents, or are sub-agents, recognised by their prompts. */
  readonly prompted: Set<string>
  readonly onSkipped: (file: Skipped) => void
  /** Filled with the paths of sidecar files, which are imported with their sessions. */
  readonly sidecars: Set<string>
}

/** Imports files from a queue up to a number of bytes. Files of sessions that this batch has changed are deferred to the next. */
async function importBatch(
  repo: Repo,
  change: Change,
  {
    most,
    queue,
    scratch,
    parents,
    prompted,
    all = false,
    only = {},
    following,
    onBegin,
    onSkipped,
    sidecars,
  }: Batch,
): Promise<(Imported | Refused)[]> {
  const batch: (Imported | Refused)[] = []
  const touched = new ChangedSessions()
  const made = new Set<string>()
  const indexer = new Indexer(change.reader, change.writer)
  const sidecarContext: SidecarContext = {
    indexer,
    claimed: new Set(),
    onSidecar: (path) => sidecars.add(path),
    onRefused: (refused) => batch.push(refused),
  }
  const [sessions, grafts] = [new SessionIds(change.reader), new Grafts(change.reader)]
  await parents.begin(change.reader)
  const importFound = (found: Source): Promise<Imported | Refused | undefined> => {
    onBegin?.(found.path, found.size)
    const context = {
      following,
      ...sidecarContext,
      sessions,
      made,
      grafts,
      onBytes: (read: number) => queue.report(read),
      onUnresolved: (one: UnresolvedParent) => parents.unresolved.push(one),
      onNative: parents.onNative,
      onPrompts: (session: string) => prompted.add(session),
    }
    return orRefused(found.path, () => importFile(repo, change, found, context))
  }
  let bytes = 0
  while (bytes < most && queue.first && !repo.stopped) {
    const { first } = queue
    const seen = repo.env.now()
    if (first.database) {
      const inside = await orRefused(first.path, () =>
        sourcesInDatabase(change, first, { all, scratch, seen, onSkipped }),
      )
      if ('error' in inside) batch.push(inside)
      else queue.add(inside)
      queue.drop()
      continue
    }
    const found = await openCandidate(change.reader, first, { all, only, seen })
    if (found && 'skipped' in found) onSkipped(found)
    else if (found && 'stat' in found) {
      const file = touched.addFile(found) ? undefined : await importFound(found)
      found.close()
      if (!file) {
        queue.defer()
        continue
      }
      batch.push(file)
      if (!('error' in file)) {
        made.add(file.session)
        if (file.session !== found.native) touched.add(file.session)
        parents.end(file.session)
        bytes += file.newObjects > 0 ? file.bytes : 0
      }
    } else if (found) {
      const isUntouched = !('error' in found) && !touched.has(found.session)
      batch.push(isUntouched ? await updateSidecars(change, found, seen, sidecarContext) : found)
    }
    queue.drop()
  }
  queue.recall()
  await indexer.end()
  return batch
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
