import { type BlobRef, encode } from '../model/canonical.ts'
import type { NewRecord, Operation, RefMove, SourceNote, Transaction } from './backend.ts'
import type { RefName } from '../model/refname.ts'
import { BLOB_CHARS } from './blob.ts'
import type { Counters } from './counters.ts'
import { segmentKey, sourceKey } from './keys.ts'
import { LogPacker } from './logs.ts'
import type { Objects } from './objects.ts'
import { putOperation } from './operations.ts'
import { type NewEntry, Packer } from './packer.ts'
import type { Content, Row } from './record.ts'
import { moveRefs } from './refs.ts'
import { seal } from './seal.ts'
import type { Table } from './table.ts'

/** Bytes that a transaction gathers before it writes them ahead of its end. */
const WRITE_AHEAD = 4 << 20

/** A transaction on a LevelDB table. */
export class LevelTransaction implements Transaction {
  readonly #table: Table
  readonly #counters: Counters
  readonly #packer: Packer
  readonly #logs: LogPacker
  // Refs, operation and notes wait for the end, so that what is written ahead stays invisible.
  readonly #moves = new Map<RefName, RefMove>()
  readonly #notes = new Map<string, SourceNote>()
  #operation: ((number: number) => Operation) | undefined

  constructor(table: Table, objects: Objects, counters: Counters, bulk: boolean) {
    this.#table = table
    this.#counters = counters
    this.#packer = new Packer(table, objects, counters, bulk)
    this.#logs = new LogPacker(table, bulk)
  }

  get created(): { readonly entries: number; readonly blobs: number } {
    return this.#packer.created
  }

  add(entry: NewEntry): Row {
    return this.#packer.add(entry)
  }

  newLog(): number {
    return this.#counters.log++
  }

  record(log: number, position: number, record: NewRecord): void {
    this.#logs.append(log, position, { ...record, content: this.#stored(record.content) })
  }

  #stored(content: NewRecord['content']): Content {
    if ('raw' in content)
      return {
        raw: content.raw.map((bytes) => (bytes.length < BLOB_CHARS ? bytes : this.#packer.keepBytes(bytes))),
      }
    return { ...content, values: content.values.map((value) => this.#packer.spill(value)) }
  }

  keepBytes(bytes: Uint8Array): BlobRef {
    return this.#packer.keepBytes(bytes)
  }

  async resume(log: number, position: number): Promise<void> {
    const stale = []
    const end = segmentKey(log + 1, 0)
    for await (const key of this.#table.keys(segmentKey(log, position), end)) stale.push(key)
    for (const key of stale) this.#table.put(key, undefined)
  }

  move(moves: readonly RefMove[]): void {
    for (const move of moves)
      this.#moves.set(move.name, { ...move, old: (this.#moves.get(move.name) ?? move).old })
  }

  operation(make: (next: number) => Operation): void {
    this.#operation = make
  }

  note(path: string, note: SourceNote): void {
    this.#notes.set(path, note)
  }

  abandon(): void {}

  async relax(): Promise<void> {
    await this.#packer.relax()
    await this.#logs.relax()
    if (this.#table.pending > WRITE_AHEAD) await this.#table.commit()
  }

  commit(): Promise<void> {
    // Without a turn of the event loop where nothing is compressed: appends that run beside each other keep their order.
    const packing = [this.#packer.close(), this.#logs.close()].filter((p) => p !== undefined)
    if (packing.length > 0) return Promise.all(packing).then(() => this.#publish())
    try {
      return this.#publish()
    } catch (error) {
      return Promise.reject(error)
    }
  }

  #publish(): Promise<void> {
    moveRefs(this.#table, [...this.#moves.values()])
    if (this.#operation) {
      const operation = this.#operation(this.#counters.operation)
      this.#counters.operation = Math.max(this.#counters.operation, operation.number + 1)
      putOperation(this.#table, operation)
    }
    for (const [path, note] of this.#notes) {
      const key = sourceKey(path)
      this.#table.put(key, seal(key, encode(note)))
    }
    this.#counters.put(this.#table)
    return this.#table.commit()
  }
}
