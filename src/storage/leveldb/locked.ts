import { readFileSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/** Where Linux says which process has a lock on which file: `6: POSIX ADVISORY WRITE <pid> <device>:<inode> 0 EOF`. */
const LOCKS = '/proc/locks'

const hex = (number: number): string => number.toString(16).padStart(2, '0')

/** Gives how a file is named there, by the numbers of its device (makedev(3)) and its own. */
function nameOf({ dev, ino }: Stats): string {
  const minor = (dev & 0xff) | ((dev >>> 12) & ~0xff)
  return ` ${hex((dev >>> 8) & 0xfff)}:${hex(minor)}:${ino} `
}

/**
 * Tells whether a process is seen to have the database in a folder. Where none is seen it has to be tried, which takes
 * milliseconds: all that is in the log is looked at before. To be asked of a database that another process may have: the
 * system itself takes milliseconds where it was not asked shortly before.
 */
export function isSeenLocked(folder: string): boolean {
  const lock = statSync(join(folder, 'LOCK'), { throwIfNoEntry: false })
  return lock !== undefined && locks().includes(nameOf(lock))
}

function locks(): string {
  try {
    return readFileSync(LOCKS, 'latin1')
  } catch {
    return '' // another system, or one that does not say
  }
}
