import { inOrder } from '../graph/order.ts'
import type { Oid } from '../model/encoding/oid.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Operation, RefValue } from '../model/operation.ts'
import type { BlobId, LogId } from '../model/record.ts'
import type { RefName } from '../model/refname.ts'
import { checkedValue, referencesOf } from '../model/refs/table.ts'
import type { DroppedOperations } from '../storage/rewrite/scope.ts'
import { operationsBetween } from './oplog/operationlog.ts'
import type { Reader } from './reader.ts'

/** The entries, records and blobs that refs reach. */
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

  /** Adds what a ref names or named. `followAll` follows it. A former value of another form names nothing. */
  addRef(name: RefName, value: RefValue | undefined): void {
    const { oids, logs, blobs } = referencesOf(name, value)
    for (const oid of oids) if (!this.#done.has(oid)) this.#oids.add(oid)
    for (const [log, count] of logs) this.#log(log, count)
    for (const blob of blobs) this.blobs.add(blob)
  }

  /** Adds what all refs of the store name. Throws `corrupt` where one has not the form of its kind. */
  async addAllRefs(): Promise<void> {
    for await (const [name, value] of this.#reader.refs('')) this.addRef(name, checkedValue(name, value))
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
