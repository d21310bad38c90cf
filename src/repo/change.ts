import type { Ranges } from '../model/ranges.ts'
import type { RefName } from '../model/refname.ts'
import type { Backend, RefValue, Transaction, Turn } from '../storage/backend.ts'

/** How a piece of work is written down. */
export interface Writing {
  /** The command, for the operation log; that of the repo unless said. */
  readonly command?: string
  /** Pack what is written together: for imports and long appends. */
  readonly bulk?: boolean
  /** Pack it small, which takes longer: what is imported is most of a store. */
  readonly dense?: boolean
  /** Writings in a row with the same word become one operation: appends through one open handle. */
  readonly coalesce?: string
  /**
   * Begin once what was written before is durable: what others ask for meanwhile may be written together with it, and
   * shares what one write costs besides its sync.
   */
  readonly gathers?: boolean
  /**
   * Repeated by whoever asked where it is refused for the store was taken over: then what was begun after it, and is
   * repeated too, is refused likewise, so that their order stays.
   */
  readonly repeats?: boolean
  /** See and add entries as they are stored, without grafts: for imports, whose readers know no other parents. */
  readonly plain?: boolean
}

/** How a piece of work reads. */
export type Reading = Pick<Writing, 'plain'>

/** What a piece of work may do to the store. */
export interface Change {
  readonly backend: Backend
  readonly transaction: Transaction
  /** Moves a ref from the value it has now, which is given so that the move is refused if it is another. */
  readonly move: (name: RefName, old: RefValue | undefined, value: RefValue | undefined) => void
  /** Says of the operation which other one it takes back, does again or goes back to. */
  readonly turn: (turn: Turn) => void
  /**
   * Says in which rows all entries are that a session reaches by what this work does: for where a search looks. Unless
   * it is said the rows from root to tip are taken, in which much else may lie.
   */
  readonly cover: (session: string, rows: Ranges) => void
}
