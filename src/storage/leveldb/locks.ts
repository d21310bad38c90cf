import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../directory/files.ts'
import { hex8, isRunning, processName } from '../directory/processname.ts'

/** Linux lists all locks there: `6: POSIX  ADVISORY  WRITE <pid> <device>:<inode> 0 EOF`. */
const LOCKS = '/proc/locks'

const hex = (number: number): string => number.toString(16).padStart(2, '0')

/** Returns the name of a file in that list, made of the number of its device (makedev(3)) and its inode. */
function lockName({ dev, ino }: Stats): string {
  const minor = (dev & 0xff) | ((dev >>> 12) & ~0xff)
  return ` ${hex((dev >>> 8) & 0xfff)}:${hex(minor)}:${ino} `
}

/**
 * Returns whether the system shows that a process holds the lock of the database in a folder. Opening the database
 * would show it too, but reads all of its log first. Reading the list of locks takes milliseconds, so this is called
 * only where another process may hold the database.
 */
export function isLocked(folder: string): boolean {
  const lock = statSync(join(folder, 'LOCK'), { throwIfNoEntry: false })
  return lock !== undefined && readOrNothing(LOCKS).includes(lockName(lock))
}

/** Where Linux lists the open files of this process, and the locks that it holds on each. */
const FILES = '/proc/self/fd'
const DETAILS = '/proc/self/fdinfo'

/**
 * Returns whether the system shows the lock that this process holds on the database in a folder, given by its real
 * path. Where it does not, locks may do nothing there, or the system does not tell. This takes 0.3 ms, a tenth of the
 * above.
 */
export function hasVisibleLock(folder: string): boolean {
  const lock = join(folder, 'LOCK')
  // The lock was just taken: its descriptor is one of the last.
  return descriptors().some(
    (file) =>
      linkOf(`${FILES}/${file}`) === lock && /^lock:.*\bWRITE\b/m.test(readOrNothing(`${DETAILS}/${file}`)),
  )
}

/** Returns the descriptors of this process, the highest first. */
function descriptors(): number[] {
  try {
    return readdirSync(FILES)
      .map(Number)
      .sort((a, b) => b - a)
  } catch {
    return [] // another system
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined // it was closed meanwhile
  }
}

function readOrNothing(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return '' // another system, or one that does not tell
  }
}

/** `OWNER.<process>.<thread>.<random>`: no two claims have the same name, so that one that is over stays over. */
const CLAIM_NAME = /^OWNER\.([^.]+)\.([0-9a-f]+)\.[0-9a-f]+$/

/** Returns 8 hex digits. They need only differ, and loading `node:crypto` before LevelDB opens delays each command. */
function randomName(): string {
  return hex8(Math.random() * 2 ** 32)
}

const CLAIMS = Symbol.for('sess.claims')

/** The name of this thread in claims, and the names of the claims that it has: shared by all copies of this module. */
const { thread: ownThread, held } = ((globalThis as { [CLAIMS]?: ThreadClaims })[CLAIMS] ??= {
  // The thread's number would do, and its module costs each command 0.6 ms.
  thread: randomName(),
  held: new Set(),
})

interface ThreadClaims {
  readonly thread: string
  readonly held: Set<string>
}

/**
 * Claims the database in a folder for this process, where locks may do nothing. Returns the name of the claim, to be
 * released once the database is closed, or undefined where another process or thread has one. Each makes its claim
 * first and looks for others then: of two that do so at once, at least one sees the other.
 */
export function claimDatabase(folder: string): string | undefined {
  const own = `OWNER.${processName()}.${ownThread}.${randomName()}`
  closeSync(openSync(join(folder, own), 'wx', 0o600))
  const others = namesIn(folder).filter((name) => name !== own && CLAIM_NAME.test(name))
  const isFree = others.every(isOver)
  for (const name of isFree ? others : [own]) rmSync(join(folder, name), { force: true })
  if (!isFree) return undefined
  held.add(own)
  return own
}

/**
 * Releases a claim. Where its file cannot be removed, this thread knows that the claim is over, and others do once the
 * process has ended.
 */
export function releaseClaim(folder: string, own: string): void {
  held.delete(own)
  try {
    unlinkSync(join(folder, own))
  } catch {
    // The next claim removes it.
  }
}

/** Returns whether another process claims the database in a folder. */
export const isClaimed = (folder: string): boolean =>
  namesIn(folder).some((name) => CLAIM_NAME.test(name) && !isOver(name))

/** Removes claims of processes of which nothing is known: of another container, or of an earlier start of the machine. */
export function removeUnknownClaims(folder: string): void {
  for (const name of namesIn(folder)) {
    const [, process] = CLAIM_NAME.exec(name) ?? []
    if (process !== undefined && isRunning(process) === undefined) rmSync(join(folder, name), { force: true })
  }
}

/** Returns whether a claim is known to be over: its process has ended, or this thread released it. */
function isOver(name: string): boolean {
  const [, process = '', thread] = CLAIM_NAME.exec(name) ?? []
  return process === processName() && thread === ownThread ? !held.has(name) : isRunning(process) === false
}
