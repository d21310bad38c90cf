import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { SessError } from '../model/errors.ts'
import { writeError } from '../model/writeerror.ts'
import { isAlive } from './replacefile.ts'

/** The time in milliseconds to wait for another process, and between two attempts. */
const [MAX_WAIT, INTERVAL] = [5000, 10]

/**
 * Runs work that reads and replaces a file, alone among the processes that do so by this function. The lock is a file
 * beside it with the id of its process: one that a killed process left is removed. Throws as the work, and `cannot-write`
 * where the lock cannot be made or another process keeps it.
 */
export async function whileLocked<T>(path: string, work: () => T): Promise<T> {
  const lock = `${path}.lock`
  const end = Date.now() + MAX_WAIT
  while (!create(lock, path)) {
    removeAbandoned(lock)
    if (Date.now() > end)
      throw new SessError('cannot-write', path, {
        detail: 'another process is changing it',
        hint: `if none is, remove '${lock}'`,
      })
    await setTimeout(INTERVAL)
  }
  try {
    return work()
  } finally {
    rmSync(lock, { force: true })
  }
}

/** Creates the lock; returns false where there is one. */
function create(lock: string, path: string): boolean {
  try {
    // 'wx' does not follow a link and does not open an existing file.
    writeFileSync(lock, `${process.pid}`, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw writeError(path, error)
  }
}

/** Removes the lock of a process that is no more. */
function removeAbandoned(lock: string): void {
  const holder = holderOf(lock)
  if (holder === undefined || isAlive(holder)) return
  const aside = `${lock}.${process.pid}`
  try {
    renameSync(lock, aside)
    // Another process may have removed it first, and made its own.
    if (holderOf(aside) !== holder) linkSync(aside, lock)
  } catch {
    // It is gone, or there is another: the next attempt sees which.
  }
  rmSync(aside, { force: true })
}

/** Returns the process that holds a lock; undefined where the lock is gone or is being written. */
function holderOf(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, 'utf8')) || undefined
  } catch {
    return undefined
  }
}
