import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Makes a private folder for what is not to be kept. */
export const makeScratch = (): string => mkdtempSync(join(tmpdir(), 'sess-dry-run-'))

/** Gives the folder of the database that takes what a dry run writes. */
export const scratchDatabase = (scratch: string): string => join(scratch, 'written')

/** Gives the folder of the store of a dry run where there is none yet. */
export const scratchStore = (scratch: string): string => join(scratch, 'store')

/** Removes the folder and all that is in it. */
export const removeScratch = (scratch: string): void => rmSync(scratch, { recursive: true, force: true })
