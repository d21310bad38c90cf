import type { BlobRef } from '../../model/canonical.ts'
import type { Json } from '../../model/json.ts'
import type { Oid } from '../../model/oid.ts'
import type { RefName } from '../../model/refname.ts'
import type { Utf8Room } from '../../model/utf8room.ts'
import type {
  Awaitable,
  Backend,
  Beginning,
  Operation,
  RefValue,
  SourceNote,
  Transaction,
} from '../../storage/backend.ts'
import type { Row, Stored, StoredEnvelope } from '../../storage/record.ts'

/** A backend seen through another one: as that is, but for what is said otherwise. */
export class Through implements Backend {
  readonly now: Backend

  constructor(now: Backend) {
    this.now = now
  }

  get can(): Backend['can'] {
    return this.now.can
  }

  ref(name: RefName): Awaitable<RefValue | undefined> {
    return this.now.ref(name)
  }

  refs(prefix: string): AsyncIterable<[RefName, RefValue]> {
    return this.now.refs(prefix)
  }

  lastOperation(): Awaitable<number> {
    return this.now.lastOperation()
  }

  operation(number: number): Awaitable<Operation | undefined> {
    return this.now.operation(number)
  }

  begin(beginning?: Beginning): Transaction {
    return this.now.begin(beginning)
  }

  find(oid: Oid): ReturnType<Backend['find']> {
    return this.now.find(oid)
  }

  findAll(oids: Iterable<Oid>): ReturnType<Backend['findAll']> {
    return this.now.findAll(oids)
  }

  findPrefix(prefix: string, limit: number): ReturnType<Backend['findPrefix']> {
    return this.now.findPrefix(prefix, limit)
  }

  shortest(...asked: Parameters<Backend['shortest']>): ReturnType<Backend['shortest']> {
    return this.now.shortest(...asked)
  }

  node(row: Row): ReturnType<Backend['node']> {
    return this.now.node(row)
  }

  oid(row: Row): Awaitable<Oid> {
    return this.now.oid(row)
  }

  body(row: Row): Awaitable<Json> {
    return this.now.body(row)
  }

  filled(row: Row, envelope: StoredEnvelope): Awaitable<Json> {
    return this.now.filled(row, envelope)
  }

  addFilled(room: Utf8Room, row: Row, envelope: StoredEnvelope): Awaitable<void> {
    return this.now.addFilled(room, row, envelope)
  }

  fetch(rows: readonly Row[]): Promise<void> {
    return this.now.fetch(rows)
  }

  digest(row: Row): ReturnType<Backend['digest']> {
    return this.now.digest(row)
  }

  whole(stored: Stored): Awaitable<Json> {
    return this.now.whole(stored)
  }

  bytes(place: BlobRef): Awaitable<Uint8Array> {
    return this.now.bytes(place)
  }

  records(...range: Parameters<Backend['records']>): ReturnType<Backend['records']> {
    return this.now.records(...range)
  }

  spine(...range: Parameters<Backend['spine']>): ReturnType<Backend['spine']> {
    return this.now.spine(...range)
  }

  stretches(...range: Parameters<Backend['stretches']>): ReturnType<Backend['stretches']> {
    return this.now.stretches(...range)
  }

  record(log: number, position: number): ReturnType<Backend['record']> {
    return this.now.record(log, position)
  }

  next(): Awaitable<Row> {
    return this.now.next()
  }

  indexed(): Awaitable<Row> {
    return this.now.indexed()
  }

  words(): ReturnType<Backend['words']> {
    return this.now.words()
  }

  extent(session: string): ReturnType<Backend['extent']> {
    return this.now.extent(session)
  }

  extents(): ReturnType<Backend['extents']> {
    return this.now.extents()
  }

  list(): ReturnType<Backend['list']> {
    return this.now.list()
  }

  listMoment(): ReturnType<Backend['listMoment']> {
    return this.now.listMoment()
  }

  goesOn(log: number, position: number): Awaitable<boolean> {
    return this.now.goesOn(log, position)
  }

  noted(path: string): Awaitable<SourceNote | undefined> {
    return this.now.noted(path)
  }

  logs(): ReturnType<Backend['logs']> {
    return this.now.logs()
  }

  forgotten(): ReturnType<Backend['forgotten']> {
    return this.now.forgotten()
  }

  commits(): Awaitable<number> {
    return this.now.commits()
  }

  rows(...range: Parameters<Backend['rows']>): AsyncIterable<Row> {
    return this.now.rows(...range)
  }

  sizes(): ReturnType<Backend['sizes']> {
    return this.now.sizes()
  }

  verify(): AsyncIterable<string> {
    return this.now.verify()
  }

  close(): Promise<void> {
    return this.now.close()
  }
}
