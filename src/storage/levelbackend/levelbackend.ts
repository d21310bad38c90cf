import type { Awaitable } from '../../model/async.ts'
import { BlobRef } from '../../model/encoding/canonical.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { EntryHandle, Node } from '../../model/node.ts'
import type { Operation, OperationLog, OperationRange, RefValue } from '../../model/operation.ts'
import type {
  BlobId,
  LargeChunk,
  LogId,
  LogRecord,
  RecordBatch,
  RecordContent,
  RecordHeader,
  RecordRange,
  WriterId,
} from '../../model/record.ts'
import type { RefName } from '../../model/refname.ts'
import type { SearchIndex } from '../../model/search/searchindex.ts'
import type { UsageCounts } from '../../model/view.ts'
import type { Backend, Cache, PackingOptions, StoreSizes, Transaction } from '../backend.ts'
import { storageProblems } from '../check/verify.ts'
import type { Rewrite } from '../rewrite/rewrite.ts'
import type { OnCopied, RewriteScope } from '../rewrite/scope.ts'
import { LevelSearchIndex } from '../search/searchindex.ts'
import { readCounts, readReaderState, readSourceNote, SessionListCache } from './caches.ts'
import { Counters } from './counters.ts'
import { prefixEnd, SPACE, spaceKey } from './keys.ts'
import type { KeyValueDatabase } from './keyvalue.ts'
import { KeyValueStore } from './keyvaluestore.ts'
import { Memtable } from './memtable.ts'
import { Objects } from './objects.ts'
import { readOperation, readOperations } from './operations.ts'
import type { LogReader } from './recordlogs.ts'
import { Refs } from './refs.ts'
import { handleOf, optionalHandle, rowOf, rowsOf } from './rows.ts'
import type { StoredBatch, StoredHeader, StoredRecord } from './storedrecord.ts'
import { type LevelParts, LevelTransaction } from './transaction.ts'
import { ZoneIndex } from './zoneindex.ts'

interface LevelBackendOptions {
  readonly durable?: boolean
  readonly existing?: boolean
  readonly confirm?: () => void
  readonly closing?: () => () => void
  /** Returns the writer of this store's own logs. */
  readonly writer?: () => WriterId
}

/** The number of entries that are counted between two checks. */
const COUNTED_AT_ONCE = 1024

/** The writer of a database that no store folder identifies, such as one in memory. */
const NO_WRITER = '0'.repeat(16) as WriterId

/** The backend over LevelDB, and over anything else with the interface of abstract-level. */
export class LevelBackend implements Backend {
  readonly capabilities: { readonly durable: boolean; readonly prefixes: boolean }
  readonly cache: Cache
  readonly index: SearchIndex
  readonly #level: KeyValueDatabase
  readonly #store: KeyValueStore
  readonly #objects: Objects
  readonly #counters: Counters
  readonly #closing: (() => () => void) | undefined
  readonly #memtable: Memtable
  readonly #logs: LogReader
  readonly #parts: LevelParts

  /**
   * Uses an open database, whose keys and values are bytes. `confirm` is called after each write and before it is
   * acknowledged, and throws where another process took the store over. With `existing` a database without counters is
   * refused as `corrupt`. `closing` is called before the database is closed, and the function that it returns after
   * that.
   */
  constructor(
    level: KeyValueDatabase,
    {
      durable = true,
      existing = false,
      confirm = () => undefined,
      closing,
      writer = () => NO_WRITER,
    }: LevelBackendOptions = {},
  ) {
    this.#closing = closing
    this.capabilities = { durable, prefixes: true }
    this.#level = level
    this.#store = new KeyValueStore(level, confirm)
    this.#objects = new Objects(this.#store)
    this.#counters = new Counters()
    this.#counters.load(this.#store)
    this.#memtable = new Memtable(this.#store, this.#objects, this.#counters)
    // The commit log may hold the counters. Without them numbers would be used twice.
    if (!this.#counters.load(this.#store) && existing)
      throw new SessError('corrupt', 'the list of counters is missing')
    let known: WriterId | undefined
    this.#parts = {
      store: this.#store,
      objects: this.#objects,
      counters: this.#counters,
      memtable: this.#memtable,
      lists: new SessionListCache(this.#store),
      refs: new Refs(this.#store),
      zones: new ZoneIndex(this.#store, this.#memtable.reader),
      writer: () => (known ??= writer()),
    }
    const { lists, refs } = this.#parts
    this.cache = {
      source: (path) => readSourceNote(this.#store, path),
      readerState: (log) => readReaderState(this.#store, log),
      counts: () => readCounts(this.#store),
      isAsNoted: ({ head }, ref) => head !== undefined && head === refs.version(ref),
      list: () => lists.read(),
      listState: () => lists.state(),
      session: (prefix) => refs.session(prefix),
    }
    this.index = new LevelSearchIndex(this.#parts, () => this.#memtable.next)
    this.#logs = this.#memtable.reader
  }

  /** Whether a write failed: then the backend must be opened again. */
  get failed(): boolean {
    return this.#store.writes.failed
  }

  /** A number that changes with each put. */
  get version(): number {
    return this.#store.version
  }

  /** Whether a write is in flight. */
  get isWriting(): boolean {
    return this.#store.writes.isBusy
  }

  get writer(): WriterId {
    return this.#parts.writer()
  }

  find(oid: Oid): EntryHandle | undefined {
    const row = this.#objects.find(oid)
    return row === undefined ? undefined : handleOf(row)
  }

  findMany(oids: Iterable<Oid>, check?: () => void): Awaitable<ReadonlyMap<Oid, EntryHandle>> {
    return this.#objects.findMany(oids, check) as Awaitable<ReadonlyMap<Oid, EntryHandle>>
  }

  findByPrefix(prefix: string, limit: number): Promise<Oid[]> {
    return this.#objects.findByPrefix(prefix, limit)
  }

  node(entry: EntryHandle): Node {
    return this.#objects.node(rowOf(entry))
  }

  oid(entry: EntryHandle): Oid {
    return this.#objects.oid(rowOf(entry))
  }

  body(entry: EntryHandle): Json {
    return this.#objects.body(rowOf(entry))
  }

  canonicalBody(entry: EntryHandle): Uint8Array {
    return this.#objects.canonicalBody(rowOf(entry))
  }

  prefetch(entries: readonly EntryHandle[]): Promise<void> {
    return this.#objects.prefetch(rowsOf(entries))
  }

  async *entries(after?: EntryHandle): AsyncGenerator<EntryHandle> {
    const from = after === undefined ? 0 : rowOf(after) + 1
    for await (const row of this.#objects.rowsFrom(from, Number.MAX_SAFE_INTEGER)) yield handleOf(row)
  }

  async *readLog(log: LogId, { from, to, reverse = false }: RecordRange): AsyncGenerator<RecordBatch> {
    for await (const batch of this.#logs.batches(log, from, to, reverse)) yield this.#batchOf(batch)
  }

  #batchOf({ start, headers, records }: StoredBatch): RecordBatch {
    return {
      start,
      headers: headers.map(headerOf),
      records: () => records().map((record) => new LevelRecord(record, this.#objects)),
    }
  }

  recordRanges(log: LogId, count: number, entry: EntryHandle): Awaitable<readonly RecordRange[]> {
    return this.#parts.zones.ranges(log, count, rowOf(entry))
  }

  logLength(log: LogId): Promise<number> {
    return this.#logs.length(log)
  }

  logs(): AsyncGenerator<readonly [log: LogId, length: number]> {
    return this.#logs.all()
  }

  readBlob(blob: BlobId): Uint8Array {
    return this.#objects.readBlob(blob)
  }

  ref(name: RefName): RefValue | undefined {
    return this.#parts.refs.read(name)
  }

  refs(prefix: string, after?: string): AsyncGenerator<[RefName, RefValue]> {
    return this.#parts.refs.range(prefix, after)
  }

  operation(number: number): Operation | undefined {
    return readOperation(this.#store, number)
  }

  operations(range: OperationRange): AsyncGenerator<Operation> {
    return readOperations(this.#store, range)
  }

  operationLog(): OperationLog {
    const { operation, dropped, commit } = this.#counters
    return { latest: operation - 1, dropped, commits: commit }
  }

  begin(packing: PackingOptions = {}): Transaction {
    return new LevelTransaction(this.#parts, packing)
  }

  async sizes(check: () => void = () => undefined): Promise<StoreSizes> {
    let entries = 0
    for await (const _ of this.entries()) if (++entries % COUNTED_AT_ONCE === 0) check()
    let blobs = this.#objects.pendingBlobs.size
    for await (const _ of this.#store.keys(spaceKey(SPACE.blob), prefixEnd(spaceKey(SPACE.blob))))
      if (++blobs % COUNTED_AT_ONCE === 0) check()
    return { entries, blobs }
  }

  verify(): AsyncGenerator<string> {
    return storageProblems(this.#parts)
  }

  /** Copies what a rewrite keeps of this database and has not copied yet. */
  async copyInto(rewrite: Rewrite, kept: RewriteScope, onCopied?: OnCopied): Promise<void> {
    // The rewrite reads pages, blocks and segments only.
    await this.#memtable.checkpoint()
    await rewrite.copy(this.#parts, kept, onCopied)
  }

  async close(): Promise<void> {
    try {
      await this.#memtable.settled()
      if (!this.failed && this.#store.writes.isBusy) {
        // Written for a transaction that never ended: its numbers are not used again.
        const { key, value } = this.#counters.put()
        this.#store.put(key, value)
        await this.#store.commit().catch((error: unknown) => {
          // Nothing that was acknowledged depends on it.
          if (!(error instanceof SessError && error.code === 'no-space')) throw error
        })
      }
    } finally {
      await this.#closeLevel()
    }
  }

  /** A database that stays open would lock out all other processes until this one ends. */
  async #closeLevel(): Promise<void> {
    let closed: (() => void) | undefined
    try {
      closed = this.#closing?.()
    } finally {
      await this.#level.close()
    }
    closed?.()
  }
}

const headerOf = ({ row, tip, time, native, usage }: StoredHeader): RecordHeader => ({
  entry: optionalHandle(row),
  tip: optionalHandle(tip),
  time,
  native,
  usage,
})

/** A record whose large strings are put back when its content is read. */
class LevelRecord implements LogRecord {
  readonly #stored: StoredRecord
  readonly #objects: Objects
  readonly entry: EntryHandle | undefined
  readonly tip: EntryHandle | undefined
  readonly time: number | undefined
  readonly native: string | undefined
  readonly usage: UsageCounts | undefined
  readonly lead: Uint8Array

  constructor(stored: StoredRecord, objects: Objects) {
    this.#stored = stored
    this.#objects = objects
    this.entry = optionalHandle(stored.row)
    this.tip = optionalHandle(stored.tip)
    this.time = stored.time
    this.native = stored.native
    this.usage = stored.usage
    this.lead = stored.lead
  }

  #chunk(chunk: Uint8Array | BlobRef): Uint8Array | LargeChunk {
    return chunk instanceof BlobRef ? { read: () => this.#objects.bytesOfBlob(chunk) } : chunk
  }

  get content(): RecordContent {
    const { content } = this.#stored
    if ('raw' in content) return { raw: content.raw.map((chunk) => this.#chunk(chunk)) }
    const { shape, values, spelling } = content
    return { shape, values: this.#objects.withBlobs(values) as readonly Json[], spelling }
  }
}
