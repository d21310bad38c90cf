import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from '../folder/folder.ts'
import { checkFolder } from '../folder/openfile.ts'

/** Where what is broken is set aside, in a store's folder. */
const ASIDE = 'broken'

/** Makes a folder of its own, in `broken` in a store's folder, for what is set aside. */
export function newQuarantine(dir: string, now: number): string {
  const name = new Date(now).toISOString().replaceAll(':', '-')
  if (!checkFolder(join(dir, ASIDE))) makeFolder(join(dir, ASIDE))
  for (let times = 1; ; times++) {
    const aside = join(dir, ASIDE, times === 1 ? name : `${name}-${times}`)
    try {
      mkdirSync(aside, { mode: 0o700 })
      return aside
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

/** Gives the folders in which something was set aside, the oldest first. */
export function quarantinesIn(dir: string): string[] {
  // What is in it is removed: it must not be a link.
  if (!checkFolder(join(dir, ASIDE))) return []
  return readdirSync(join(dir, ASIDE))
    .toSorted()
    .map((name) => join(dir, ASIDE, name))
}

/** Removes what was set aside, and gives the folders that it was in. */
export function removeQuarantines(dir: string): string[] {
  const folders = quarantinesIn(dir)
  for (const folder of folders) rmSync(folder, { recursive: true })
  return folders
}
