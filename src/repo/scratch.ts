import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newScratch } from '../storage/generation.ts'

export { scratchPrefix } from '../storage/generation.ts'

/**
 * Makes a private folder for what is not to be kept: in the store, where what a killed process left is removed by the
 * next one; where there is no store, beside what other programs leave.
 */
export const makeScratch = (store?: string): string =>
  store === undefined ? mkdtempSync(join(tmpdir(), 'sess-dry-run-')) : newScratch(store)

/** Gives the folder of the database that takes what a dry run writes. */
export const scratchDatabase = (scratch: string): string => join(scratch, 'written')

/** Gives the folder of the store of a dry run where there is none yet. */
export const scratchStore = (scratch: string): string => join(scratch, 'store')

/** Removes the folder and all that is in it. */
export const removeScratch = (scratch: string): void => rmSync(scratch, { recursive: true, force: true })
