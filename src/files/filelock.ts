import { linkSync, lstatSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { SessError } from '../model/errors.ts'
import { writeError } from '../model/writeerror.ts'
import { isAlive, NO_LINKS, removeLeftovers, temporaryPath } from './replacefile.ts'

/** The time in milliseconds to wait for another process, and between two attempts. */
const [MAX_WAIT, INTERVAL] = [5000, 10]

/** The age in milliseconds from which a lock without a readable holder counts as abandoned. */
const MAX_UNREADABLE_AGE = 3000

/**
 * Runs work that reads and replaces a file, alone among the processes that do so by this function. The lock is a file
 * beside it with the id of its process: one that a killed process left is removed. Throws as the work, and `cannot-write`
 * where the lock cannot be made or another process keeps it.
 */
export async function whileLocked<T>(path: string, work: () => T): Promise<T> {
  const lock = `${path}.lock`
  const end = Date.now() + MAX_WAIT
  removeLeftovers(dirname(lock), lock)
  while (!create(lock, path)) {
    removeAbandoned(lock, path)
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
    release(lock)
  }
}

/**
 * Creates a lock with its holder in one step, so that a process that is killed meanwhile leaves no lock without one.
 * Returns false where there is a lock.
 */
function create(lock: string, path: string): boolean {
  const temporary = temporaryPath(lock)
  try {
    // 'wx' does not follow a link and does not open an existing file.
    writeFileSync(temporary, `${process.pid}`, { flag: 'wx', mode: 0o600 })
    link(temporary, lock)
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw writeError(path, error)
  } finally {
    rmSync(temporary, { force: true })
  }
}

/** Links a lock to its name. Throws EEXIST where there is a lock. */
function link(temporary: string, lock: string): void {
  try {
    linkSync(temporary, lock)
  } catch (error) {
    if (!NO_LINKS.has(codeOf(error))) throw error
    // Without hard links the lock has no holder for a moment.
    writeFileSync(lock, `${process.pid}`, { flag: 'wx', mode: 0o600 })
  }
}

/**
 * Removes an abandoned lock under a second lock, which is taken over in the same way: of two processes that find a lock
 * abandoned, the later one could else remove the lock that the earlier one has made since.
 */
function removeAbandoned(lock: string, path: string): void {
  if (!isAbandoned(lock)) return
  const takeover = `${lock}.takeover`
  if (!create(takeover, path)) return removeAbandoned(takeover, path)
  try {
    if (isAbandoned(lock)) rmSync(lock, { force: true })
  } catch (error) {
    throw writeError(path, error)
  } finally {
    release(takeover)
  }
}

/** Removes a lock of this process. Another process has it where somebody removed it meanwhile. */
function release(lock: string): void {
  if (holderOf(lock) === process.pid) rmSync(lock, { force: true })
}

/** Returns whether the holder of a lock is no more, or none can be read in an old lock. */
function isAbandoned(lock: string): boolean {
  const holder = holderOf(lock)
  if (holder !== undefined) return !isAlive(holder)
  const stats = lstatSync(lock, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.mtimeMs > MAX_UNREADABLE_AGE
}

/** Returns the process that holds a lock; undefined where the lock is gone or names none. */
function holderOf(lock: string): number | undefined {
  try {
    const text = readFileSync(lock, 'latin1')
    return /^[1-9]\d*$/.test(text) ? Number(text) : undefined
  } catch {
    return undefined
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''
