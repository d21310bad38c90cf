import type { SessError } from '../../model/errors.ts'
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
}

/** A path that could not be imported. The others were. */
export interface Refused {
  readonly path: string
  readonly error: SessError
}

/** Why a file in a folder was not imported. */
type SkipReason = 'no-conversation' | 'symbolic-link' | 'credentials'

/** A file in a folder that was not imported, because it makes no session. A file that is named itself is always imported. */
export interface Skipped {
  readonly path: string
  readonly skipped: SkipReason
}
