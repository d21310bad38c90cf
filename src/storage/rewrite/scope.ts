import type { BlobRef } from '../../model/encoding/canonical.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Operation, RefValue } from '../../model/operation.ts'
import type { BlobId, LogId } from '../../model/record.ts'
import type { RefName } from '../../model/refname.ts'
import type { SourceNote } from '../backend.ts'
import type { Stored, StoredRecord } from '../levelbackend/storedrecord.ts'

/** The part of a store that a rewrite keeps. */
export interface RewriteScope {
  /** The entries. Must include everything that they name. */
  readonly entries: { has(entry: EntryHandle): boolean }
  /** The number of records, by log. Other logs are dropped. */
  readonly logs: ReadonlyMap<LogId, number>
  /** Blobs that refs name. */
  readonly blobs: Iterable<BlobId>
  /** The newest operation that is dropped. */
  readonly dropped: DroppedOperations
}

/** Is told how many packed bytes were copied so far, and how many are to be copied. */
export type OnCopied = (bytes: number, of: number) => void

/** The newest operation that was dropped, and its id. */
export interface DroppedOperations {
  readonly operation: number
  readonly id: string
}

/** The value if no operation was dropped. */
export const NONE_DROPPED: DroppedOperations = { operation: 0, id: '' }

/**
 * Changes content while a database is rewritten, for instance to remove secrets. Each function returns the same value
 * if nothing changes. Digests, oids, the running hashes of logs and the journal do not change with the content.
 */
export interface ContentEdits {
  /** The entries whose bodies change. */
  readonly edited?: { has(entry: EntryHandle): boolean }
  /** Changes the stored body of such an entry, in which large strings are places of blobs. */
  readonly body?: (entry: EntryHandle, body: Stored) => Stored
  /** Changes the content of a blob, which must keep its kind. */
  readonly blob?: (content: Uint8Array, place: BlobRef) => Uint8Array
  /** Bytes that refs name once they have changed. */
  readonly blobs?: () => Iterable<Uint8Array>
  /** Changes a record, which must keep its row, and content that the body of its entry fits. */
  readonly record?: (record: StoredRecord, log: LogId, position: number) => StoredRecord
  /** Refs that the new database holds, beside those of the old one. */
  readonly refs?: ReadonlyMap<RefName, RefValue>
  readonly ref?: (value: RefValue, name: RefName) => RefValue
  /** Changes an operation. The ids of all later operations must then change as well. */
  readonly operation?: (operation: Operation) => Operation
  /** Changes a part of the name of a ref, for instance the id of a session. */
  readonly namePart?: (part: string) => string
  /** Changes a title or label by which a search finds a session. */
  readonly sessionName?: (name: string) => string
  /** Drops the word index, which the caller makes again. */
  readonly dropWords?: true
  /** Changes what import noted about a path; undefined drops it. */
  readonly note?: (note: SourceNote, path: string) => SourceNote | undefined
}
