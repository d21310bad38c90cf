import { SessError } from '../model/errors.ts'

/** Gives all that LevelDB says of an error: its message and that of its cause. */
const messagesOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message
}

/** Gives the error of a read that LevelDB refused: `corrupt` where it found damage or misses a file, else as it was. */
export function readError(error: unknown): unknown {
  if (error instanceof SessError) return error
  const detail = messagesOf(error)
  if (isIoError(error)) return ioError('unreadable-path', error)
  if (!/corrupt|checksum mismatch|no such file/i.test(detail)) return error
  return new SessError('corrupt', 'its database cannot be read', { detail, cause: error })
}

/** Tells of what the system or LevelDB says whether the disk itself fails. */
export const isIoError = (error: unknown): boolean => /input\/output error|\bEIO\b/i.test(messagesOf(error))

/**
 * Gives the error of what LevelDB could not do because the disk failed: no damage that could be mended there. It may have
 * failed in the middle of a command, of which nobody says here what was done before.
 */
export function ioError(code: 'unreadable-path' | 'cannot-write', cause: unknown, where = ''): SessError {
  const detail = messagesOf(cause)
  const [, path = where] = /IO error: (\/[^:]*): /.exec(detail) ?? []
  return new SessError(code, path, { detail, hint: ELSEWHERE, cause })
}

const ELSEWHERE =
  "check the disk and try again; where it fails: 'sess backup --restore BACKUP --store DIR' on another one"

/** Gives the error of a file or a folder that the system does not let this process read. */
export const unreadableError = (path: string, cause: unknown): SessError =>
  isIoError(cause)
    ? ioError('unreadable-path', cause, path)
    : new SessError('unreadable-path', path, { cause })

/** Reads what has its checksum. Throws `corrupt` naming what it is where it is nothing of the kind all the same. */
export function wellFormed<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw formError(what, cause)
  }
}

/** Gives the error of such a read. */
function formError(what: string, cause: unknown): unknown {
  if (cause instanceof SessError || !(cause instanceof Error)) return cause
  return new SessError('corrupt', `${what} has a wrong form`, { detail: cause.message, cause })
}

/** Gives the error of a write that LevelDB refused. */
export function writeError(error: unknown, where: string): SessError {
  if (error instanceof SessError) return error
  const detail = messagesOf(error)
  const code = /ENOSPC|no space left/i.test(detail) ? 'no-space' : 'cannot-write'
  return new SessError(code, where, { detail, cause: error })
}

/** Waits for LevelDB to write. Throws as `writeFault`. */
export async function awaitWrite(write: Promise<void>, where: string): Promise<void> {
  try {
    await write
  } catch (error) {
    throw writeError(error, where)
  }
}

/** Says of a file where it is damaged in its middle. */
export const checksumFailureAt = (at: number): string =>
  `what was written at ${at} fails its checksum, and more follows it`

/** Gives the error that says what is wrong with a file of a database. */
export const damagedFileError = (path: string, detail: string, cause?: unknown): SessError =>
  new SessError('corrupt', `the file '${path}' of its database`, {
    detail,
    hint: "type 'sess fsck' to see what is hurt, then 'sess fsck --repair'",
    cause,
  })
