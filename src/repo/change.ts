import type { RefValue, Turn } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import type { Coverage } from '../model/searchindex.ts'
import type { Transaction } from '../storage/backend.ts'
import type { Reader } from './reader.ts'

/** How a piece of work is written down. */
export interface WriteOptions {
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
export type ReadOptions = Pick<WriteOptions, 'plain'>

/** What a piece of work may write besides refs: those move with its operation. */
export type Writer = Pick<
  Transaction,
  'addEntry' | 'newLog' | 'appendRecord' | 'putBlob' | 'noteSource' | 'index' | 'flush' | 'created'
>

/** What a piece of work may do to the store. */
export interface Change {
  readonly reader: Reader
  readonly writer: Writer
  /** Moves a ref from its present value, which is passed so that the move is refused if the ref has another one. */
  readonly move: (name: RefName, old: RefValue | undefined, value: RefValue | undefined) => void
  /** Caches the list of sessions. */
  readonly keepList: Transaction['keepList']
  /** Records which other operation this one undoes, redoes or restores. */
  readonly turn: (turn: Turn) => void
  /**
   * Tells which entries a session reaches by what this work does, for the search index. Otherwise the paths of all refs
   * that move are taken, from their roots on.
   */
  readonly cover: (session: string, coverage: Coverage) => void
}
