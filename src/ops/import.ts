import { SessError } from '../model/errors.ts'
import type { Change, Repo } from '../repo/repo.ts'
import { scratchPrefix } from '../repo/scratch.ts'
import { absolute, type FoundFile } from '../sources/files.ts'
import { Scratch } from '../sources/scratch.ts'
import { type Grafting, Grafts } from './graft.ts'
import { linkAsked } from './import/asked.ts'
import { type Aside, takeBesideKnown } from './import/beside.ts'
import { Coming, joinLacking } from './import/coming.ts'
import { candidates, look, within } from './import/found.ts'
import type { Imported, Refused, Skipped } from './import/imported.ts'
import { importFile } from './import/importfile.ts'
import { type ImportProgress, Queue } from './import/queue.ts'
import type { ResumableReads } from './import/resumablereads.ts'
import { SessionIds } from './import/sessionids.ts'
import { orRefused } from './import/unreadable.ts'
import type { UnresolvedParent } from './import/unresolvedparents.ts'
import type { Wanted } from './import/wanted.ts'
import { Indexer } from './indexing.ts'

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
  /** Take only those that this holds for; of what is left out nothing is said. */
  readonly only?: Wanted
  /** Files that are read on where they ended, and what this import reads is added to. */
  readonly following?: ResumableReads
  /** Imports in a row with the same word are one operation. */
  readonly coalesce?: string
  /** Called before a file is read, with its size. */
  readonly onBegin?: (path: string, bytes: number) => void
  /** Called as files are looked at and read. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called with what came of each file once that is durable. */
  readonly onFile?: (file: Imported | Refused) => void
  /** Called with what came of each entry that is new and lacks the parent which its file names. */
  readonly onGraft?: (grafting: Grafting) => void
}

/** What came of an import: the files that were taken, in order, and the paths that could not be. */
export interface ImportResult {
  readonly files: readonly Imported[]
  readonly refused: readonly Refused[]
  /** The files in folders that hold no conversation, and symbolic links. They make no session. */
  readonly skipped: readonly Skipped[]
  /** What came of the entries that are new and lack the parent which their file names. */
  readonly grafts: readonly Grafting[]
  readonly totals: Totals
}

/** Files are made durable together up to this many bytes. */
const BATCH = 32 << 20

/**
 * Imports files, and the files in folders that hold a conversation: what is new of them, byte for byte. By its name a file
 * in a folder may be JSON, JSON Lines or a database; with `all` every file is imported. Files of credentials and the
 * store's own are never imported, and a path that is named always is. Sources are never written to. The import is one
 * operation. Throws `stopped` where the store's signal asks to stop, and says what is kept.
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
  const coming = new Coming()
  const asking = new Set<string>()
  const report = (queue: Queue, done: readonly (Imported | Refused)[]): void => {
    for (const file of done) {
      const told = 'error' in file && queue.hasOthers(file.path) ? withOthers(file) : file
      if ('error' in told) refused.push(told)
      else files.push(told)
      options.onFile?.(told)
    }
  }
  const all = options.all ?? false
  const wanted = paths.map((path) => (typeof path === 'string' ? absolute(repo.env.cwd, path) : path))
  const scratch = new Scratch(scratchPrefix(repo.dir))
  let done = false
  /** The number of entries of files whose import was not finished. */
  let unfinished = 0
  try {
    const onSkipped = (file: Skipped): number => skipped.push(file)
    const finding = { all, own: repo.dir, scratch, onSkipped }
    const queue = new Queue(candidates(wanted, finding), options.onProgress)
    const coalesce = options.coalesce ?? `import ${repo.env.now()}`
    const writing = { bulk: true, dense: true, plain: true, coalesce }
    const batch = { ...options, queue, scratch, coming, asking, onSkipped, sidecars }
    const take = async (change: Change): Promise<(Imported | Refused)[]> => {
      try {
        return await takeBatch(repo, change, batch)
      } catch (error) {
        unfinished = change.writer.created.entries
        throw error
      }
    }
    while (queue.first) report(queue, await repo.write(writing, take))
    if (coming.any) grafts.push(...(await repo.write(writing, (change) => joinLacking(change, coming))))
    if (asking.size > 0) await repo.write(writing, (change) => linkAsked(change, asking))
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

/** Returns an error; one that stopped the import says what is kept. */
function stoppedAfter(error: unknown, files: number, entries: number): unknown {
  if (!(error instanceof SessError) || error.code !== 'stopped' || files + entries === 0) return error
  const imported =
    files === 0 ? 'no file is imported yet' : `${files} ${files === 1 ? 'file is' : 'files are'} imported`
  // Objects are written ahead of the last batch, which makes a session of them.
  const kept = `up to ${entries} entries of the next files are kept, and the next import uses them`
  return new SessError('stopped', entries === 0 ? imported : `${imported}; ${kept}`, { cause: error })
}

interface Batch extends ImportOptions {
  readonly queue: Queue
  readonly scratch: Scratch
  readonly coming: Coming
  readonly asking: Set<string>
  readonly onSkipped: (file: Skipped) => void
  /** Filled with the paths of sidecar files, which are imported with their sessions. */
  readonly sidecars: Set<string>
}

/** Takes files from a queue until they are many bytes; those that need what this batch does to be done wait. */
async function takeBatch(
  repo: Repo,
  change: Change,
  { queue, scratch, coming, asking, all = false, only = {}, following, onBegin, onSkipped, sidecars }: Batch,
): Promise<(Imported | Refused)[]> {
  const batch: (Imported | Refused)[] = []
  const touched = new Set<string>()
  const indexer = new Indexer(change.reader, change.writer)
  const aside: Aside = {
    indexer,
    answered: new Set(),
    onSidecar: (path) => sidecars.add(path),
    onRefused: (refused) => batch.push(refused),
  }
  const [sessions, grafts] = [new SessionIds(change.reader), new Grafts(change.reader)]
  await coming.begin(change.reader)
  let bytes = 0
  while (bytes < BATCH && queue.first && !repo.stopped) {
    const { first } = queue
    const seen = repo.env.now()
    if (first.database) {
      const inside = await orRefused(first.path, () =>
        within(change, first, { all, scratch, seen, onSkipped }),
      )
      if ('error' in inside) batch.push(inside)
      else queue.add(inside)
      queue.drop()
      continue
    }
    const found = await look(change.reader, first, { all, only, seen })
    if (found && 'skipped' in found) onSkipped(found)
    else if (found && 'stat' in found) {
      // What this batch did to a session is seen by the next one.
      const waits = found.ids.some((id) => touched.has(id))
      for (const id of found.ids) touched.add(id)
      if (waits) {
        found.close()
        queue.defer()
        continue
      }
      onBegin?.(found.path, found.size)
      const taking = {
        following,
        ...aside,
        sessions,
        grafts,
        onBytes: (read: number) => queue.tell(read),
        onLacking: (one: UnresolvedParent) => coming.lacking.push(one),
        onNative: coming.onNative,
        onAsking: (session: string) => asking.add(session),
      }
      const file = await orRefused(found.path, () => importFile(repo, change, found, taking))
      found.close()
      batch.push(file)
      if (!('error' in file)) {
        touched.add(file.session)
        coming.end(file.session)
        bytes += file.newObjects > 0 ? file.bytes : 0
      }
    } else if (found) {
      const isUntouched = !('error' in found) && !touched.has(found.session)
      batch.push(isUntouched ? await takeBesideKnown(change, found, seen, aside) : found)
    }
    queue.drop()
  }
  queue.recall()
  await indexer.end()
  return batch
}

/** Gives what was refused, telling that nothing else is. */
const withOthers = ({ path, error }: Refused): Refused => ({
  path,
  error: error.with({ hint: `${error.hint}; the other files are imported` }),
})

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
