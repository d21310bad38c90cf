import { chmodSync, lstatSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { isMissing, namesIn } from './folder.ts'

/** Whether others could look into a store's folder before it was opened: then they no longer can, unless it says so. */
export type Exposure = 'private' | 'was-exposed' | 'exposed'

const OTHERS = 0o077
const FOLDER = 0o700
const FILE = 0o600

/**
 * Makes a store's folder private where others could look into it, and all that is in it, and tells whether they could.
 * A store of somebody else, or on a medium that nobody can write to, stays as it is and may still be read.
 */
export function tighten(dir: string): Exposure {
  if ((statSync(dir).mode & OTHERS) === 0) return 'private'
  try {
    chmodSync(dir, FOLDER)
    tightenFiles(dir)
    return 'was-exposed'
  } catch (error) {
    if (isForbidden(error)) return 'exposed'
    throw new SessError('unreadable-path', dir, { cause: error })
  }
}

const THERE = { throwIfNoEntry: false } as const

/** Makes all files in a folder and those below it private: those that are not removed meanwhile. */
function tightenFiles(dir: string): void {
  for (const name of namesIn(dir)) {
    const path = join(dir, name)
    const stats = lstatSync(path, THERE)
    if (stats?.isDirectory()) {
      tightenFile(path, FOLDER)
      tightenFiles(path)
    } else if (stats) tightenFile(path, FILE)
  }
}

function tightenFile(path: string, mode: number): void {
  try {
    const stats = lstatSync(path)
    // What a link leads to is another's.
    if (!stats.isSymbolicLink() && (stats.mode & OTHERS) !== 0) chmodSync(path, mode)
  } catch (error) {
    // Another process removes what it no longer needs at any time.
    if (!isMissing(error)) throw error
  }
}

const isForbidden = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EPERM' || error.code === 'EROFS')

const TABLE = /^(\d+)\.(?:ldb|sst)$/

const tablesOf = (names: readonly string[]): string[] =>
  names.filter((name) => TABLE.test(name)).sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))

/**
 * Keeps the files of a LevelDB private, which makes them as the process makes files. To be called before it is opened,
 * and what it gives once it is closed. Looks at what is new alone, and at all files where a process was killed before it
 * came to that.
 */
export function keepPrivate(folder: string): () => void {
  tightenFile(folder, FOLDER)
  const before = namesIn(folder)
  const newest = tablesOf(before).at(-1)
  const mode = newest === undefined ? 0 : (lstatSync(join(folder, newest), THERE)?.mode ?? 0)
  if ((mode & OTHERS) !== 0) tightenFiles(folder)
  const known = new Set(tablesOf(before))
  return () => {
    // The next process may have opened it since, and removed it for another one.
    for (const name of namesIn(folder)) if (!known.has(name)) tightenFile(join(folder, name), FILE)
  }
}
