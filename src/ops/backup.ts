import { type BackedUp, backupProblems, type MadeBackup, makeBackup, restoreBackup } from '../repo/backup.ts'
import type { Env } from '../repo/env.ts'

/** Copies a store into a folder while others may write it. Files that an earlier backup there has are kept. */
export const backUp = (
  store: string,
  folder: string,
  { now }: Pick<Env, 'now'>,
  dryRun = false,
): MadeBackup => makeBackup(store, folder, new Date(now()).toISOString(), dryRun)

/** Returns what is wrong with a backup: reads all of it. */
export const verifyBackup = (folder: string): string[] => backupProblems(folder)

/** Makes a store of a backup where there is none. Throws `exists`, and `corrupt` where the backup is damaged. */
export const restore = (folder: string, store: string, dryRun = false): BackedUp =>
  restoreBackup(folder, store, dryRun)
