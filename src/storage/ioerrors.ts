import { SessError } from '../model/errors.ts'

/** Returns the message of an error and that of its cause, which LevelDB puts the reason in. */
export const messagesOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message} ${error.cause.message}` : error.message
}

/**
 * Returns the error for a failed read of LevelDB: `corrupt` where it found damage or misses a file, else the error
 * itself.
 */
export function readError(error: unknown): unknown {
  if (error instanceof SessError) return error
  const detail = messagesOf(error)
  if (isIoError(error)) return ioError('unreadable-path', error)
  if (isSystemError(error)) return new SessError('unreadable-path', pathIn(detail), { detail, cause: error })
  if (!/corrupt|checksum mismatch|no such file/i.test(detail)) return error
  return new SessError('corrupt', 'its database cannot be read', { detail, cause: error })
}

/** Returns whether an error of the system or of LevelDB is an I/O error of the disk. */
export const isIoError = (error: unknown): boolean => /input\/output error|\bEIO\b/i.test(messagesOf(error))

/** Returns the path that an error of LevelDB names; empty where it names none. */
export const pathIn = (detail: string): string => /IO error: (\/[^:]*): /.exec(detail)?.[1] ?? ''

/** Returns the path that an error of a system call is about; empty where it names none. */
const pathOf = (error: unknown): string =>
  error instanceof Error && 'path' in error && typeof error.path === 'string' ? error.path : ''

/**
 * Returns whether an error of LevelDB is that of a system call that failed for lack of something, such as handles, memory
 * or permission, and not because of what is in the database.
 */
export const isSystemError = (error: unknown): boolean => {
  const messages = messagesOf(error)
  return (
    /\bIO error: /.test(messages) &&
    !/no such file|not a directory|is a directory|invalid argument/i.test(messages)
  )
}

/** Returns whether an error of the system or of LevelDB says that a volume or a quota is full. */
export const isNoSpace = (error: unknown): boolean =>
  /\bENOSPC\b|no space left|\bEDQUOT\b|quota exceeded/i.test(messagesOf(error))

/**
 * Returns the error for an I/O error of the disk, which is not corruption: the data may be intact. It says nothing about
 * earlier changes of the command, which are not known here.
 */
export function ioError(code: 'unreadable-path' | 'cannot-write', cause: unknown, where = ''): SessError {
  const detail = messagesOf(cause)
  return new SessError(code, pathIn(detail) || pathOf(cause) || where, {
    detail,
    remedy: { kind: 'check-disk' },
    cause,
  })
}

/** Returns the error for a file or a folder that this process cannot read. */
export const unreadableError = (path: string, cause: unknown): SessError =>
  isIoError(cause)
    ? ioError('unreadable-path', cause, path)
    : new SessError('unreadable-path', path, { detail: messagesOf(cause), cause })

/** Decodes bytes whose checksum matched. Throws `corrupt` naming `what` where they are malformed all the same. */
export function wellFormed<T>(what: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw formError(what, cause)
  }
}

/** Returns the error for malformed content. */
function formError(what: string, cause: unknown): unknown {
  if (cause instanceof SessError || !(cause instanceof Error)) return cause
  return new SessError('corrupt', `${what} has a wrong form`, { detail: cause.message, cause })
}

/** Returns the error for a failed write of LevelDB. */
export function writeError(error: unknown, where: string): SessError {
  if (error instanceof SessError) return error
  const detail = messagesOf(error)
  const code = isNoSpace(error) ? 'no-space' : 'cannot-write'
  return new SessError(code, where, { detail, cause: error })
}

/** Waits for a write of LevelDB. Throws as `writeError`. */
export async function awaitWrite(write: Promise<void>, where: string): Promise<void> {
  try {
    await write
  } catch (error) {
    throw writeError(error, where)
  }
}

/** Returns the problem of a file that is damaged before its end. */
export const checksumFailureAt = (at: number): string =>
  `the record at ${at} fails its checksum, and more follows it`

/** Returns the error for a damaged file of a database. */
export const damagedFileError = (path: string, detail: string, cause?: unknown): SessError =>
  new SessError('corrupt', `the file '${path}' of its database`, {
    detail,
    remedy: { kind: 'repair-database' },
    cause,
  })
