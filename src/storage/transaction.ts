import { type BlobRef, encode } from '../model/canonical.ts'
import { SessError } from '../model/errors.ts'
import type { RefName } from '../model/refname.ts'
import type { MakeOperation, NewRecord, RefMove, SourceNote, Transaction } from './backend.ts'
import { BLOB_CHARS } from './blob.ts'
import type { Counters } from './counters.ts'
import { sourceKey } from './keys.ts'
import { LogPacker } from './logs.ts'
import type { Objects } from './objects.ts'
import { operationPut } from './operations.ts'
import { type NewEntry, Packer } from './packer.ts'
import type { Content, Row } from './record.ts'
import { refPuts, sameValue } from './refs.ts'
import { seal } from './seal.ts'
import type { Put, Table } from './table.ts'

/** Bytes that a transaction gathers before it writes them ahead of its end. */
const WRITE_AHEAD = 2 << 20

/** A transaction on a LevelDB table. */
export class LevelTransaction implements Transaction {
  readonly #table: Table
  readonly #counters: Counters
  readonly #bulk: boolean
  readonly #packer: Packer
  readonly #logs: LogPacker
  // Refs, operation and notes wait for the end, so that what is written ahead stays invisible.
  readonly #moves = new Map<RefName, RefMove>()
  readonly #notes = new Map<string, SourceNote>()
  #operation: MakeOperation | undefined

  constructor(table: Table, objects: Objects, counters: Counters, bulk: boolean) {
    this.#table = table
    this.#counters = counters
    this.#bulk = bulk
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
    const log = this.#counters.log++
    // Segments may be written ahead of all else: the number must not be given again after a crash.
    this.#counters.put(this.#table)
    return log
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

  move(moves: readonly RefMove[]): void {
    for (const move of moves) {
      const before = this.#moves.get(move.name)
      if (before && !sameValue(before.new, move.old)) throw new SessError('conflict', move.name)
      this.#moves.set(move.name, before ? { ...move, old: before.old } : move)
    }
  }

  operation(make: MakeOperation): void {
    this.#operation = make
  }

  note(path: string, note: SourceNote): void {
    this.#notes.set(path, note)
  }

  abandon(): void {
    this.#packer.abandon()
    this.#logs.abandon()
  }

  async relax(): Promise<void> {
    await this.#packer.relax()
    await this.#logs.relax()
    if (this.#table.pending > WRITE_AHEAD) await this.#table.commit()
  }

  commit(): Promise<void> {
    try {
      if (this.#bulk)
        return Promise.all([this.#packer.close(), this.#logs.close()]).then(() => this.#publish(this.#end()))
      // Without a turn of the event loop, so that appends that run beside each other keep their order; and what may
      // be refused first, so that a refused transaction puts no record in the place of another.
      const end = this.#end()
      void this.#packer.close()
      void this.#logs.close()
      return this.#publish(end)
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Gives what is put at the end of all: throws `conflict` where a ref has moved, before any of it is put. */
  #end(): Put[] {
    const puts = refPuts(this.#table, this.#moves.values())
    for (const [path, note] of this.#notes) {
      const key = sourceKey(path)
      puts.push({ key, value: seal(key, encode(note)) })
    }
    const operation = this.#operation?.(this.#counters.operation, this.#counters.commit + 1)
    if (operation) {
      puts.push(operationPut(operation))
      this.#counters.operation = Math.max(this.#counters.operation, operation.number + 1)
      this.#counters.commit++
    }
    return puts
  }

  #publish(puts: readonly Put[]): Promise<void> {
    for (const { key, value } of puts) this.#table.put(key, value)
    this.#counters.put(this.#table)
    return this.#table.commit()
  }
}
