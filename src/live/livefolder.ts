import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolders } from '../files/makefolders.ts'

/**
 * The files in the folder of what is set up for a user: private, beside the stores, so that hooks work where no store is
 * there yet or none can be opened. Loaded by hooks: it imports nothing but the file system.
 */
export const LIVE = {
  /** Starts sess, from wherever it is installed now. */
  launcher: 'sess',
  /** The notes of hooks that are not settled yet. */
  spool: 'spool',
  /** The state in which each session was saved last, for statuslines. */
  saved: 'saved',
  /** The process that settles. */
  lock: 'settler.lock',
  /** The faults of settlers, a line of JSON each. */
  faults: 'faults.jsonl',
  /** The notes of hooks about agents that were started for one run, a file each. */
  runs: 'runs',
  /** The extensions of agents that take one for one run. */
  extensions: 'extensions',
  /** The record of a set-up. */
  setup: 'setup.json',
} as const

/** The age from which the lock of a settler that does not renew it counts as abandoned, in milliseconds. */
const MAX_SILENCE = 5000

/** The most bytes of a small file of this folder that are read. */
const MAX_READ = 1 << 20

/** Writes a private file of a new name, so that no reader sees a part of it. */
export function putFile(folder: string, name: string, text: string): void {
  const temporary = join(folder, `.${name}.${process.pid}`)
  const file = create(temporary, folder)
  try {
    writeFileSync(file, text)
    renameSync(temporary, join(folder, name))
  } catch (error) {
    unlinkSync(temporary)
    throw error
  } finally {
    closeSync(file)
  }
}

function create(path: string, folder: string): number {
  try {
    return openSync(path, 'wx', 0o600)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    makePrivateFolders(folder)
    return openSync(path, 'wx', 0o600)
  }
}

/** Returns the text of a file that is not longer than a limit; undefined where there is none, and for links. */
export function textOf(path: string, most = MAX_READ): string | undefined {
  try {
    const stats = lstatSync(path)
    return stats.isFile() && stats.size <= most ? readFileSync(path, 'utf8') : undefined
  } catch {
    return undefined
  }
}

/** Appends to a private file; returns its size. */
export function appendPrivate(path: string, text: string): number {
  const file = openSync(path, 'a', 0o600)
  try {
    writeFileSync(file, text)
    return fstatSync(file).size
  } finally {
    closeSync(file)
  }
}

/** Reads a descriptor to its end, or until it gave more than a limit. */
export function readAll(descriptor: number, most: number): string {
  const chunks: Buffer[] = []
  const chunk = Buffer.allocUnsafe(64 << 10)
  for (let read = 0; read <= most; ) {
    const got = readSome(descriptor, chunk)
    if (got === 0) break
    chunks.push(Buffer.from(chunk.subarray(0, got)))
    read += got
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** How often a descriptor is asked again that has nothing to read yet, and the milliseconds in between. */
const [MAX_TRIES, PAUSE] = [100, 5]

function readSome(descriptor: number, chunk: Buffer): number {
  for (let tries = 0; tries < MAX_TRIES; tries++)
    try {
      return readSync(descriptor, chunk)
    } catch (error) {
      if (codeOf(error) !== 'EAGAIN') return 0
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
    }
  return 0
}

/** Returns the names of the files in a folder, oldest first where the names begin with times. */
export function namesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => !name.startsWith('.'))
      .sort()
  } catch {
    return []
  }
}

/** Returns whether a settler runs that renews its lock. */
export function isSettling(folder: string, now: number): boolean {
  const lock = join(folder, LIVE.lock)
  try {
    return now - lstatSync(lock).mtimeMs < MAX_SILENCE && isRunning(Number(readFileSync(lock, 'latin1')))
  } catch {
    return false
  }
}

/** Becomes the settler; returns false where another process is. */
export function acquireSettling(folder: string, now: number): boolean {
  const lock = join(folder, LIVE.lock)
  for (let tries = 0; tries < 2; tries++)
    try {
      createLock(lock)
      return true
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
      // A process that was just started has not written its number yet.
      if (isSettling(folder, now) || isFresh(lock, now)) return false
      unlinkSync(lock)
    }
  return false
}

/** Creates a lock; on a full disk there would be one without its process. */
function createLock(lock: string): void {
  const file = openSync(lock, 'wx', 0o600)
  try {
    writeFileSync(file, `${process.pid}`)
  } catch (error) {
    unlinkSync(lock)
    throw error
  } finally {
    closeSync(file)
  }
}

const isFresh = (lock: string, now: number): boolean => {
  const stats = lstatSync(lock, { throwIfNoEntry: false })
  return stats !== undefined && stats.size === 0 && now - stats.mtimeMs < MAX_SILENCE
}

/** Shows others that this process still settles; returns false where another one has taken over. */
export function renewSettling(folder: string, now: number): boolean {
  const lock = join(folder, LIVE.lock)
  if (!isOwn(lock)) return false
  utimesSync(lock, now / 1000, now / 1000)
  return true
}

export function releaseSettling(folder: string): void {
  const lock = join(folder, LIVE.lock)
  if (isOwn(lock)) unlinkSync(lock)
}

const isOwn = (lock: string): boolean => textOf(lock) === `${process.pid}`

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Returns the name under which the state of a session's file is kept: a hash of its path that needs no package. */
export function savedName(path: string): string {
  let [a, b] = [0x811c9dc5, 0x01000193]
  for (let i = 0; i < path.length; i++) {
    const unit = path.charCodeAt(i)
    a = Math.imul(a ^ unit, 0x01000193)
    b = Math.imul(b ^ (unit + i), 0x85ebca6b)
  }
  return `${(a >>> 0).toString(16).padStart(8, '0')}${(b >>> 0).toString(16).padStart(8, '0')}.json`
}

/** Returns the code of an error of the system. */
const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined
