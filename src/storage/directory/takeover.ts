import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { copyDatabase } from './databasecopy.ts'
import { namesIn, sync } from './files.ts'
import { databaseFolder, readGeneration, writeGeneration } from './generation.ts'
import { readIdentity } from './identity.ts'
import { processName } from './processname.ts'
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
 * Called again right before the rename: others may have taken the store over twice while this process was stopped, and
 * their number must not be replaced by a lower one.
 */
const isCurrentGeneration = (dir: string, generation: number) => (): boolean =>
  readGeneration(dir) === generation

/**
 * Returns the folder of a generation's database. Where it does not exist yet, because a process took the store over and
 * stopped, it is copied from the former one: the number was written before, so that nothing more is acknowledged there.
 * Throws `newer-store` where a newer version of sess took the store over since this process opened it.
 */
export function generationFolder(dir: string, generation: number): string {
  readIdentity(dir)
  const folder = databaseFolder(dir, generation)
  if (checkFolder(folder) || generation === 1) return folder
  let before = generation - 1
  while (before > 0 && !existsSync(databaseFolder(dir, before))) before--
  if (before === 0)
    throw new SessError('corrupt', `its database '${folder}' is missing, and so is every one before it`)
  const fresh = `${folder}.${processName()}.new`
  rmSync(fresh, { recursive: true, force: true })
  copyDatabase(databaseFolder(dir, before), fresh)
  try {
    // Otherwise a power cut might keep its name and lose its content, and the former one is not read any more.
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

/** Copies the current database of a store: see `copyDatabase`. */
export function copyCurrent(dir: string, to: string): void {
  for (;;) {
    const generation = readGeneration(dir)
    try {
      copyDatabase(generationFolder(dir, generation), to)
      return
    } catch (error) {
      // It was removed meanwhile: another generation is current.
      if (readGeneration(dir) === generation) throw error
    }
  }
}

/** Makes a new folder for a copy of a store's database, in the store or in another folder. Throws `cannot-write`. */
export function newSnapshot(dir: string, parent = dir): string {
  try {
    return mkdtempSync(join(parent, `${parent === dir ? '' : 'sess-'}snapshot.${processName()}.`))
  } catch (cause) {
    throw new SessError('cannot-write', dir, { detail: cause instanceof Error ? cause.message : '', cause })
  }
}

/** Makes a folder for the database of the next generation, to be published or removed. */
export const newGenerationFolder = (dir: string, generation: number): string =>
  mkdtempSync(`${databaseFolder(dir, generation + 1)}.${processName()}.`)

/**
 * Makes a database the next generation of a store, and returns whether it is: not where another process took the store
 * over meanwhile, nor where `isWhole` returns false because the former database was written meanwhile. The number is
 * written first; from then on nothing is acknowledged in the former database. A process that finds no database for the
 * number copies the former one, which holds as much, and takes the name.
 */
export function publishGeneration(
  dir: string,
  generation: number,
  fresh: string,
  isWhole = (): boolean => true,
): boolean {
  const isStill = isCurrentGeneration(dir, generation)
  if (!isStill()) return false
  let published = false
  const renameIntoPlace = (): void => {
    try {
      if (!isWhole()) return
      renameSync(fresh, databaseFolder(dir, generation + 1))
      published = true
    } catch (error) {
      if (!existsSync(databaseFolder(dir, generation + 1))) throw error
    }
  }
  writeGeneration(dir, generation + 1, { mayReplace: isStill, afterRename: renameIntoPlace })
  return published
}
