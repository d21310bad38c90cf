import { hasCode, SessError } from '../../model/errors.ts'
import { isMalformedRef } from '../../model/refs/table.ts'
import type { UnknownNames } from '../../model/unknownnames.ts'
import type { Notice } from './notices.ts'

/** The result of importing one file. */
export interface Imported {
  readonly path: string
  readonly format: string
  readonly session: string
  /** Records and entries that the file holds, each entry once. */
  readonly records: number
  readonly entries: number
  /** Entries, and entries and blobs together, that the store did not have. */
  readonly newEntries: number
  readonly newObjects: number
  readonly bytes: number
  /** Whether the file is an earlier state of a session that the store has already. */
  readonly contained: boolean
  /** The id of the session in another agent, if the file continues one that an export wrote. */
  readonly exported?: string
  /** Records recovered from damaged lines. */
  readonly salvaged: number
  readonly warnings: readonly Notice[]
  /** The types and fields of its records that no reader knows, and the version of its agent that wrote them. */
  readonly unknown?: UnknownNames
  readonly version?: string
  /** The number of bytes that the file had before its agent shortened it; the store has them. */
  readonly shortened?: number
}

/** A path that could not be imported; the others were. */
export interface Refused {
  readonly path: string
  readonly error: SessError
  /** Set where the other files of the same import are imported. */
  readonly others?: true
}

/** Why a file in a folder was not imported. */
type SkipReason = 'no-conversation' | 'no-message' | 'symbolic-link' | 'credentials'

/** A file in a folder that was not imported, because it makes no session. A file that is named itself is always imported. */
export interface Skipped {
  readonly path: string
  readonly skipped: SkipReason
  /** The session that has a file without a message among its files, because it has its id or was read from its path. */
  readonly session?: string
  /** The number of bytes that the file had before its agent replaced them; the store has them. */
  readonly shortened?: number
}

/** Why something was not read: its table or file is of no known kind, or its layout or version is newer than this program. */
export const UNREAD = ['unknown', 'newer-version', 'symbolic-link', 'shortened'] as const

/** Something in a database, a folder or a document that looks like sessions and was not read. */
export interface Unread {
  /** The database, the folder or the file. */
  readonly path: string
  readonly unread: (typeof UNREAD)[number]
  /** Its description, for people: `table 'session_v9'`. */
  readonly name: string
  /** The number of rows or files. */
  readonly count: number
  /** The part that was kept and how to go on, if there is more to say. */
  readonly note?: string
  /** The session that has what the file held before. */
  readonly session?: string
}

/** Returns the report of a file that no longer begins with what is stored of it. */
export const shortenedFile = (path: string, session: string, note: string): Unread => ({
  path,
  unread: 'shortened',
  name: `the file of session '${session}'`,
  count: 1,
  note,
  session,
})

/**
 * Runs work that reads a file. Returns a refusal where the system or the content of the file does not allow it, or where
 * a ref of its session cannot be read.
 */
export async function orRefused<T>(path: string, work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work()
  } catch (error) {
    if (hasCode(error, 'unreadable-path')) return { path, error }
    if (isMalformedRef(error)) {
      const { subject, detail, remedy } = error
      return {
        path,
        error: new SessError('not-imported', path, { detail: `${subject}: ${detail}`, remedy, cause: error }),
      }
    }
    if (!isOfSystem(error)) throw error
    return { path, error: unreadable(path, error.message, error) }
  }
}

/** Returns whether an error is one of the operating system. */
export const isOfSystem = (error: unknown): error is Error =>
  error instanceof Error && 'errno' in error && 'syscall' in error

/** Hints by the code of the system's error; for the others the usual one. */
const HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'it was moved or deleted meanwhile: import it from where it is now',
  ELOOP: 'name the file that the link should lead to',
  EIO: 'check the disk that it is on',
}

/** Returns the error for a path that cannot be read. */
export function unreadable(path: string, detail: string, cause?: unknown): SessError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  // The system gives a name that is not UTF-8 with this character, by which the file cannot be opened.
  const hint = code === 'ENOENT' && path.includes('\ufffd') ? 'its name is not UTF-8: rename it' : HINTS[code]
  return new SessError('unreadable-path', path, { detail, cause, ...(hint !== undefined && { hint }) })
}
