import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './files.ts'
import { databaseFolder, databasesIn, readGeneration } from './generation.ts'
import { checkFolder } from './safefile.ts'

/** The folder in a store's folder that damaged files are moved to. */
export const QUARANTINE = 'broken'

/** Throws `corrupt` where damaged files cannot be moved to `broken`, because it is a link or a file. */
export const checkQuarantine = (dir: string): boolean => checkFolder(join(dir, QUARANTINE)) !== undefined

/** Makes a new folder in `broken` in a store's folder, for damaged files. Throws as `checkQuarantine`. */
export function newQuarantine(dir: string, now: number): string {
  const name = new Date(now).toISOString().replaceAll(':', '-')
  if (!checkQuarantine(dir)) makeFolder(join(dir, QUARANTINE))
  for (let times = 1; ; times++) {
    const folder = join(dir, QUARANTINE, times === 1 ? name : `${name}-${times}`)
    try {
      mkdirSync(folder, { mode: 0o700 })
      return folder
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    }
  }
}

/** The file of a store while a repair has replaced its database and is not complete. */
export const REPAIR_FILE = 'repair.json'

/** Returns whether the former database of a store may be the damaged one, which a killed repair has left in its place. */
export const isBeingRepaired = (dir: string): boolean => existsSync(join(dir, REPAIR_FILE))

/**
 * Quarantines databases that are newer than the current generation. To be called by the holder of the database. They
 * are from before an older copy of the store was put in place, and must not become the next generation.
 */
export const quarantineStray = (dir: string, generation: number): void =>
  quarantine(dir, generation, (number) => number > generation)

/** Quarantines the databases before the current one: that which a killed repair has replaced is among them. */
export const quarantineFormer = (dir: string, generation: number, current: string): void =>
  quarantine(dir, generation, (number) => number < generation && databaseFolder(dir, number) !== current)

function quarantine(dir: string, generation: number, isWanted: (number: number) => boolean): void {
  const wanted = databasesIn(dir).filter(isWanted)
  // A takeover writes the number before it makes the database.
  if (wanted.length === 0 || readGeneration(dir) !== generation) return
  const folder = newQuarantine(dir, Date.now())
  for (const number of wanted) renameSync(databaseFolder(dir, number), join(folder, `db.${number}`))
}
