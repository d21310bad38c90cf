import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readGeneration } from '../../storage/folder/folder.ts'
import { checkFolder } from '../../storage/folder/openfile.ts'
import { ownName } from '../../storage/folder/process.ts'
import { QUARANTINE } from '../../storage/repair/quarantine.ts'

/** Returns the names of the databases in a store's folder that are not the current one, except this process's own copies. */
export function formerCopies(dir: string): string[] {
  const current = `db.${readGeneration(dir)}`
  return readdirSync(dir).filter(
    (name) =>
      /^(?:db|snapshot)\.\d/.test(name) && name !== current && !name.startsWith(`snapshot.${ownName()}.`),
  )
}

/** Returns the folders that damaged files were moved to, the oldest first. */
export function quarantinesIn(dir: string): string[] {
  // Its content may be removed: it must not be a link.
  if (!checkFolder(join(dir, QUARANTINE))) return []
  return readdirSync(join(dir, QUARANTINE))
    .toSorted()
    .map((name) => join(dir, QUARANTINE, name))
}

/** Removes the damaged files that are kept, and returns the folders that they were in. */
export function removeQuarantines(dir: string): string[] {
  const folders = quarantinesIn(dir)
  for (const folder of folders) rmSync(folder, { recursive: true })
  return folders
}
