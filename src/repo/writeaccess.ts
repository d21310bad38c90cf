import type { Actor, RefValue, Reversal } from '../model/operation.ts'
import type { RefName } from '../model/refname.ts'
import type { Coverage } from '../model/search/searchindex.ts'
import type { Transaction } from '../storage/backend.ts'
import type { Env } from './env.ts'
import type { LeaseHandle } from './lease/leasedriver.ts'
import type { Reader } from './reader.ts'

/** How a unit of work is written. */
export interface WriteOptions {
  /** The command and the actor for the operation log. Default: those of the call. */
  readonly command?: string
  readonly actor?: Actor
  /** Pack entries, records and blobs into pages: for imports and long appends. */
  readonly bulk?: boolean
  /** Compress more, which takes longer: for imports, which make up most of a store. */
  readonly dense?: boolean
  /** Consecutive units of work with the same key become one operation: appends through one open handle. */
  readonly coalesce?: string
  /**
   * Begin once the previous commit is durable, so that requests that arrive until then share one commit (group commit).
   */
  readonly gathers?: boolean
  /**
   * The database, where the caller holds it until this is written. In a later one it fails with `fenced`, and the caller
   * repeats it: there the client may have repeated it already, and later work must not come before it.
   */
  readonly hold?: LeaseHandle | undefined
  /** Read and add entries as they are stored, without grafts: for imports. */
  readonly plain?: boolean
  /** Write although a tombstone cannot be read: for repairs, which drop it. */
  readonly repairs?: boolean
}

/** How a unit of work reads. */
export type ReadOptions = Pick<WriteOptions, 'plain'>

/** The part of a transaction that a unit of work may write to. Refs move with its operation. */
export type Writer = Pick<
  Transaction,
  | 'addEntry'
  | 'newLog'
  | 'appendRecord'
  | 'putBlob'
  | 'noteSource'
  | 'keepReaderState'
  | 'index'
  | 'rebuildZoneMaps'
  | 'flush'
  | 'created'
>

/** The access to the store that a unit of work receives. */
export interface Change {
  readonly env: Env
  readonly reader: Reader
  readonly writer: Writer
  /** Moves a ref by compare-and-swap: `old` is its present value. */
  readonly move: (name: RefName, old: RefValue | undefined, value: RefValue | undefined) => void
  /** Caches the list of sessions. */
  readonly keepList: Transaction['keepList']
  readonly keepCounts: Transaction['keepCounts']
  /** Records which other operation this one undoes, redoes or restores. */
  readonly reversal: (of: Reversal) => void
  /**
   * Reports the entries that a session newly reaches to the search index. For a session without such a report the index
   * walks the paths of all refs that move.
   */
  readonly cover: (session: string, coverage: Coverage) => void
  /** Reports all that the search index learns of this unit of work, which moves refs of one session: none is looked at. */
  readonly coverAll: (session: string, coverage: Coverage) => void
  /**
   * The bytes that a native record without a value keeps while the request of another process is done: by them the request
   * is found where its answer was lost.
   */
  readonly token?: Uint8Array | undefined
}
