import type { BlobRef } from '../../model/canonical.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Operation, RefValue } from '../../model/operation.ts'
import type { BlobId, LogId } from '../../model/record.ts'
import type { RefName } from '../../model/refname.ts'
import type { SourceNote } from '../backend.ts'
import type { Stored, StoredRecord } from '../record.ts'

/** What of a store is kept when its database is written anew. */
export interface Kept {
  /** The entries: of each also all that it names. */
  readonly entries: { has(entry: EntryHandle): boolean }
  /** By log how many of its records; of a log that is not named, none. */
  readonly logs: ReadonlyMap<LogId, number>
  /** Bytes outside of logs. */
  readonly blobs: Iterable<BlobId>
  /** The newest operation that is not kept, and its id: 0 and '' where all are. */
  readonly forgotten: Forgotten
}

/** The newest operation that was let go. */
export interface Forgotten {
  readonly operation: number
  readonly id: string
}

/** Stands where no operation was let go. */
export const NOTHING_FORGOTTEN: Forgotten = { operation: 0, id: '' }

/**
 * What is changed on the way when a database is written anew, such as to remove what must not be in it. Each function
 * gives the same value where nothing changes. Nothing else changes with it: neither digests nor oids, nor the running
 * hashes of logs, nor the journal beside the database.
 */
export interface Revision {
  /** Takes the stored body of an entry, its large strings as the places of blobs. */
  readonly body?: (entry: EntryHandle, body: Stored) => Stored
  /** Takes the content of a blob (see `blob.ts`), by its place: it must keep its kind. */
  readonly blob?: (content: Uint8Array, place: BlobRef) => Uint8Array
  /** Takes a record. It must keep its row, and where it has one a content that its entry's body fits. */
  readonly record?: (record: StoredRecord, log: LogId, position: number) => StoredRecord
  readonly ref?: (value: RefValue, name: RefName) => RefValue
  /** Takes an operation. Where it changes, the ids of all that follow are to be made anew as well. */
  readonly operation?: (operation: Operation) => Operation
  /** Leaves the index of words out, to be told anew. */
  readonly forgetWords?: true
  /** Takes what import remembers of a path; undefined forgets it. */
  readonly note?: (note: SourceNote, path: string) => SourceNote | undefined
}
