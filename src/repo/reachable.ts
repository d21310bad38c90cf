import { inOrder } from '../graph/order.ts'
import { isOid, type Oid } from '../model/encoding/oid.ts'
import { isObject, type Json } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Operation, RefValue } from '../model/operation.ts'
import { type BlobId, isLogId, type LogId } from '../model/record.ts'
import type { RefName } from '../model/refname.ts'
import type { DroppedOperations } from '../storage/rewrite/scope.ts'
import { operationsBetween } from './oplog/operationlog.ts'
import type { Reader } from './reader.ts'

/** Fields with hashes that are not oids. */
const NO_OIDS: ReadonlySet<string> = new Set(['hash', 'sha256'])

/** Fields of refs' values with a list of logs and record counts, and fields with a list of blobs. */
const LOGS: ReadonlySet<string> = new Set(['base', 'earlier'])
const BLOBS: ReadonlySet<string> = new Set(['tail', 'packed'])

type RecordCounts = readonly (readonly [LogId, number])[]

/** The content that a ref names. */
export interface NamedContent {
  readonly oids: ReadonlySet<Oid>
  /** The number of records of each log. */
  readonly logs: ReadonlyMap<LogId, number>
  readonly blobs: ReadonlySet<BlobId>
}

/** Returns the oids, logs and blobs in a ref's value, and oids in its name. */
export function namedBy(name: RefName, value: RefValue | undefined): NamedContent {
  const [oids, logs, blobs] = [new Set<Oid>(), new Map<LogId, number>(), new Set<BlobId>()]
  const addLog = (log: LogId, count: number): void => {
    logs.set(log, Math.max(count, logs.get(log) ?? 0))
  }
  const add = (key: string, held: Json): void => {
    if (typeof held === 'string') {
      if (isOid(held) && !NO_OIDS.has(key)) oids.add(held)
    } else if (LOGS.has(key)) for (const [log, count] of held as RecordCounts) addLog(log, count)
    else if (key === 'written') addLog(...(held as RecordCounts[number]))
    else if (BLOBS.has(key)) for (const blob of held as readonly BlobId[]) blobs.add(blob)
    else if (Array.isArray(held)) for (const part of held) add('', part as Json)
    else if (isObject(held)) {
      const { log, count } = held
      if (isLogId(log) && typeof count === 'number') addLog(log, count)
      for (const [field, part] of Object.entries(held)) add(field, part)
    }
  }
  for (const part of name.split('/')) add('', part)
  add('', value ?? null)
  return { oids, logs, blobs }
}

/**
 * The entries, records and blobs that refs reach. A field of a ref's value means the same in every ref, and every oid
 * in a value counts as a reference.
 */
export class Reachable {
  readonly entries = new Set<EntryHandle>()
  readonly logs = new Map<LogId, number>()
  readonly blobs: Set<BlobId> = new Set()
  readonly #reader: Reader
  readonly #oids = new Set<Oid>()
  /** Oids that were followed already. */
  readonly #done: Set<Oid>
  readonly #read: Map<LogId, number>

  /** With `known`, a result for the same store, adds to that result. */
  constructor(reader: Reader, known?: Reachable) {
    this.#reader = reader
    this.#read = known ? known.#read : new Map<LogId, number>()
    this.#done = known ? known.#done : new Set<Oid>()
    if (!known) return
    this.entries = known.entries
    this.logs = known.logs
    this.blobs = known.blobs
  }

  /** Adds the oids, logs and blobs in a ref's value, and oids in its name. `followAll` follows them. */
  addRef(name: RefName, value: RefValue | undefined): void {
    const { oids, logs, blobs } = namedBy(name, value)
    for (const oid of oids) if (!this.#done.has(oid)) this.#oids.add(oid)
    for (const [log, count] of logs) this.#log(log, count)
    for (const blob of blobs) this.blobs.add(blob)
  }

  #log(log: LogId, count: number): void {
    this.logs.set(log, Math.max(count, this.logs.get(log) ?? 0))
  }

  /** Returns the newest entry whose oid was added and not followed yet, or undefined. */
  async newest(): Promise<EntryHandle | undefined> {
    const found = await this.#reader.findMany(this.#oids)
    return (await inOrder(found.values(), (entry) => this.#reader.node(entry))).at(-1)
  }

  /** Follows everything that was added, and some further entries. */
  async followAll(handles: AsyncIterable<EntryHandle> | Iterable<EntryHandle> = []): Promise<void> {
    const found = await this.#reader.findMany(this.#oids)
    this.#oids.clear()
    for (const [oid, handle] of found) {
      await this.#follow(handle)
      this.#done.add(oid)
    }
    for await (const handle of handles) await this.#follow(handle)
    for (const [log, count] of this.logs) {
      const from = this.#read.get(log) ?? 0
      this.#read.set(log, Math.max(from, count))
      // Earlier values of refs may name records that a repair found lost.
      for await (const { headers } of this.#reader.readLog(log, { from, to: count }))
        for (const { entry, tip } of headers)
          for (const one of [entry, tip]) if (one !== undefined) await this.#follow(one)
    }
  }

  async #follow(first: EntryHandle): Promise<void> {
    const left = [first]
    for (let handle = left.pop(); handle !== undefined; handle = left.pop()) {
      if (this.entries.has(handle)) continue
      this.entries.add(handle)
      const { parents, links } = await this.#reader.node(handle)
      left.push(...parents)
      for (const link of [links.firstKept ?? [], links.kept ?? [], links.target ?? []].flat()) left.push(link)
    }
  }
}

/** Yields the oldest operations, up to the first one that is not before a time: clocks may go backwards. */
async function* operationsBefore(reader: Reader, time: number): AsyncGenerator<Operation> {
  let { operation: number } = (await reader.operationLog()).dropped
  for await (const operation of operationsBetween(reader, number)) {
    if (operation.number !== ++number || operation.time >= time) return
    yield operation
  }
}

/**
 * Returns the newest of the operations before a time that gc may drop. The newest operation of a store is never
 * dropped.
 */
export async function droppedBefore(reader: Reader, time: number): Promise<DroppedOperations> {
  const last = (await reader.operationLog()).latest
  let forgotten = (await reader.operationLog()).dropped
  for await (const { number, id } of operationsBefore(reader, time))
    if (number < last) forgotten = { operation: number, id }
  return forgotten
}

/**
 * Returns the newest entry that an operation before a time named, or undefined. Entries stored after it may have been
 * added at that time or later; entries stored before it were added earlier.
 */
export async function newestBefore(reader: Reader, time: number): Promise<EntryHandle | undefined> {
  const named = new Reachable(reader)
  for await (const { moves } of operationsBefore(reader, time))
    for (const move of moves) named.addRef(move.name, move.new)
  return named.newest()
}
