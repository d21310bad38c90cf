import { type BlobRef, encode } from '../../model/encoding/canonical.ts'
import { SessError } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import { type RefMove, sameValue } from '../../model/operation.ts'
import { type BlobId, type LogId, logId, type NewRecord, type WriterId } from '../../model/record.ts'
import { EncodedEnvelope } from '../../model/recordencoder.ts'
import type { RefName } from '../../model/refname.ts'
import type { SearchIndexWriter } from '../../model/search/searchindex.ts'
import type {
  KeptReaderState,
  MakeOperation,
  NewEntry,
  PackingOptions,
  SessionList,
  SourceNote,
  Transaction,
} from '../backend.ts'
import { LevelSearchIndexWriter } from '../search/searchindex.ts'
import { BLOB_CHARS, blobIdOf, isShort } from './blob.ts'
import { countsPut, readerStatePut, type SessionListCache } from './caches.ts'
import { CommitEncoder } from './commitlog.ts'
import type { Counters } from './counters.ts'
import { EntryPacker } from './entrypacker.ts'
import { rowLinks } from './entrypage.ts'
import { sourceKey } from './keys.ts'
import { ChecksummedPut, type Put } from './keyvalue.ts'
import type { KeyValueStore } from './keyvaluestore.ts'
import type { Memtable } from './memtable.ts'
import type { Objects } from './objects.ts'
import { operationPut } from './operations.ts'
import { LogWriter } from './recordlogs.ts'
import { type Refs, versionOf } from './refs.ts'
import { handleOf, optionalRow, rowsOf } from './rows.ts'
import type { StoredContent, StoredRecord } from './storedrecord.ts'
import type { ZoneIndex } from './zoneindex.ts'

/** The pending bytes beyond which a bulk transaction writes before it commits. */
const FLUSH_BYTES = 2 << 20

/** The number of logs with an open segment: an import writes one log after the other and returns to none. */
const OPEN_LOGS = 2

/** The parts of a backend that a transaction reads and changes. */
export interface LevelParts {
  readonly store: KeyValueStore
  readonly objects: Objects
  readonly counters: Counters
  readonly memtable: Memtable
  readonly lists: SessionListCache
  readonly refs: Refs
  readonly zones: ZoneIndex
  /** The writer of this store's own logs. Drawn at the first call, by the process that holds the database. */
  readonly writer: () => WriterId
}

/** A transaction on a LevelDB table. */
export class LevelTransaction implements Transaction {
  readonly #parts: LevelParts
  /** The lowest row that its first entry may get. */
  readonly #firstRow: number
  readonly #store: KeyValueStore
  readonly #counters: Counters
  readonly #memtable: Memtable
  readonly #lists: SessionListCache
  readonly #refs: Refs
  /** The encoder of a small transaction, which goes to the commit log. */
  readonly #commit: CommitEncoder | undefined
  /** The packers of a bulk transaction, which writes pages, blocks and segments. */
  readonly #bulk: { readonly packer: EntryPacker; readonly logs: LogWriter } | undefined
  readonly #records: (readonly [log: LogId, position: number, record: StoredRecord])[] = []
  /** The position after the last record of this transaction, by log. */
  readonly #ends = new Map<LogId, number>()
  // Refs, operation and notes are written last, so that everything before stays invisible.
  readonly #moves = new Map<RefName, RefMove>()
  readonly #readerStates = new Map<LogId, KeptReaderState>()
  readonly #notes = new Map<string, { readonly note: SourceNote; readonly ref: RefName | undefined }>()
  #counts: Uint8Array | undefined
  #created = { entries: 0, blobs: 0 }
  /** Whether it drew a number that must not be drawn again. */
  #drewNumber = false
  #index: LevelSearchIndexWriter | undefined
  #operation: MakeOperation | undefined
  #list: SessionList | undefined

  constructor(parts: LevelParts, { bulk, dense = false }: PackingOptions) {
    const { store, objects, counters, memtable, lists, refs } = parts
    counters.check()
    this.#parts = parts
    this.#firstRow = memtable.next
    this.#store = store
    this.#counters = counters
    this.#memtable = memtable
    this.#lists = lists
    this.#refs = refs
    if (bulk)
      this.#bulk = {
        packer: new EntryPacker({ to: store, objects, counters, dense }),
        logs: new LogWriter(store, memtable.ends, memtable.reader, OPEN_LOGS),
      }
    else this.#commit = new CommitEncoder()
  }

  get created(): { readonly entries: number; readonly blobs: number } {
    return this.#created
  }

  get #packer(): EntryPacker {
    return this.#bulk?.packer ?? this.#memtable.packer
  }

  /** Adds something, and counts the entries and blobs that this created. */
  #add<T>(add: (packer: EntryPacker, commit: CommitEncoder | undefined) => T): T {
    const packer = this.#packer
    const [entries, blobs] = [packer.entries, packer.blocks.created]
    const added = add(packer, this.#commit)
    this.#created.entries += packer.entries - entries
    this.#created.blobs += packer.blocks.created - blobs
    return added
  }

  addEntry(entry: NewEntry): EntryHandle {
    // Field by field: the rest of a pattern is copied by name, which takes as long as packing a small entry.
    const stored = {
      oid: entry.oid,
      type: entry.type,
      parents: rowsOf(entry.parents),
      links: rowLinks(entry.links),
      digest: entry.digest,
      traits: entry.traits,
      weight: entry.weight,
      body: entry.body,
      canonical: entry.canonical,
      encoded: entry.encoded,
    }
    return handleOf(this.#add((packer, commit) => packer.add(stored, commit)))
  }

  newLog(): LogId {
    const log = logId(this.#parts.writer(), this.#counters.log++)
    this.#drewNumber = true
    // Segments may be written before the commit: the number must not be used again after a crash.
    if (this.#bulk) this.#put(this.#counters.put())
    return log
  }

  appendRecord(
    log: LogId,
    position: number,
    { entry, tip, time, native, usage, lead, content: held }: NewRecord,
  ): void {
    const content = this.#stored(held)
    const stored = { row: optionalRow(entry), tip: optionalRow(tip), time, native, usage, lead, content }
    if (this.#bulk) {
      this.#bulk.logs.append(log, position, stored)
      return
    }
    if ((this.#ends.get(log) ?? position) !== position)
      throw new RangeError('positions of a log are consecutive')
    this.#ends.set(log, position + 1)
    this.#records.push([log, position, stored])
  }

  #stored(content: NewRecord['content']): StoredContent {
    if ('raw' in content && content.raw.length === 0) return content
    if ('raw' in content)
      return { raw: content.raw.map((bytes) => (bytes.length < BLOB_CHARS ? bytes : this.#keepBytes(bytes))) }
    if (content instanceof EncodedEnvelope)
      return this.#add((packer, commit) => packer.blocks.spillEnvelope(content, commit))
    if (content.values.every(isShort)) return content
    const values = content.values.map((value) =>
      this.#add((packer, commit) => packer.blocks.spill(value, commit)),
    )
    return { ...content, values }
  }

  putBlob(bytes: Uint8Array): BlobId {
    this.#keepBytes(bytes)
    return blobIdOf(bytes)
  }

  #keepBytes(bytes: Uint8Array): BlobRef {
    return this.#add((packer, commit) => packer.blocks.keepBytes(bytes, commit))
  }

  moveRefs(moves: readonly RefMove[]): void {
    for (const move of moves) {
      const before = this.#moves.get(move.name)
      if (before && !sameValue(before.new, move.old)) throw new SessError('conflict', move.name)
      this.#moves.set(move.name, before ? { ...move, old: before.old } : move)
    }
  }

  addOperation(make: MakeOperation): void {
    this.#operation = make
  }

  noteSource(path: string, note: SourceNote, ref?: RefName): void {
    this.#notes.set(path, { note, ref })
  }

  keepReaderState(log: LogId, state: KeptReaderState): void {
    this.#readerStates.set(log, state)
  }

  /** Created on demand: most appends write nothing to the index. */
  get index(): SearchIndexWriter {
    this.#index ??= new LevelSearchIndexWriter(this.#parts, this.#firstRow, () => this.#packer.next)
    return this.#index
  }

  keepList(list: SessionList): void {
    this.#list = list
  }

  keepCounts(bytes: Uint8Array): void {
    this.#counts = bytes
  }

  async rebuildZoneMaps(): Promise<void> {
    await this.#memtable.checkpoint()
    await this.#parts.zones.rebuild()
  }

  abandon(): void {
    const counters = this.#store.writes.failed ? [] : [this.#counters.put()]
    if (this.#bulk) {
      this.#bulk.packer.abandon()
      this.#bulk.logs.abandon()
      // Pages and segments that were written stay unreferenced.
      for (const put of counters) this.#put(put)
    } else if (this.#commit?.length || this.#drewNumber) {
      this.#memtable.reset()
      if (counters.length > 0) this.#log(counters, new CommitEncoder())
    }
  }

  async flush(): Promise<void> {
    if (!this.#bulk) return
    await this.#bulk.packer.blocks.throttle()
    await this.#bulk.logs.throttle()
    if (this.#store.writes.pendingBytes <= FLUSH_BYTES) return
    await this.#memtable.checkpoint()
    this.#put(this.#counters.put())
    await this.#store.commit()
  }

  #put({ key, value }: Put): void {
    this.#store.put(key, value)
  }

  commit(): Promise<void> {
    if (this.#bulk) return this.#commitBulk(this.#bulk.packer, this.#bulk.logs)
    try {
      // Without a turn of the event loop, so that concurrent appends keep their order. What may be refused comes first,
      // so that a refused transaction adds no record.
      const [puts, commit] = [this.#finish(), this.#commit as CommitEncoder]
      for (const [log, position, record] of this.#records) {
        this.#memtable.logs.append(log, position, record)
        commit.record(log, position, record)
      }
      this.#log(puts, commit)
      return this.#store.commit()
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #log(puts: readonly Put[], commit: CommitEncoder): void {
    for (const put of puts) commit.put(put)
    this.#memtable.committed(commit.bytes, this.#store.addCommit(commit.bytes, puts))
  }

  async #commitBulk(packer: EntryPacker, logs: LogWriter): Promise<void> {
    await Promise.all([packer.close(), logs.close(), this.#memtable.checkpoint()])
    const puts = this.#finish()
    // Only the counters, unchanged: there is nothing to make durable.
    if (puts.length === 1 && !this.#drewNumber && !this.#store.writes.isBusy) return
    for (const put of puts) this.#put(put)
    await this.#store.commit()
  }

  #notePuts(moved: readonly Put[]): Put[] {
    if (this.#notes.size === 0) return []
    const versions = new Map([...this.#moves.keys()].map((name, i) => [name, moved[i]?.value]))
    return Array.from(this.#notes, ([path, { note, ref }]) => {
      const value = ref && versions.get(ref)
      const head = value ? versionOf(value) : ref && this.#refs.version(ref)
      return new ChecksummedPut(sourceKey(path), encode(head === undefined ? note : { ...note, head }))
    })
  }

  /** Returns the last puts. Throws `conflict` where a ref has moved, before anything is put. */
  #finish(): Put[] {
    const puts = this.#refs.puts(this.#moves.values())
    puts.push(...this.#notePuts(puts))
    for (const [log, state] of this.#readerStates) puts.push(readerStatePut(log, state))
    puts.push(...(this.#index?.puts() ?? []))
    const operation = this.#operation?.(this.#counters.operation, this.#counters.commit + 1)
    if (operation) {
      puts.push(operationPut(operation))
      this.#counters.operation = Math.max(this.#counters.operation, operation.number + 1)
      this.#counters.commit++
    }
    if (this.#list) puts.push(...this.#lists.keep(this.#list))
    if (this.#counts) puts.push(countsPut(this.#counts))
    puts.push(this.#counters.put())
    return puts
  }
}
