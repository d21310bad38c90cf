import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeMissingFolders } from '../model/missingfolders.ts'

/** Makes a folder and those above it that are missing, with mode 0700. Throws the error of the system. */
export const makePrivateFolders = (path: string): void =>
  makeMissingFolders(path, {
    make: (folder) => mkdirSync(folder, { mode: 0o700 }),
    isFolder: (at) => statSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false,
    isThere: existsSync,
    parentOf: dirname,
  })
