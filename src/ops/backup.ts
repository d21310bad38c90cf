import { type BackedUp, backupProblems, makeBackup, restoreBackup } from '../repo/backup.ts'
import type { Env } from '../repo/env.ts'

export { isExposed } from '../repo/backup.ts'

/** Copies a store into a folder while others may write it; what an earlier backup there has is kept. */
export const backUp = (store: string, folder: string, { now }: Pick<Env, 'now'>, dryRun = false): BackedUp =>
  makeBackup(store, folder, new Date(now()).toISOString(), dryRun)

/** Gives what is wrong with a backup: reads all of it. */
export const verifyBackup = (folder: string): string[] => backupProblems(folder)

/** Makes a store of a backup where there is none. Throws `exists`, and `corrupt` where the backup is damaged. */
export const restore = (folder: string, store: string, dryRun = false): BackedUp =>
  restoreBackup(folder, store, dryRun)
