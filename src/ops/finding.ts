import type { Oid } from '../model/oid.ts'
import type { Row } from '../repo/backend.ts'

/** One thing that is wrong with a store. Codes are API. */
export interface Finding {
  readonly code: string
  /** What is hurt: an entry, a ref, a session. */
  readonly subject: string
  readonly message: string
  /** The branches, labels and HEADs whose path leads over it, as `SESSION/NAME`. */
  readonly refs?: readonly string[]
  /** The nearest entry before it that is whole; null where none is found. */
  readonly lastGood?: Oid | null
  /** Who must act, and what to type next. */
  readonly hint: string
}

/** Takes what is found. */
export type Report = (code: string, subject: string, message: string, row?: Row) => void
