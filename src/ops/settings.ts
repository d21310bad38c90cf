import { linkedFile, makeFolderSync, replaceFile } from '../files/replacefile.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { checkNotBackup } from '../repo/backup.ts'
import { parentFolder } from '../sources/files.ts'

/** A file of settings: its path, what it holds, and the folder of its store unless it is the user's. */
interface SettingsFile {
  readonly path: string
  readonly settings: JsonObject
  readonly store: string | undefined
}

/**
 * Writes a setting to its file, or removes it where it has no value; in a dry run only checks that this is possible.
 * Throws `cannot-write`, also for the settings of a backup, which only the next backup changes.
 */
export function writeSetting(
  { path, settings, store }: SettingsFile,
  [key, value]: readonly [key: string, value: Json | undefined],
  dryRun: boolean,
): void {
  if (store !== undefined) checkNotBackup(store)
  if (dryRun) return
  const { [key]: _, ...others } = settings
  makeFolderSync(parentFolder(path))
  replaceFile(
    // The user's file may be a link, which is kept.
    store === undefined ? linkedFile(path) : path,
    `${JSON.stringify(value === undefined ? others : { ...others, [key]: value }, undefined, 2)}\n`,
  )
}
