import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SessError } from '../model/errors.ts'
import { ownName } from '../storage/folder/process.ts'

/**
 * Returns the beginning of the path of this process's folders for temporary files in a store. Leftovers of a killed
 * process are removed by the next holder of the database, which knows them by the name.
 */
export const scratchPrefix = (dir: string): string => join(dir, `scratch.${ownName()}.`)

/**
 * Makes a private folder for what is not to be kept: in the store, where what a killed process left is removed by the
 * next one; where there is none, beside where it would be, which is no place that others share unless that is. Throws
 * `cannot-write`.
 */
export const makeScratch = (dir: string, isStore: boolean): string =>
  isStore ? mkdtempSync(scratchPrefix(dir)) : beside(dir)

function beside(dir: string): string {
  let folder = dirname(dir)
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  try {
    return mkdtempSync(join(folder, '.sess-dry-run-'))
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : ''
    throw new SessError('cannot-write', folder, { detail, cause })
  }
}

/** Gives the folder of the database that takes what a dry run writes. */
export const scratchDatabase = (scratch: string): string => join(scratch, 'written')

/** Gives the folder of the store of a dry run where there is none yet. */
export const scratchStore = (scratch: string): string => join(scratch, 'store')

/** Removes the folder and all that is in it. */
export const removeScratch = (scratch: string): void => rmSync(scratch, { recursive: true, force: true })
