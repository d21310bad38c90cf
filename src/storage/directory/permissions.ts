import { chmodSync, lstatSync, mkdirSync, type Stats, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { isMissing, namesIn } from './files.ts'
import { checkFolder, isForeign } from './safefile.ts'

/** Whether others could enter a store's folder before it was opened. Access is removed, except on read-only media. */
export type Exposure = 'private' | 'was-exposed' | 'exposed'

const OTHERS = 0o077
const FOLDER = 0o700
const FILE = 0o600

const THERE = { throwIfNoEntry: false } as const

/** Returns whether other users may enter a folder. */
export const isExposed = (dir: string): boolean => (statSync(dir).mode & OTHERS) !== 0

/** Returns whether a folder belongs to a user and is accessible to nobody else: its parent may be world-writable. */
export function isUserFolder(folder: string, uid: number): boolean {
  try {
    const stats = lstatSync(folder, THERE)
    return stats?.isDirectory() === true && stats.uid === uid && (stats.mode & OTHERS) === 0
  } catch {
    return false // below a file, or in a folder of another user, as variables are after `su`
  }
}

/** Makes such a folder where it is missing, and returns whether there is one. */
export function makeUserFolder(folder: string, uid: number): boolean {
  try {
    mkdirSync(folder, { mode: FOLDER })
  } catch {
    // It is there, or cannot be made.
  }
  return isUserFolder(folder, uid)
}

/**
 * Makes a store's folder and all that is in it private where others could enter it, and returns whether they could.
 * Must be called before anything is written there. A store on a read-only medium stays as it is and may be read. Throws
 * `cannot-write` where the permissions cannot be changed, as those of another user's folder.
 */
export function makePrivate(dir: string, chmod = chmodSync): Exposure {
  if (!isExposed(dir)) return 'private'
  try {
    chmod(dir, FOLDER)
    makeFilesPrivate(dir, chmod)
    return 'was-exposed'
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    if (code === 'EROFS') return 'exposed'
    throw new SessError('cannot-write', dir, {
      detail: `others can enter it, and its permissions cannot be changed: ${message}`,
      hint: `let its owner type 'chmod -R go= ${dir}'; nothing was written`,
      cause,
    })
  }
}

/** Makes all files in a folder and those below it private, except those that are removed meanwhile. */
function makeFilesPrivate(dir: string, chmod = chmodSync): void {
  const folder = statSync(dir, THERE)
  for (const name of folder ? namesIn(dir) : []) {
    const path = join(dir, name)
    makeFilePrivate(path, chmod, folder)
    if (lstatSync(path, THERE)?.isDirectory()) makeFilesPrivate(path, chmod)
  }
}

/**
 * Changes neither the target of a link, nor a device or a socket, nor a file with a second name, which may be any file:
 * only tables have one, in snapshots and backups.
 */
function makeFilePrivate(path: string, chmod = chmodSync, folder?: Stats): void {
  try {
    const stats = lstatSync(path)
    if ((!stats.isFile() && !stats.isDirectory()) || (stats.mode & OTHERS) === 0) return
    if (stats.isFile() && stats.nlink > 1 && !TABLE.test(basename(path))) return
    if (folder && isForeign(basename(path), stats, folder, process.geteuid?.() ?? stats.uid)) return
    chmod(path, stats.isDirectory() ? FOLDER : FILE)
  } catch (error) {
    // Another process removes what it no longer needs at any time.
    if (!isMissing(error)) throw error
  }
}

const TABLE = /^(\d+)\.(?:ldb|sst)$/

const tablesOf = (names: readonly string[]): string[] =>
  names.filter((name) => TABLE.test(name)).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))

/**
 * Keeps the files of a LevelDB private, which creates them with the process's umask. To be called before the database
 * is opened, and the returned function once it is closed. Looks only at new files, except where a process was killed
 * before it did. Throws `corrupt` where the folder is a link.
 */
export function keepPrivate(folder: string): () => void {
  checkFolder(folder)
  makeFilePrivate(folder)
  const before = namesIn(folder)
  const newest = tablesOf(before).at(-1)
  const mode = newest === undefined ? 0 : (lstatSync(join(folder, newest), THERE)?.mode ?? 0)
  if ((mode & OTHERS) !== 0) makeFilesPrivate(folder)
  const known = new Set(tablesOf(before))
  return () => {
    const stats = statSync(folder, THERE)
    // The next process may have opened it since, and removed it for another one.
    for (const name of namesIn(folder))
      if (!known.has(name)) makeFilePrivate(join(folder, name), chmodSync, stats)
  }
}
