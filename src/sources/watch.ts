import { type FSWatcher, watch } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { mayBeDatabase } from './databases.ts'
import { type FileStat, type FoundFile, filesBelow, kindOf } from './files.ts'
import { discover, type SessionFolder } from './sessionfolders.ts'
import { databaseStat } from './sqlite.ts'

/** A scan is followed by a pause of this multiple of its duration: after an event, and without events. */
const BUSY = 3
const IDLE = 9
/** The minimum milliseconds between two scans without events. */
const PAUSE = 500
/** Milliseconds between an event and the scan, so that one scan sees writes that follow one another closely. */
const GATHER = 20
/** The number of most recently written files whose folders are watched. */
const WARM = 512

/**
 * Yields files that were added or changed since the last time, at first all files, until the signal aborts. Changes are
 * found by comparing stats; events of the operating system only make the next scan earlier. A file that was unreachable
 * or was replaced is yielded when it is there again. A file that was renamed to a name that no session has is yielded once
 * more if it was written to in between. Symbolic links are followed below `home`.
 */
export async function* watchFolders(
  places: readonly SessionFolder[],
  signal: AbortSignal,
  home?: string,
): AsyncGenerator<FoundFile[]> {
  const seen = new FileStates()
  const watchers = new FolderWatchers()
  try {
    while (!signal.aborted) {
      const begun = performance.now()
      const files = discover(places, home).flatMap((found) => found.files)
      const changed = seen.changed(files)
      watchers.watch([...places.map(({ folder }) => folder), ...warm(files, places)])
      const took = performance.now() - begun
      if (changed.length > 0) yield changed
      // The consumer's work, such as importing a large file repeatedly, takes at most half of the time too.
      const consumed = performance.now() - begun - took
      const least = Math.max(took * BUSY, consumed)
      await watchers.wait(least, Math.max(PAUSE, took * IDLE, least), signal)
    }
  } finally {
    watchers.watch([])
  }
}

/** Returns a text that differs between two states of a file. */
function stampOf(file: FoundFile): string {
  const { size, mtime, inode } = mayBeDatabase(file.path) && !file.error ? databaseStamp(file) : file
  return `${size} ${mtime} ${inode} ${file.error?.message ?? ''}`
}

/** Returns the stat of a database with its WAL. Falls back to that of the file while the database is being replaced. */
function databaseStamp(file: FoundFile): FileStat {
  try {
    return databaseStat(file.path)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) return file
    throw error
  }
}

/** The states of files at the last scan. */
class FileStates {
  #known = new Map<string, { readonly file: FoundFile; readonly stamp: string }>()

  /** Returns the files whose state differs, and those that were renamed. A file that vanished and is back counts as new. */
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
    return [...changed, ...renamedAndGrown(gone)]
  }
}

/** Returns the files that were renamed within their folders to names that no session has, and written to in between. */
function renamedAndGrown(gone: readonly FoundFile[]): FoundFile[] {
  const byInode = new Map(gone.map((file) => [file.inode, file]))
  return [...new Set(gone.map(({ path }) => dirname(path)))]
    .filter((folder) => kindOf(folder) === 'folder')
    .flatMap((folder) => [...filesBelow(folder, { flat: true })])
    .flatMap((file) => {
      const before = byInode.get(file.inode)
      return file.error || !before || file.size <= before.size ? [] : [{ ...file, former: before.path }]
    })
}

/** Returns the folders of the most recently written files and their parents, where new files are likely to appear. */
function warm(files: readonly FoundFile[], places: readonly SessionFolder[]): string[] {
  const roots = new Set(places.map(({ folder }) => folder))
  const folders = new Set<string>()
  for (const { path } of files.toSorted((a, b) => b.mtime - a.mtime).slice(0, WARM))
    for (let at = dirname(path); !folders.has(at) && !roots.has(at) && at !== dirname(at); at = dirname(at))
      folders.add(at)
  return [...folders]
}

/** Reports events of some folders, as far as the operating system supports it. */
class FolderWatchers {
  readonly #watchers = new Map<string, FSWatcher>()
  #event = new AbortController()

  /** Watches exactly these folders. Those that cannot be watched are still scanned. */
  watch(folders: readonly string[]): void {
    const wanted = new Set(folders)
    for (const [folder, watcher] of this.#watchers)
      if (!wanted.has(folder)) {
        watcher.close()
        this.#watchers.delete(folder)
      }
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#watchFolder(folder)
  }

  #watchFolder(folder: string): void {
    const forget = (): void => {
      this.#watchers.get(folder)?.close()
      this.#watchers.delete(folder)
    }
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#event.abort())
      this.#watchers.set(folder, watcher.on('error', forget))
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error
    }
  }

  /** Waits `least` milliseconds, then for an event, but at most `most` milliseconds in all, or until the signal aborts. */
  async wait(least: number, most: number, signal: AbortSignal): Promise<void> {
    await until(least, signal)
    await until(Math.max(0, most - least), AbortSignal.any([signal, this.#event.signal]))
    if (this.#event.signal.aborted) await until(GATHER, signal)
    this.#event = new AbortController()
  }
}

/** Waits some milliseconds, or until a signal aborts. */
const until = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  setTimeout(milliseconds, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
