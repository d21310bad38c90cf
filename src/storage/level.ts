import type { BlobRef } from '../model/canonical.ts'
import type { Digest } from '../model/entry.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { Oid } from '../model/oid.ts'
import type { RefName } from '../model/refname.ts'
import type { Utf8Room } from '../model/utf8room.ts'
import type {
  Awaitable,
  Backend,
  Beginning,
  Operation,
  RefValue,
  SourceNote,
  StoreSizes,
  Transaction,
} from './backend.ts'
import type { Spine } from './columns/spine.ts'
import type { Stretch } from './columns/stretch.ts'
import { Counters } from './counters.ts'
import { type Extent, readExtent, readExtents } from './extent.ts'
import { all, behind, numberAt, runKey, SPACE } from './keys.ts'
import type { Ledger } from './ledger/ledger.ts'
import { Loose } from './ledger/loose.ts'
import { type KeptList, type ListMoment, Lists } from './list.ts'
import { LogReader } from './logs.ts'
import { storageProblems } from './mend/verify.ts'
import { readNote } from './notes.ts'
import { Objects } from './objects.ts'
import { readOperation } from './operations.ts'
import type { Level } from './pairs.ts'
import { BLOB_PAGES } from './place.ts'
import type { Row, Stored, StoredEnvelope, StoredRecord } from './record.ts'
import { Refs } from './refs.ts'
import type { Forgotten, Kept } from './rewrite/kept.ts'
import type { Rewrite } from './rewrite/rewrite.ts'
import { allPaged } from './runs/pages.ts'
import { type Node, RUN } from './runs/run.ts'
import { decodeRun } from './runs/runcodec.ts'
import { unseal } from './seal.ts'
import { Table } from './table.ts'
import { LevelTransaction, type Parts } from './transaction.ts'
import { readWords } from './words/wordindex.ts'
import type { WordSegment } from './words/wordsegment.ts'

interface LevelOptions {
  readonly durable?: boolean
  readonly existing?: boolean
  readonly confirm?: () => void
  readonly ledger?: Ledger
  readonly closing?: () => () => void
}

/** The backend over LevelDB, and over anything else with the interface of abstract-level. */
export class LevelBackend implements Backend {
  readonly can: { readonly durable: boolean; readonly prefixes: boolean }
  readonly #level: Level
  readonly #table: Table
  readonly #objects: Objects
  readonly #counters: Counters
  readonly #closing: (() => () => void) | undefined
  readonly #loose: Loose
  readonly #logs: LogReader
  readonly #parts: Parts

  /**
   * Takes an open database, whose keys and values are bytes, and where its ledger is, if not in itself. `confirm` is
   * called after each write and before it is acknowledged, and throws where another process took the store over. One that
   * was made before (`existing`) is refused where it has lost its counters. `closing` is called before the database is closed, and what it gives then.
   */
  constructor(
    level: Level,
    { durable = true, existing = false, confirm = () => undefined, ledger, closing }: LevelOptions = {},
  ) {
    this.#closing = closing
    this.can = { durable, prefixes: true }
    this.#level = level
    this.#table = new Table(level, confirm, ledger)
    this.#objects = new Objects(this.#table)
    this.#counters = new Counters()
    this.#counters.raise(this.#table)
    this.#loose = new Loose(this.#table, this.#objects, this.#counters)
    // What the ledger does again may have put them; without them numbers would be given again.
    if (!this.#counters.raise(this.#table) && existing)
      throw new SessError('corrupt', 'the list of counters is missing')
    this.#parts = {
      table: this.#table,
      objects: this.#objects,
      counters: this.#counters,
      loose: this.#loose,
      lists: new Lists(this.#table),
      refs: new Refs(this.#table),
    }
    this.#logs = new LogReader(this.#table, (log) => this.#loose.unput(log), this.#loose.ends)
  }

  /** Whether a write failed: then the backend must be opened again. */
  get failed(): boolean {
    return this.#table.failed
  }

  /** Another number after each put. */
  get version(): number {
    return this.#table.version
  }

  /** Whether anything is on its way to the disk. */
  get isWriting(): boolean {
    return this.#table.isBusy
  }

  find(oid: Oid): Row | undefined {
    return this.#objects.find(oid)
  }

  findAll(oids: Iterable<Oid>): ReadonlyMap<Oid, Row> {
    return this.#objects.findAll(oids)
  }

  findPrefix(prefix: string, limit: number): Promise<Oid[]> {
    return this.#objects.findPrefix(prefix, limit)
  }

  shortest(oid: Oid): Promise<number> {
    return this.#objects.shortest(oid)
  }

  node(row: Row): Node {
    return this.#objects.node(row)
  }

  oid(row: Row): Oid {
    return this.#objects.oid(row)
  }

  body(row: Row): Json {
    return this.#objects.body(row)
  }

  filled(row: Row, envelope: StoredEnvelope): Json {
    return this.#objects.filled(row, envelope)
  }

  addFilled(room: Utf8Room, row: Row, envelope: StoredEnvelope): void {
    this.#objects.addFilled(room, row, envelope)
  }

  fetch(rows: readonly Row[]): Promise<void> {
    return this.#objects.fetch(rows)
  }

  digest(row: Row): Digest | undefined {
    return this.#objects.digest(row)
  }

  whole(stored: Stored): Json {
    return this.#objects.whole(stored)
  }

  bytes(place: BlobRef): Uint8Array {
    return this.#objects.bytes(place)
  }

  records(log: number, from: number, to: number, reverse = false): AsyncGenerator<[number, StoredRecord]> {
    return this.#logs.records(log, from, to, reverse)
  }

  spine(log: number, from: number, to: number, reverse = false): AsyncGenerator<[number, Spine]> {
    return this.#logs.spine(log, from, to, reverse)
  }

  stretches(log: number, from: number, to: number, reverse = false): AsyncGenerator<Stretch> {
    return this.#logs.stretches(log, from, to, reverse)
  }

  record(log: number, position: number): Awaitable<StoredRecord> {
    return this.#logs.record(log, position)
  }

  logs(): AsyncGenerator<readonly [log: number, count: number]> {
    return this.#logs.all()
  }

  goesOn(log: number, position: number): Awaitable<boolean> {
    return this.#logs.has(log, position)
  }

  ref(name: RefName): RefValue | undefined {
    return this.#parts.refs.read(name)
  }

  refs(prefix: string): AsyncGenerator<[RefName, RefValue]> {
    return this.#parts.refs.range(prefix)
  }

  lastOperation(): number {
    return this.#counters.operation - 1
  }

  operation(number: number): Operation | undefined {
    return readOperation(this.#table, number)
  }

  forgotten(): Forgotten {
    return this.#counters.forgotten
  }

  commits(): number {
    return this.#counters.commit
  }

  noted(path: string): SourceNote | undefined {
    return readNote(this.#table, path)
  }

  begin(beginning: Beginning = {}): Transaction {
    return new LevelTransaction(this.#parts, beginning)
  }

  async *rows(from = 0, to = Number.MAX_SAFE_INTEGER): AsyncGenerator<Row> {
    if (to - from <= RUN) {
      yield* this.#objects.rows(from, Math.min(to, this.next()))
      return
    }
    const end = behind(all(SPACE.run))
    const open = [...this.#objects.openRuns.values()].sort((a, b) => a.start - b.start)
    // The run that holds the first of these rows may begin before it.
    for await (const [key, value] of this.#table.range(runKey(Math.max(0, from - RUN + 1)), end)) {
      const start = numberAt(key, 1, 6)
      if (start >= to) return
      yield* decodeRun(start, unseal(key, value, `the run at ${start}`)).rows(from, to)
    }
    for (const run of open) yield* run.rows(from, to)
  }

  next(): Row {
    return this.#loose.next
  }

  indexed(): Row {
    return this.#counters.indexed
  }

  words(): AsyncGenerator<WordSegment> {
    return readWords(this.#table)
  }

  extent(session: string): Extent | undefined {
    return readExtent(this.#table, session)
  }

  extents(): Promise<Map<string, Extent>> {
    return readExtents(this.#table)
  }

  list(): KeptList | undefined {
    return this.#parts.lists.read()
  }

  listMoment(): ListMoment | undefined {
    return this.#parts.lists.moment()
  }

  async sizes(): Promise<StoreSizes> {
    let entries = 0
    for await (const _ of this.rows()) entries++
    let blobs = this.#objects.freshBlobs.size
    for await (const _ of this.#table.keys(all(SPACE.blob), behind(all(SPACE.blob)))) blobs++
    for await (const _ of allPaged(this.#table, BLOB_PAGES)) blobs++
    return { entries, blobs }
  }

  verify(): AsyncGenerator<string> {
    return storageProblems(this.#parts)
  }

  /** Has what is kept of this database taken into one that is written anew, but for what was taken before. */
  async takeInto(rewrite: Rewrite, kept: Kept, onProgress?: (entries: number) => void): Promise<void> {
    // All of it is read from its place, be the database a copy of its own.
    await this.#loose.place()
    await rewrite.take(this.#parts, kept, onProgress)
  }

  async close(): Promise<void> {
    try {
      await this.#loose.rest()
      if (!this.failed && this.#table.isBusy) {
        // Of a transaction that never ended: its numbers are not given again.
        const { key, value } = this.#counters.put()
        this.#table.put(key, value)
        await this.#table.commit()
      }
    } finally {
      const closed = this.#closing?.()
      await this.#level.close()
      closed?.()
    }
  }
}
