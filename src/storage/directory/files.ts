import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { SessError } from '../../model/errors.ts'
import { makeMissingFolders } from '../../model/missingfolders.ts'
import { isNoSpace, unreadableError, writeError } from '../ioerrors.ts'
import { temporaryEnd } from './processname.ts'
import { withFile } from './safefile.ts'

/** Returns the text of a file, undefined where there is none. Throws `corrupt` where the path is no file. */
export function readText(path: string): string | undefined {
  try {
    return withFile(path, (file) => readFileSync(file, 'utf8'))
  } catch (error) {
    if (isMissing(error)) return undefined
    if (error instanceof SessError) throw error
    throw unreadableError(path, error)
  }
}

/** Returns whether an error of the file system says that a path does not exist. */
export const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')

/** Returns the names in a folder, none where it does not exist: processes remove their folders at any time. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

/** Makes a private folder and those above it. Throws `cannot-write` and `no-space`. */
export function makeFolder(dir: string): void {
  try {
    makeMissingFolders(dir, {
      make: (folder) => mkdirSync(folder, { mode: 0o700 }),
      isFolder: (at) => statSync(at, { throwIfNoEntry: false })?.isDirectory() ?? false,
      isThere: existsSync,
      parentOf: dirname,
    })
  } catch (cause) {
    const { code = '', message } = cause as NodeJS.ErrnoException
    if (isNoSpace(cause)) throw writeError(cause, dir)
    const isInTheWay = code === 'EEXIST' || code === 'ENOTDIR'
    throw new SessError('cannot-write', dir, {
      detail: message,
      cause,
      ...(isInTheWay && { hint: IN_THE_WAY }),
    })
  }
}

const IN_THE_WAY = 'a file lies where the folder would: name another one'

/** Steps around the rename that replaces a file. */
export interface ReplaceHooks {
  /** Called right before the rename, after everything that takes time: where it returns false, nothing is replaced. */
  readonly mayReplace?: () => boolean
  /** Called right after the rename, before it is durable. */
  readonly afterRename?: () => void
}

/** Replaces a private file of a store, durably: readers see the old content or the new one. Throws as `writeError`. */
export function replaceFile(
  path: string,
  text: string,
  { mayReplace, afterRename }: ReplaceHooks = {},
): void {
  const fresh = `${path}.${temporaryEnd()}`
  let isOwn = false
  try {
    const file = openSync(fresh, NEW, 0o600)
    isOwn = true
    try {
      // Not `writeSync`, which may write a part and reports it only in its result.
      writeFileSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    if (mayReplace?.() === false) {
      rmSync(fresh, { force: true })
      return
    }
    renameSync(fresh, path)
  } catch (error) {
    if (isOwn) rmSync(fresh, { force: true })
    throw writeError(error, path)
  }
  try {
    afterRename?.()
  } finally {
    sync(dirname(path))
  }
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/** Makes a file durable, or the names in a folder: without it a power cut may undo a rename. */
export function sync(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Returns whether an error says that a folder is read-only, not this user's, or on a full volume. */
export const isUnwritable = (error: unknown): boolean =>
  error instanceof SessError && (error.code === 'cannot-write' || error.code === 'no-space')
