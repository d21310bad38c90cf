import { holdsConversation } from '../formats/generic.ts'
import { detectFormat } from '../formats/registry.ts'
import { sampleOf } from '../formats/sample.ts'
import { SessError } from '../model/errors.ts'
import type { Backend } from '../repo/backend.ts'
import type { Change, Repo } from '../repo/repo.ts'
import {
  absolute,
  filesBelow,
  folderOf,
  headOf,
  isCredential,
  kindOf,
  nameOf,
  statOf,
} from '../sources/files.ts'
import { Indexer } from './index.ts'
import type { Notice } from './intake.ts'
import { noted, sessionOfPath } from './notes.ts'
import { type Source, sessionIdOf, takeFile } from './take.ts'

/** What came of one file. */
export interface Imported {
  readonly path: string
  readonly format: string
  readonly session: string
  /** Records and entries that the file holds, each entry once. */
  readonly records: number
  readonly entries: number
  /** Entries, and entries and blobs together, that the store did not have. */
  readonly newEntries: number
  readonly newObjects: number
  readonly bytes: number
  /** Whether the file is an earlier state of a session that the store has already. */
  readonly contained: boolean
  /** Records recovered from damaged lines. */
  readonly salvaged: number
  readonly warnings: readonly Notice[]
}

/** A path that could not be taken. The others were. */
export interface Refused {
  readonly path: string
  readonly error: SessError
}

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

/** How far an import has come: files that were looked at and their bytes, of all that there are. */
export interface ImportProgress {
  readonly files: number
  readonly bytes: number
  readonly ofFiles: number
  readonly ofBytes: number
}

/** How files are imported. */
export interface ImportOptions {
  /** Take every file of a folder, also those that hold no conversation. */
  readonly all?: boolean
  /** Imports in a row with the same word are one operation. */
  readonly coalesce?: string
  /** Called before a file is read, with its size. */
  readonly onBegin?: (path: string, bytes: number) => void
  /** Called as files are looked at and read. */
  readonly onProgress?: (progress: ImportProgress) => void
  /** Called with what came of each file once that is durable. */
  readonly onFile?: (file: Imported | Refused) => void
}

/** What came of an import: the files that were taken, in order, and the paths that could not be. */
export interface ImportResult {
  readonly files: readonly Imported[]
  readonly refused: readonly Refused[]
  readonly totals: Totals
}

/** So many bytes of head are enough to tell the format. */
const HEAD = 256 << 10

/** Files are made durable together up to this many bytes. */
const BATCH = 32 << 20

/**
 * Takes files, and the files in folders, into the store: what is new of them, byte for byte. In a folder, files of a
 * known format are taken and those that hold conversation; with `all` every one; credential files never. A path that
 * is named is always taken; the store's own files never are. Sources are never written to. All of it is one operation.
 * Where the store's signal asks to stop, it throws `stopped`; the files that were reported stay.
 */
export async function importPaths(
  repo: Repo,
  paths: readonly string[],
  options: ImportOptions = {},
): Promise<ImportResult> {
  const files: Imported[] = []
  const refused: Refused[] = []
  const report = (done: readonly (Imported | Refused)[]): void => {
    for (const file of done) {
      if ('error' in file) refused.push(file)
      else files.push(file)
      options.onFile?.(file)
    }
  }
  const all = options.all ?? false
  const wanted = paths.map((path) => absolute(repo.env.cwd, path))
  const found = [...candidates(wanted, all, repo.dir)]
  const queue = new Queue(found, options.onProgress)
  const writing = { bulk: true, coalesce: options.coalesce ?? `import ${repo.env.now()}` }
  while (queue.first) report(await repo.write(writing, (change) => takeBatch(repo, change, queue, options)))
  const place = new Map(found.map(({ path }, i) => [path, i]))
  files.sort((a, b) => (place.get(a.path) ?? 0) - (place.get(b.path) ?? 0))
  return { files, refused, totals: totalsOf(files) }
}

/** Takes files from a queue until they are many bytes; those that need what this batch does to be done wait. */
async function takeBatch(
  repo: Repo,
  change: Change,
  queue: Queue,
  { all = false, onBegin }: ImportOptions,
): Promise<(Imported | Refused)[]> {
  const batch: (Imported | Refused)[] = []
  const touched = new Set<string>()
  const indexer = await Indexer.begin(change.backend, change.transaction)
  let bytes = 0
  while (bytes < BATCH && queue.first && !repo.stopped) {
    const found = await look(change.backend, queue.first, { all, seen: repo.env.now() })
    if (found && 'stat' in found) {
      // What this batch did to a session is seen by the next one.
      const waits = found.ids.some((id) => touched.has(id))
      for (const id of found.ids) touched.add(id)
      if (waits) {
        queue.defer()
        continue
      }
      onBegin?.(found.path, found.stat.size)
      const taking = { indexer, onBytes: (read: number) => queue.tell(read) }
      const file = await orRefused(found.path, () => takeFile(repo, change, found, taking))
      batch.push(file)
      if (!('error' in file)) {
        touched.add(file.session)
        bytes += file.newObjects > 0 ? file.bytes : 0
      }
    } else if (found) batch.push(found)
    queue.drop()
  }
  queue.recall()
  await indexer.end()
  return batch
}

/** What is still to be taken; its first may be looked at before it is dropped. */
class Queue {
  #open: readonly Candidate[]
  #at = 0
  #deferred: Candidate[] = []
  readonly #onProgress: ImportOptions['onProgress']
  readonly #ofFiles: number
  readonly #ofBytes: number
  #files = 0
  #bytes = 0

  constructor(all: readonly Candidate[], onProgress: ImportOptions['onProgress']) {
    this.#open = all
    this.#onProgress = onProgress
    this.#ofFiles = all.length
    this.#ofBytes = all.reduce((sum, { size }) => sum + size, 0)
    this.tell(0)
  }

  get first(): Candidate | undefined {
    return this.#open[this.#at]
  }

  drop(): void {
    this.#bytes += this.first?.size ?? 0
    this.#files++
    this.#at++
    this.tell(0)
  }

  /** Puts the first aside. */
  defer(): void {
    if (this.first) this.#deferred.push(this.first)
    this.#at++
  }

  /** Puts what was put aside before all else, in its order. */
  recall(): void {
    if (this.#deferred.length === 0) return
    this.#open = [...this.#deferred, ...this.#open.slice(this.#at)]
    this.#deferred = []
    this.#at = 0
  }

  /** Tells how far it is, with so many bytes read of the first. */
  tell(read: number): void {
    const [files, bytes] = [this.#files, this.#bytes + read]
    this.#onProgress?.({ files, bytes, ofFiles: this.#ofFiles, ofBytes: this.#ofBytes })
  }
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

interface Candidate {
  readonly path: string
  /** Whether the user named the file itself. */
  readonly named: boolean
  /** In bytes. */
  readonly size: number
  /** Why it cannot be taken. */
  readonly error?: SessError
}

/** Gives what is to be looked at. The store's own files are no sources. */
function* candidates(paths: readonly string[], all: boolean, own: string): Generator<Candidate> {
  for (const path of paths) {
    const kind = kindOf(path)
    if (kind === 'missing') yield { path, named: true, size: 0, error: new SessError('no-path', path) }
    else if (kind === 'other')
      yield { path, named: true, size: 0, error: unreadable(path, 'it is no regular file') }
    else if (kind === 'file') yield { path, named: true, size: statOf(path).size }
    else
      for (const { path: file, size, error } of filesBelow(path, own))
        if (error !== undefined)
          yield { path: file, named: false, size, error: unreadable(file, error.message, error) }
        else if (!isCredential(nameOf(file)) && (all || mayHold(file)))
          yield { path: file, named: false, size }
  }
}

const unreadable = (path: string, detail: string, cause?: unknown): SessError =>
  new SessError('unreadable-path', path, { detail, cause })

/** Tells by its name whether a file in a folder is worth looking into without `all`. */
const mayHold = (path: string): boolean => /\.(?:jsonl|ndjson|json)$/i.test(path)

/**
 * Looks at a file: gives what is known of it where it is as it was, what there is to take, or why it cannot be taken;
 * undefined where it is none of ours.
 */
async function look(
  backend: Backend,
  { path, named, error }: Candidate,
  { all, seen }: { readonly all: boolean; readonly seen: number },
): Promise<Imported | Refused | Source | undefined> {
  if (error) return { path, error }
  return orRefused(path, async () => {
    const stat = statOf(path)
    const known = await noted(backend, path, stat)
    if (known) return known
    const sample = sampleOf(nameOf(path), headOf(path, Math.min(HEAD, stat.size)), stat.size, folderOf(path))
    const format = detectFormat(sample)
    if (!named && !all && !format.conversational && !holdsConversation(sample)) return undefined
    const native = sessionIdOf(format, sample)
    const former = await sessionOfPath(backend, path)
    const ids = former === undefined ? [native] : [former, native]
    return { path, stat, sample, format, native, ids, seen }
  })
}

/** Runs work that reads a file; where the system does not let it, the file is refused. */
async function orRefused<T>(path: string, work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work()
  } catch (error) {
    if (!isOfSystem(error)) throw error
    return { path, error: unreadable(path, error.message, error) }
  }
}

/** Tells an error of the operating system: it has a number. */
const isOfSystem = (error: unknown): error is Error =>
  error instanceof Error && 'errno' in error && 'syscall' in error
