import { existsSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { copyDatabase } from './databasecopy.ts'
import { namesIn, sync } from './files.ts'
import { databaseFolder, isCurrentGeneration, newestDatabase, writeGeneration } from './generation.ts'
import { readIdentity } from './identity.ts'
import { temporaryEnd } from './processname.ts'
import { checkFolder } from './safefile.ts'

/**
 * Takes a store over from a holder that does not answer, by making the next generation current. Should that process
 * resume, it does not acknowledge its writes: it reads the generation after each write and before it acknowledges.
 * Everything that it acknowledged before is copied when the new generation is opened. Does nothing where another
 * process took the store over since `generation` was read.
 */
export function takeOver(dir: string, generation: number): void {
  const isStill = isCurrentGeneration(dir, generation)
  if (isStill()) writeGeneration(dir, generation + 1, { mayReplace: isStill })
}

/**
 * Returns the folder of a generation's database. If it does not exist yet, because a process took the store over and
 * stopped, it is copied from the previous one: the number is written first, so that nothing more is acknowledged there.
 * Throws `corrupt` if neither exists, and `newer-store` if a newer version of sess took the store over since this
 * process opened it.
 */
export function generationFolder(dir: string, generation: number): string {
  readIdentity(dir)
  const folder = databaseFolder(dir, generation)
  if (checkFolder(folder)) return folder
  const before = newestDatabase(dir, generation - 1)
  if (before === undefined)
    throw new SessError('corrupt', `its database '${folder}' is missing, and so is every one before it`)
  const fresh = `${folder}.${temporaryEnd()}`
  copyDatabase(databaseFolder(dir, before), fresh)
  try {
    // Otherwise a power cut could keep its name and lose its content, and the previous database is not read any more.
    for (const name of namesIn(fresh)) sync(join(fresh, name))
    sync(fresh)
    renameSync(fresh, folder)
    sync(dir)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    // Another process may have been faster: its copy is used.
    if (!existsSync(folder)) throw error
  }
  return folder
}
