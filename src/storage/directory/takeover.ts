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
 * Takes a store over from a process that holds its database and does not answer: from now on another generation holds
 * the database, and what the other process writes once it goes on it does not acknowledge, for it looks at the number
 * after each write and before it acknowledges. What it had acknowledged before is copied once the new generation is
 * opened. Does nothing where somebody else took it over since `generation` was read.
 */
export function takeOver(dir: string, generation: number): void {
  const isStill = isCurrentGeneration(dir, generation)
  if (isStill()) writeGeneration(dir, generation + 1, { mayReplace: isStill })
}

/**
 * Asked again once the number is written and synced: others may have taken the store over twice while this process was
 * stopped, and their number must not go back to this one's.
 */
const isCurrentGeneration = (dir: string, generation: number) => (): boolean =>
  readGeneration(dir) === generation

/**
 * Gives the folder of a generation's database. Where that is not there yet, because a process took the store over and
 * came no further, it is made from the one before: only after the number was written, so that nothing is acknowledged
 * there any more. Throws `newer-store` where a newer sess, which says so before it writes the number, made it since this
 * process opened the store: what it does not understand would be nothing to it.
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
    // Else a power cut might leave its name and not what is in it, and nobody looks at the one before any more.
    for (const name of namesIn(fresh)) sync(join(fresh, name))
    sync(fresh)
    renameSync(fresh, folder)
    sync(dir)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    // Another process may have been faster: what it made is used.
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** Copies the database that holds a store, whichever that is by then: see `copyDatabase`. */
export function copyCurrent(dir: string, to: string): void {
  for (;;) {
    const generation = readGeneration(dir)
    try {
      copyDatabase(generationFolder(dir, generation), to)
      return
    } catch (error) {
      // It was removed meanwhile, for another one holds the store.
      if (readGeneration(dir) === generation) throw error
    }
  }
}

/**
 * Makes a folder for a copy of a store's database, in the store or in another folder: a new one each time, since threads
 * of this process may make their own, and a former process of its number may have left some. Throws `cannot-write`.
 */
export function newSnapshot(dir: string, parent = dir): string {
  try {
    return mkdtempSync(join(parent, `${parent === dir ? '' : 'sess-'}snapshot.${processName()}.`))
  } catch (cause) {
    throw new SessError('cannot-write', dir, { detail: cause instanceof Error ? cause.message : '', cause })
  }
}

/** Makes a folder in which the database of the next generation is made, to be published or removed. */
export const newGenerationFolder = (dir: string, generation: number): string =>
  mkdtempSync(`${databaseFolder(dir, generation + 1)}.${processName()}.`)

/**
 * Has a database that was made in a folder for the next generation hold a store from now on, and tells whether it does:
 * not where another process took the store over meanwhile, nor where `isWhole` says that no more was written since it was
 * made. The number comes first, from which on nothing is acknowledged in the database before: whoever finds none under it
 * yet makes one from that, which holds as much, and the name is then not free.
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
  const withIt = (): void => {
    try {
      if (!isWhole()) return
      renameSync(fresh, databaseFolder(dir, generation + 1))
      published = true
    } catch (error) {
      if (!existsSync(databaseFolder(dir, generation + 1))) throw error
    }
  }
  writeGeneration(dir, generation + 1, { mayReplace: isStill, afterRename: withIt })
  return published
}
