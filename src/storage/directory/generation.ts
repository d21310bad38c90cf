import {
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
} from 'node:fs'
import { join } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { isMissing, type ReplaceHooks, readText, replaceFile } from './files.ts'
import { processName } from './processname.ts'

const GENERATION = 'generation'

/** Returns the number of the generation that holds the database now. Throws `corrupt`, and `no-store` without a folder. */
export function readGeneration(dir: string): number {
  const number = generationIn(readText(join(dir, GENERATION))?.trim())
  if (number !== undefined) return number
  // It was removed or renamed while it was open.
  if (!existsSync(dir)) throw new SessError('no-store', dir)
  throw new SessError('corrupt', `'${join(dir, GENERATION)}' does not say which database is current`)
}

/** Returns the number of a generation in a text; undefined where it is none, has leading zeros, or cannot be counted on. */
function generationIn(text = ''): number | undefined {
  const number = Number(text)
  return /^[1-9]\d*$/.test(text) && number < Number.MAX_SAFE_INTEGER ? number : undefined
}

const MARK = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** Longer than any content of the file that holds the generation. */
const mark = Buffer.alloc(32)

/**
 * Returns text that changes once another generation holds the database. The file is opened and read: network file
 * systems answer `stat` from a cache, and look at the server when a file is opened. Each append reads it twice, so this
 * takes three system calls instead of seven; `readGeneration` reads a changed file with all checks.
 */
export function generationMark(dir: string): string {
  const path = `${dir}/${GENERATION}`
  let file: number
  try {
    file = openSync(path, MARK)
  } catch {
    return readText(path) ?? 'missing'
  }
  try {
    return mark.toString('latin1', 0, readSync(file, mark, 0, mark.length, 0))
  } catch {
    return readText(path) ?? 'missing'
  } finally {
    closeSync(file)
  }
}

/** The largest number of a generation that is no damage: nobody reaches it, and others follow it. */
export const MOST_GENERATION = 2 ** 47

/**
 * Makes another generation hold the database; `how` as in `replaceFile`. Throws `corrupt` where its number could not be
 * read back.
 */
export function writeGeneration(dir: string, generation: number, how?: ReplaceHooks): void {
  if (generation >= Number.MAX_SAFE_INTEGER)
    throw new SessError('corrupt', `there is no number after that of its database '${generation - 1}'`)
  replaceFile(join(dir, GENERATION), `${generation}\n`, how)
}

/** Returns the path of the database of a generation. */
export const databaseFolder = (dir: string, generation: number): string => join(dir, `db.${generation}`)

/** Returns the number of the generation that a name in a store's folder is the database of; undefined for other names. */
export const generationOf = (name: string): number | undefined =>
  name.startsWith('db.') ? generationIn(name.slice('db.'.length)) : undefined

/** Returns the numbers of the databases in a folder, in order. */
export function databasesIn(dir: string): number[] {
  try {
    return readdirSync(dir)
      .flatMap((name) => generationOf(name) ?? [])
      .sort((a, b) => a - b)
  } catch (error) {
    if (isMissing(error)) return []
    throw new SessError('unreadable-path', dir, { cause: error })
  }
}

/** Returns the number of the newest database in a folder up to `most`, undefined where there is none. */
export const newestDatabase = (dir: string, most: number): number | undefined =>
  databasesIn(dir).findLast((number) => number <= most)

/**
 * Called again right before the rename: others may have taken the store over twice while this process was stopped, and
 * their number must not be replaced by a lower one.
 */
export const isCurrentGeneration = (dir: string, generation: number) => (): boolean =>
  readGeneration(dir) === generation

/** Makes a folder for the database of the next generation, to be published or removed. */
export const newGenerationFolder = (dir: string, generation: number): string =>
  mkdtempSync(`${databaseFolder(dir, generation + 1)}.${processName()}.`)

/**
 * Publishes a database as the next generation of a store, and returns whether it did: not if another process took the
 * store over meanwhile, nor if `isWhole` returns false because the previous database was written meanwhile. The number
 * is written first; from then on nothing is acknowledged in the previous database. A process that finds no database for
 * the number copies the previous database, which is equivalent, and publishes the copy.
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
