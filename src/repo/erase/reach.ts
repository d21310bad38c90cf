import { NodeSet } from '../../graph/nodeset.ts'
import { BlobRef } from '../../model/canonical.ts'
import { isObject, type Json } from '../../model/json.ts'
import { isOid, type Oid } from '../../model/oid.ts'
import type { RefName } from '../../model/refname.ts'
import type { Backend, RefValue } from '../../storage/backend.ts'
import { NO_ROW, type Row } from '../../storage/record.ts'

/** Hashes that name no entry. */
const NO_OIDS: ReadonlySet<string> = new Set(['hash', 'sha256'])

/** Parts of refs' values that list logs, each with a number of its records; and those that list places of bytes. */
const LOGS: ReadonlySet<string> = new Set(['base', 'earlier'])
const PLACES: ReadonlySet<string> = new Set(['tail', 'packed'])

type Pairs = readonly (readonly [number, number])[]

/**
 * What is reached from refs: entries with all that they name, the records of logs with the entries that they carry, bytes
 * that stand alone. A part of a ref's value means the same in every ref: any oid is one that it names.
 */
export class Reach {
  readonly rows = new NodeSet()
  readonly logs = new Map<number, number>()
  readonly places: BlobRef[] = []
  readonly #backend: Backend
  readonly #oids = new Set<Oid>()
  /** Oids that were followed. */
  readonly #done: Set<Oid>
  readonly #read: Map<number, number>
  readonly #placed = new Set<string>()

  /** `known` is what was reached before in the same store: it grows to all that is. */
  constructor(backend: Backend, known?: Reach) {
    this.#backend = backend
    this.#read = known ? known.#read : new Map<number, number>()
    this.#done = known ? known.#done : new Set<Oid>()
    if (!known) return
    this.rows = known.rows
    this.logs = known.logs
    this.places = known.places
    this.#placed = known.#placed
  }

  /** Adds what a ref names by its value, and by its own name where that holds an oid; `close` follows it. */
  name(name: RefName, value: RefValue | undefined): void {
    for (const part of name.split('/')) this.#name('', part)
    this.#name('', value ?? null)
  }

  #name(key: string, value: Json): void {
    if (typeof value === 'string') {
      if (isOid(value) && !NO_OIDS.has(key) && !this.#done.has(value)) this.#oids.add(value)
    } else if (LOGS.has(key)) for (const [log, count] of value as Pairs) this.#log(log, count)
    else if (key === 'written') this.#log(...(value as Pairs[number]))
    else if (PLACES.has(key)) for (const [block, index] of value as Pairs) this.#place(block, index)
    else if (Array.isArray(value)) for (const part of value) this.#name('', part as Json)
    else if (isObject(value)) {
      const { log, count } = value
      if (typeof log === 'number' && typeof count === 'number') this.#log(log, count)
      for (const [name, part] of Object.entries(value)) this.#name(name, part)
    }
  }

  #log(log: number, count: number): void {
    this.logs.set(log, Math.max(count, this.logs.get(log) ?? 0))
  }

  #place(block: number, index: number): void {
    const name = `${block} ${index}`
    if (!this.#placed.has(name)) this.places.push(new BlobRef(block, index))
    this.#placed.add(name)
  }

  /** Gives the newest row of those that were named by their oids, NO_ROW where none was. */
  async newest(): Promise<Row> {
    const found = await this.#backend.findAll(this.#oids)
    return Math.max(NO_ROW, ...[...found.values()].slice(-1))
  }

  /** Reaches all that was named, and the entries of rows. */
  async close(rows: AsyncIterable<Row> | Iterable<Row> = []): Promise<void> {
    const found = await this.#backend.findAll(this.#oids)
    this.#oids.clear()
    for (const [oid, row] of found) {
      await this.#follow(row)
      this.#done.add(oid)
    }
    for await (const row of rows) await this.#follow(row)
    for (const [log, count] of this.logs) {
      const from = this.#read.get(log) ?? 0
      this.#read.set(log, Math.max(from, count))
      for await (const [, { row, tip }] of this.#backend.spine(log, from, count))
        for (const one of [row, tip]) if (one !== NO_ROW) await this.#follow(one)
    }
  }

  async #follow(first: Row): Promise<void> {
    const left = [first]
    for (let row = left.pop(); row !== undefined; row = left.pop()) {
      if (!this.rows.add(row)) continue
      const { parents, links } = await this.#backend.node(row)
      left.push(...parents)
      for (const link of [links.firstKept ?? [], links.kept ?? [], links.target ?? []].flat()) left.push(link)
    }
  }
}
