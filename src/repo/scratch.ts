import { accessSync, constants, existsSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SessError } from '../model/errors.ts'
import { isBackup } from '../storage/directory/identity.ts'
import { isRunning, processName } from '../storage/directory/processname.ts'
import { temporaryFolder } from '../storage/directory/temporaryfolder.ts'

/**
 * Returns the beginning of the path of this process's folders for temporary files: in a store, or in the temporary folder
 * where the store is a backup or cannot be written. Leftovers of a killed process are removed by the next holder of the
 * database, or the next process that uses the temporary folder; they know them by the name.
 */
export const scratchPrefix = (dir: string): string =>
  isBackup(dir) || !isWritable(dir)
    ? join(temporaryFolder(), `sess-scratch.${processName()}.`)
    : join(dir, `scratch.${processName()}.`)

function isWritable(dir: string): boolean {
  try {
    accessSync(dir, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Makes a private folder for temporary files of a store, or without a store next to its future folder, where others can
 * read it only if they could read that. Throws `cannot-write`.
 */
export const makeScratch = (dir: string, isStore: boolean): string =>
  isStore ? inOrOutside(dir) : nextTo(dir)

function inOrOutside(dir: string): string {
  const prefix = scratchPrefix(dir)
  return made(dirname(prefix), () => mkdtempSync(prefix))
}

function nextTo(dir: string): string {
  let folder = dirname(dir)
  while (!existsSync(folder) && dirname(folder) !== folder) folder = dirname(folder)
  return made(folder, () => {
    removeKilled(folder)
    return mkdtempSync(join(folder, `.sess-dry-run-${processName()}.`))
  })
}

function made(folder: string, make: () => string): string {
  try {
    return make()
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : ''
    throw new SessError('cannot-write', folder, { detail, cause })
  }
}

/** Removes the folders of this user's killed processes in a folder, which has no store whose holder would. */
function removeKilled(folder: string): void {
  for (const name of readdirSync(folder)) {
    const [, by] = /^\.sess-dry-run-([^.]+)\./.exec(name) ?? []
    if (by === undefined || isRunning(by) !== false) continue
    if (lstatSync(join(folder, name), { throwIfNoEntry: false })?.uid === process.geteuid?.())
      removeScratch(join(folder, name))
  }
}

/** Returns the folder of the database that takes the writes of a dry run. */
export const scratchDatabase = (scratch: string): string => join(scratch, 'written')

/** Returns the folder of the store that a dry run makes where there is none. */
export const scratchStore = (scratch: string): string => join(scratch, 'store')

/** Removes the folder and all that is in it. */
export const removeScratch = (scratch: string): void => rmSync(scratch, { recursive: true, force: true })
