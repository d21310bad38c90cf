import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { IDENTITY_HINT, isMissing, namesIn } from './directory.ts'

/** Returns the numbers of the databases in a folder, in order. */
export function databasesIn(dir: string): number[] {
  try {
    const names = readdirSync(dir).flatMap((name) => /^db\.(\d+)$/.exec(name)?.[1] ?? [])
    return names.map(Number).sort((a, b) => a - b)
  } catch (error) {
    if (isMissing(error)) return []
    throw new SessError('unreadable-path', dir, { cause: error })
  }
}

/** Returns the number of the newest database in a folder up to `most`, undefined where there is none. */
export const newestDatabase = (dir: string, most: number): number | undefined =>
  databasesIn(dir).findLast((number) => number <= most)

/**
 * Tells whether a folder without an identity was a store once. One that is only half made has neither a journal nor a
 * second database, because both come after the identity.
 */
export const wasStore = (dir: string): boolean =>
  existsSync(join(dir, 'refs.journal')) || databasesIn(dir).some((number) => number > 1)

/** Returns the error of a folder that was a store and lacks its identity. */
export const missingIdentityError = (dir: string): SessError =>
  new SessError('corrupt', `'${join(dir, 'sess.json')}' is missing, though a store lies there`, {
    hint: IDENTITY_HINT,
  })

/** Tells whether a folder is a backup: it is written to only by the next backup, and is read as a copy. */
export const isBackup = (dir: string): boolean =>
  namesIn(dir).some((name) => /^backup\.\d+\.json$/.test(name))

/** Throws `cannot-write` where a folder is a backup. */
export function refuseBackup(dir: string): void {
  if (isBackup(dir))
    throw new SessError('cannot-write', dir, {
      detail: 'it is a backup',
      hint: "make a store of it: 'sess backup --restore BACKUP --store DIR'",
    })
}
