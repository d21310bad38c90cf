import { readdirSync, readFileSync, readlinkSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/** Linux lists all locks there: `6: POSIX  ADVISORY  WRITE <pid> <device>:<inode> 0 EOF`. */
const LOCKS = '/proc/locks'

const hex = (number: number): string => number.toString(16).padStart(2, '0')

/** Returns the name of a file in that list, made of the number of its device (makedev(3)) and its inode. */
function nameOf({ dev, ino }: Stats): string {
  const minor = (dev & 0xff) | ((dev >>> 12) & ~0xff)
  return ` ${hex((dev >>> 8) & 0xfff)}:${hex(minor)}:${ino} `
}

/**
 * Tells whether a process is seen to hold the lock of the database in a folder. Opening the database tells the same and
 * takes milliseconds, for all of its log is read first. Reading the list takes milliseconds too, so this is asked only of
 * a database that another process may hold.
 */
export function isLocked(folder: string): boolean {
  const lock = statSync(join(folder, 'LOCK'), { throwIfNoEntry: false })
  return lock !== undefined && readOrNothing(LOCKS).includes(nameOf(lock))
}

/** Where Linux lists the open files of this process, and the locks that it holds on each. */
const FILES = '/proc/self/fd'
const DETAILS = '/proc/self/fdinfo'

/**
 * Tells whether the system shows the lock that this process holds on the database in a folder, given by its real path.
 * Where it does not, locks may do nothing there, or the system does not tell. This takes 0.3 ms, a tenth of the above.
 */
export function hasVisibleLock(folder: string): boolean {
  const lock = join(folder, 'LOCK')
  return filesOf(lock).some((file) => /^lock:.*\bWRITE\b/m.test(readOrNothing(`${DETAILS}/${file}`)))
}

/** Returns the descriptors of this process that are open on a file. */
function filesOf(path: string): string[] {
  try {
    return readdirSync(FILES).filter((file) => linkOf(`${FILES}/${file}`) === path)
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
