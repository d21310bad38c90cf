import { whileLocked } from '../files/filelock.ts'
import { linkedFile, makeFolderSync, replaceFile } from '../files/replacefile.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { checkNotBackup } from '../repo/backup.ts'
import { parentFolder } from '../sources/files.ts'

/** A file of settings: its path, what reads it, and the folder of its store unless it is the user's. */
interface SettingsFile {
  readonly path: string
  readonly read: () => JsonObject
  readonly store: string | undefined
}

/**
 * Writes a setting to its file, or removes it where it has no value; in a dry run only checks that this is possible.
 * Processes that change settings at once change them one after another. Returns the former value, null where it had none.
 * Throws as `read`, and `cannot-write`, also for the settings of a backup, which only the next backup changes.
 */
export async function writeSetting(
  { path, read, store }: SettingsFile,
  [key, value]: readonly [key: string, value: Json | undefined],
  dryRun: boolean,
): Promise<Json> {
  if (store !== undefined) checkNotBackup(store)
  if (dryRun) return read()[key] ?? null
  makeFolderSync(parentFolder(path))
  // The user's file may be a link, which is kept.
  const target = store === undefined ? linkedFile(path) : path
  return whileLocked(target, () => {
    const { [key]: before = null, ...others } = read()
    const settings = value === undefined ? others : { ...others, [key]: value }
    replaceFile(target, `${JSON.stringify(settings, undefined, 2)}\n`)
    return before
  })
}
