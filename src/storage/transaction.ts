import { type BlobRef, encode } from '../model/canonical.ts'
import { SessError } from '../model/errors.ts'
import type { RefName } from '../model/refname.ts'
import type { Said } from '../model/said.ts'
import type { MakeOperation, NewRecord, RefMove, SourceNote, Transaction } from './backend.ts'
import { BLOB_CHARS } from './blob.ts'
import type { Counters } from './counters.ts'
import { type Extent, putExtent } from './extent.ts'
import { behind, type Key, SPACE, sourceKey } from './keys.ts'
import { LogPacker } from './logs.ts'
import type { Objects } from './objects.ts'
import { operationPut } from './operations.ts'
import { type NewEntry, Packer } from './packer.ts'
import type { Content, Row } from './record.ts'
import { refPuts, sameValue } from './refs.ts'
import { seal } from './seal.ts'
import type { Put, Table } from './table.ts'
import { WordPacker } from './wordindex.ts'

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
  readonly #extents: (readonly [session: string, extent: Extent])[] = []
  readonly #forgotten: Key[] = []
  #words: WordPacker | undefined
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

  /** Made when it is asked for: an append most often says nothing to it. */
  get #index(): WordPacker {
    this.#words ??= new WordPacker(this.#table, this.#counters)
    return this.#words
  }

  get indexed(): Row {
    return this.#index.indexed
  }

  tell(row: Row, said: readonly Said[]): void {
    this.#index.tell(row, said)
  }

  index(to: Row): Promise<void> {
    return this.#index.index(to)
  }

  async forgetIndex(): Promise<void> {
    await this.#index.clear()
    const extents = Uint8Array.of(SPACE.extent)
    for await (const key of this.#table.keys(extents, behind(extents))) this.#forgotten.push(key)
  }

  cover(session: string, extent: Extent): void {
    this.#extents.push([session, extent])
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
    for (const { key, value } of [...puts, ...(this.#words?.end() ?? [])]) this.#table.put(key, value)
    for (const key of this.#forgotten) this.#table.put(key, undefined)
    for (const [session, extent] of this.#extents) putExtent(this.#table, session, extent)
    this.#counters.put(this.#table)
    return this.#table.commit()
  }
}
