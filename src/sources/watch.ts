import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { mayBeDatabase } from './databases.ts'
import { type FileStat, type FoundFile, filesBelow, kindOf } from './files.ts'
import { discover, type SessionFolder } from './sessionfolders.ts'
import { databaseStat } from './sqlite.ts'

/** Looking takes at most a quarter of the time, and a tenth where nothing happens, however many files there are. */
const BUSY = 3
const IDLE = 9
/** But at least so many milliseconds lie between two looks, where nothing tells that something was written. */
const PAUSE = 500
/** What is written in one go is looked at in one go, after so many milliseconds. */
const GATHER = 20
/** The folders of so many files, those written to last, are asked to tell what is written to them. */
const WARM = 512

/**
 * Gives files that were added or changed since they were given last, beginning with all that are there, until the signal
 * aborts. Stats are the truth: what the system tells of folders only has them taken earlier. A file that cannot be
 * reached for a while, or is put in another's place, is given when it is there again; one that is put aside under a name
 * that no session has, once more where it was written to since.
 */
export async function* watchFolders(
  places: readonly SessionFolder[],
  signal: AbortSignal,
): AsyncGenerator<FoundFile[]> {
  const seen = new FileStates()
  const bell = new FolderWatchers()
  try {
    while (!signal.aborted) {
      const begun = performance.now()
      const files = discover(places).flatMap((found) => found.files)
      const changed = seen.changed(files)
      bell.listen([...places.map(({ folder }) => folder), ...warm(files, places)])
      const took = performance.now() - begun
      if (changed.length > 0) yield changed
      // Taking a large file in again and again takes no more than half of the time either.
      const taking = performance.now() - begun - took
      const least = Math.max(took * BUSY, taking)
      await bell.wait(least, Math.max(PAUSE, took * IDLE, least), signal)
    }
  } finally {
    bell.listen([])
  }
}

/** Gives what tells one state of a file from another. */
function stampOf(file: FoundFile): string {
  const { size, mtime, inode } = mayBeDatabase(file.path) && !file.error ? databaseStamp(file) : file
  return `${size} ${mtime} ${inode} ${file.error?.message ?? ''}`
}

/** A database is written to beside itself first; while it is put in place, it may be gone. */
function databaseStamp(file: FoundFile): FileStat {
  try {
    return databaseStat(file.path)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return file
    throw error
  }
}

/** What files looked like when they were looked at last. */
class FileStates {
  #known = new Map<string, { readonly file: FoundFile; readonly stamp: string }>()

  /** Gives those files that look otherwise now, and those that were put aside. What is gone and comes back is new. */
  changed(found: readonly FoundFile[]): FoundFile[] {
    const known = this.#known
    const byInode = new Map([...known.values()].map(({ file }) => [file.inode, file]))
    const files = found.map((file) => {
      const before = known.get(file.path)?.file ?? byInode.get(file.inode)
      const former = before?.former ?? (before?.path === file.path ? undefined : before?.path)
      return former === undefined || file.error ? file : { ...file, former }
    })
    this.#known = new Map(files.map((file) => [file.path, { file, stamp: stampOf(file) }]))
    const there = new Set(found.map(({ inode }) => inode))
    const gone = [...byInode.values()].filter(({ inode, error }) => !error && !there.has(inode))
    const changed = files.filter(({ path }) => known.get(path)?.stamp !== this.#known.get(path)?.stamp)
    return [...changed, ...putAside(gone)]
  }
}

/** Gives files that are found no more, where they lie under other names beside these and were written to since. */
function putAside(gone: readonly FoundFile[]): FoundFile[] {
  const byInode = new Map(gone.map((file) => [file.inode, file]))
  return [...new Set(gone.map(({ path }) => dirname(path)))]
    .filter((folder) => kindOf(folder) === 'folder')
    .flatMap((folder) => [...filesBelow(folder, { flat: true })])
    .flatMap((file) => {
      const before = byInode.get(file.inode)
      return file.error || !before || file.size <= before.size ? [] : [{ ...file, former: before.path }]
    })
}

/** Gives the folders of the files written to last, and those that lead to them: where the next ones will be. */
function warm(files: readonly FoundFile[], places: readonly SessionFolder[]): string[] {
  const roots = new Set(places.map(({ folder }) => folder))
  const folders = new Set<string>()
  for (const { path } of files.toSorted((a, b) => b.mtime - a.mtime).slice(0, WARM))
    for (let at = dirname(path); !folders.has(at) && !roots.has(at) && at !== dirname(at); at = dirname(at))
      folders.add(at)
  return [...folders]
}

/** Rings when something is written to one of some folders, as far as the system tells. */
class FolderWatchers {
  readonly #watchers = new Map<string, FSWatcher>()
  #rung = new AbortController()

  /** Listens to these folders and no others. One that cannot be listened to is looked at in time all the same. */
  listen(folders: readonly string[]): void {
    const wanted = new Set(folders)
    for (const [folder, watcher] of this.#watchers)
      if (!wanted.has(folder)) {
        watcher.close()
        this.#watchers.delete(folder)
      }
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#listenTo(folder)
  }

  #listenTo(folder: string): void {
    const forget = (): void => {
      this.#watchers.get(folder)?.close()
      this.#watchers.delete(folder)
    }
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#rung.abort())
      this.#watchers.set(folder, watcher.on('error', forget))
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
    }
  }

  /** Waits so many milliseconds, then for the bell, but no longer than so many in all, or until a signal aborts. */
  async wait(least: number, most: number, signal: AbortSignal): Promise<void> {
    await until(least, signal)
    await until(Math.max(0, most - least), AbortSignal.any([signal, this.#rung.signal]))
    if (this.#rung.signal.aborted) await until(GATHER, signal)
    this.#rung = new AbortController()
  }
}

/** Waits so many milliseconds, or until a signal aborts. */
const until = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
