import type { Awaitable } from '../model/async.ts'
import type { Digest } from '../model/encoding/entry.ts'
import type { Oid } from '../model/encoding/oid.ts'
import type { Json } from '../model/json.ts'
import type { EntryHandle, Node, NodeLinks } from '../model/node.ts'
import type { Operation, OperationLog, OperationRange, RefMove, RefValue } from '../model/operation.ts'
import type { BlobId, LogId, NewRecord, RecordBatch, RecordRange, WriterId } from '../model/record.ts'
import type { Encoded } from '../model/recordencoder.ts'
import type { RefName } from '../model/refname.ts'
import type { SearchIndex, SearchIndexWriter } from '../model/search/searchindex.ts'
import type { Weight } from '../model/tokens.ts'
import type { Traits } from '../model/view.ts'

/** An entry to be stored. Its parents and the entries that it links to are stored already. */
export interface NewEntry {
  readonly oid: Oid
  readonly type: string
  /** First parent first. */
  readonly parents: readonly EntryHandle[]
  readonly links: NodeLinks
  readonly digest: Digest
  readonly traits: Traits
  /** The weight of the entry alone. */
  readonly weight: Weight
  readonly body: Json
  /** The canonical bytes of the body, where they are at hand. */
  readonly canonical?: Uint8Array | undefined
  /** The canonical bytes in a buffer that is reused: valid during the call. */
  readonly encoded?: Encoded | undefined
}

/** The state of a source when it was last read, by path, so that an unchanged file costs a `stat`. */
export interface SourceNote {
  readonly [key: string]: Json
}

/** The point in time that a session list was made for. */
export interface ListState {
  readonly operation: number
  readonly commits: number
  readonly sessions: number
}

/** The list of sessions, in bytes that storage does not interpret. */
export interface SessionList extends ListState {
  readonly bytes: Uint8Array
}

/** The state of reading the source of a log up to some record. */
export interface KeptReaderState {
  /** In bytes that storage does not interpret. */
  readonly bytes: Uint8Array
  /** The entries that the records up to there carry, by position. */
  readonly entries: readonly (EntryHandle | undefined)[]
}

/** Derived data that may be dropped at any time: refs and sources hold the same. */
export interface Cache {
  source(path: string): Awaitable<SourceNote | undefined>
  /**
   * Returns whether a ref has the value that it had when a note was put with it: much cheaper than reading a long value.
   * False where that is unknown.
   */
  isAsNoted(note: SourceNote, ref: RefName): Awaitable<boolean>
  /** Returns the state of reading the source of a log that was kept last. */
  readerState(log: LogId): Awaitable<KeptReaderState | undefined>
  list(): Awaitable<SessionList | undefined>
  listState(): Awaitable<ListState | undefined>
  /** Returns the counts of usage that sessions share, in bytes that storage does not interpret. */
  counts(): Awaitable<Uint8Array | undefined>
  /** Returns the memory of what was made of the refs with the prefix of a session, if there is one. */
  session?(this: void, prefix: string): SessionMemory
}

/** Remembers what was made of the refs of a session until one of them moves. */
export interface SessionMemory {
  readonly known: object | undefined
  /** Remembers what was made of so many refs, unless some moved since the memory was asked for. */
  remember(made: object, refs: number): void
}

export interface StoreSizes {
  readonly entries: number
  readonly blobs: number
}

/** Returns the operation with the next free number, for the commit with a number that grows by one each time. */
export type MakeOperation = (next: number, commit: number) => Operation

/**
 * Collects writes. They are visible through the backend at once, and durable, with all ref moves or none of them, when
 * `commit` resolves. Entries and records of a transaction that is never committed stay unreferenced. A transaction
 * builds only on entries that it added itself or that are committed.
 */
export interface Transaction {
  /** Returns the handle of an entry, which is stored unless it is there. */
  addEntry(entry: NewEntry): EntryHandle
  /** Returns a new, empty log of this store's writer. */
  newLog(): LogId
  /** Appends a record to a log, of any writer. Positions of a log are consecutive, and none is written twice. */
  appendRecord(log: LogId, position: number, record: NewRecord): void
  /** Stores bytes outside of any log. */
  putBlob(bytes: Uint8Array): BlobId
  /** Moves refs, each only from its old value: throws `conflict` where one has moved, here or in `commit`. */
  moveRefs(moves: readonly RefMove[]): void
  /**
   * Adds an operation when the transaction commits. An operation to which `make` gives the number of the newest one
   * replaces that.
   */
  addOperation(make: MakeOperation): void
  /** Puts a note about a source, with a field `head` that identifies the value of a ref, if one is named. */
  noteSource(path: string, note: SourceNote, ref?: RefName): void
  /** Keeps the state of reading the source of a log, in the place of the one before. */
  keepReaderState(log: LogId, state: KeptReaderState): void
  keepList(list: SessionList): void
  /** Keeps the counts of usage that sessions share, in the place of those before. */
  keepCounts(bytes: Uint8Array): void
  readonly index: SearchIndexWriter
  /** Makes again, from the records, what `recordRanges` is answered from. */
  rebuildZoneMaps(): Promise<void>
  /** Waits until little is buffered. To be called now and then in long transactions. */
  flush(): Promise<void>
  /** How many entries and blobs it stored so far that were not there. */
  readonly created: { readonly entries: number; readonly blobs: number }
  commit(): Promise<void>
  /** Discards what was collected. */
  abandon(): void
}

/** How a transaction packs. */
export interface PackingOptions {
  /** Pack what is added into pages at once: for imports, not for single appends. */
  readonly bulk?: boolean
  /** Compress more, which takes longer. */
  readonly dense?: boolean
}

/**
 * An implementation of storage. Laws, checked by the conformance suite (`sess/conformance`):
 * - an entry that was added is found by its oid, keeps its handle while the backend is open, and returns its body;
 * - adding it again changes nothing and returns the same handle; its order is larger than that of its ancestors;
 * - a ref moves only from its old value; of several moves in one transaction all happen or none;
 * - what a resolved commit wrote is there after a crash, where the backend is durable;
 * - a lookup of words finds each entry that has them.
 * Reads may answer at once or with a promise, so that a local backend costs no turn of the event loop.
 */
export interface Backend {
  /** `durable` is false where it forgets, `prefixes` where it finds no oid by prefix. */
  readonly capabilities: { readonly durable: boolean; readonly prefixes: boolean }
  /** The writer of the logs that are begun here. */
  readonly writer: WriterId
  find(oid: Oid): Awaitable<EntryHandle | undefined>
  /**
   * Returns the handles of those oids that are there, in their order: of many, much cheaper than one by one. Calls `check`
   * now and then where it takes long, and ends with what that throws.
   */
  findMany(oids: Iterable<Oid>, check?: () => void): Awaitable<ReadonlyMap<Oid, EntryHandle>>
  /** Returns the oids that begin with some hex digits (4 or more), at most `limit` of them. */
  findByPrefix(prefix: string, limit: number): Promise<Oid[]>
  node(entry: EntryHandle): Awaitable<Node>
  oid(entry: EntryHandle): Awaitable<Oid>
  body(entry: EntryHandle): Awaitable<Json>
  /** Returns the canonical bytes of a body. */
  canonicalBody(entry: EntryHandle): Awaitable<Uint8Array>
  /**
   * Reads ahead the bodies of entries, where reading many together is cheaper. Throws nothing: `body` reports damage.
   */
  prefetch(entries: readonly EntryHandle[]): Promise<void>
  /**
   * Yields all entries, unreachable ones included, parents before children; where given, only those after another one.
   */
  entries(after?: EntryHandle): AsyncIterable<EntryHandle>
  /** Yields the records of a log. */
  readLog(log: LogId, range: RecordRange): AsyncIterable<RecordBatch>
  /**
   * Returns the parts of the first `count` records of a log outside of which none carries an entry or reports its usage,
   * the last part first. A backend without an index returns them all.
   */
  recordRanges(log: LogId, count: number, entry: EntryHandle): Awaitable<readonly RecordRange[]>
  /**
   * Returns how many records a log has. It may be more than its head says: records that were undone stay, and what is
   * to follow the head then belongs into a new log.
   */
  logLength(log: LogId): Awaitable<number>
  /** Yields all logs, each with its length. */
  logs(): AsyncIterable<readonly [log: LogId, length: number]>
  /** Throws `corrupt` where the bytes are missing or are not those that were stored. */
  readBlob(blob: BlobId): Awaitable<Uint8Array>
  ref(name: RefName): Awaitable<RefValue | undefined>
  /** Yields the refs whose names begin with a prefix, in the order of names; with `after` those that come after a text. */
  refs(prefix: string, after?: string): AsyncIterable<[RefName, RefValue]>
  operation(number: number): Awaitable<Operation | undefined>
  /** Yields the operations of a range that are there: it may have gaps where the store is damaged. */
  operations(range: OperationRange): AsyncIterable<Operation>
  operationLog(): Awaitable<OperationLog>
  readonly cache: Cache
  readonly index: SearchIndex
  begin(packing?: PackingOptions): Transaction
  /** Counts what is stored. Calls `check` as `findMany` does. */
  sizes(check?: () => void): Promise<StoreSizes>
  /** Verifies what only the backend can see, and yields a line for each thing that is wrong. */
  verify(): AsyncIterable<string>
  close(): Promise<void>
}
