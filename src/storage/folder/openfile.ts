import { closeSync, constants, fstatSync, openSync, type Stats, statSync } from 'node:fs'
import { SessError } from '../../model/errors.ts'

/** What is said of what lies where a file of a store should. */
export const NO_FILE = 'it is a folder, a link or something else that is no file'

/** What the system says of a folder, of a link that leads nowhere and of a socket that are to be opened as files. */
const STRANGE: ReadonlySet<string> = new Set(['EISDIR', 'ELOOP', 'EMLINK', 'ENXIO'])

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? ''

/**
 * Opens a file of a store for reading unless said, and waits for nobody, as opening a pipe does. Throws `corrupt` where
 * something else than a file lies there, else what the system says.
 */
export function openFile(path: string, flags = constants.O_RDONLY): number {
  let file: number
  try {
    file = openSync(path, flags | constants.O_NONBLOCK, 0o600)
  } catch (cause) {
    throw STRANGE.has(codeOf(cause)) ? noFile(path, cause) : cause
  }
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw noFile(path)
}

const noFile = (path: string, cause?: unknown): SessError =>
  new SessError('corrupt', `the file '${path}'`, {
    detail: NO_FILE,
    hint: "type 'sess fsck --repair': it is set aside, and nothing else is changed",
    cause,
  })

/** Opens a file of a store for as long as work with it takes; throws as `openFile`. */
export function withFile<T>(path: string, work: (file: number) => T, flags?: number): T {
  const file = openFile(path, flags)
  try {
    return work(file)
  } finally {
    closeSync(file)
  }
}

/** For a file that is made where it is missing, and written anew or behind what it has. */
export const ANEW = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC
export const BEHIND = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND

/** Tells whether something lies in the place of a file that is none: a missing one is as good as one. */
export function isNoFile(path: string): boolean {
  let stats: Stats | undefined
  try {
    stats = statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    return STRANGE.has(codeOf(error))
  }
  return stats !== undefined && !stats.isFile()
}
