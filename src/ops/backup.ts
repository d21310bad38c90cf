import { type BackupExposure, backUp, restore, verifyBackup } from '../repo/backup.ts'
import type { Env } from '../repo/env.ts'

/** The copy of a store into a backup, or of a backup into a new store. */
export interface StoreCopy {
  readonly from: string
  readonly to: string
  /** The files of the database. */
  readonly files: number
  readonly bytes: number
  /** Of these, those that an earlier backup had already. */
  readonly kept: number
}

/** A backup that was made. */
export interface StoreBackup extends StoreCopy {
  readonly exposure: BackupExposure
}

/** The result of the check of a backup: its problems, in words. */
export interface CheckedBackup {
  readonly ok: boolean
  readonly problems: readonly string[]
}

/** Backs up the store in a folder while others may write. Throws `no-store`, and `not-a-store` as `backUp`. */
export const backUpStore = (store: string, to: string, env: Env, dryRun: boolean): StoreBackup => ({
  from: store,
  to,
  ...backUp(store, to, env, dryRun),
})

/** Reads a whole backup and returns its problems. Throws `not-a-store` where the folder is no backup. */
export function checkBackup(folder: string): CheckedBackup {
  const problems = verifyBackup(folder)
  return { ok: problems.length === 0, problems }
}

/** Restores a backup as a store in a folder that has none. Throws `exists`, `corrupt` and `not-a-store`. */
export const restoreBackup = (backup: string, store: string, dryRun: boolean): StoreCopy => ({
  from: backup,
  to: store,
  ...restore(backup, store, dryRun),
})
