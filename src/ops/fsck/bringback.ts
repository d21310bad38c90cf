import { BlobRef } from '../../model/canonical.ts'
import type { Json } from '../../model/json.ts'
import type { Oid } from '../../model/oid.ts'
import { minus, NO_WEIGHT } from '../../model/weight.ts'
import {
  type Backend,
  NO_ROW,
  type Row,
  type RowLinks,
  type StoredRecord,
  type Transaction,
} from '../../repo/backend.ts'
import { bytesOfRecord } from '../../repo/records.ts'
import type { LogHead } from '../../repo/session.ts'
import { type NativeHead, piecesOf } from '../../repo/session.ts'

/** Takes entries and logs out of another store into a transaction of this one, where this one lacks them. */
export class BringBack {
  readonly #here: Backend
  readonly #there: Backend
  readonly #transaction: Transaction
  /** By row there: the row here. */
  readonly #rows = new Map<Row, Row>()
  /** How many entries were brought back. */
  entries = 0

  constructor(here: Backend, there: Backend, transaction: Transaction) {
    this.#here = here
    this.#there = there
    this.#transaction = transaction
  }

  /** Brings an entry and all that it continues, and tells whether it is here then. */
  async entry(oid: Oid): Promise<boolean> {
    if ((await this.#here.find(oid)) !== undefined) return true
    const row = await this.#there.find(oid)
    return row !== undefined && (await this.#row(row)) !== undefined
  }

  /** Gives the row here of an entry there, once all that it continues is here. */
  async #row(row: Row): Promise<Row | undefined> {
    const missing = new Set<Row>()
    const open = [row]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.#rows.has(at) || missing.has(at)) continue
      const known = await this.#here.find(await this.#there.oid(at))
      if (known === undefined) {
        missing.add(at)
        open.push(...(await this.#there.node(at)).parents)
      } else this.#rows.set(at, known)
    }
    // Parents stand before their children.
    for (const at of [...missing].sort((a, b) => a - b)) await this.#add(at)
    return this.#rows.get(row)
  }

  async #add(row: Row): Promise<void> {
    const { type, parents, links, digest, traits, weight } = await this.#there.node(row)
    const here = (at: Row): Row => this.#rows.get(at) ?? NO_ROW
    const [first] = parents
    const before = first === undefined ? NO_WEIGHT : (await this.#there.node(first)).weight
    for (const at of linked(links)) if (!this.#rows.has(at)) await this.#known(at)
    const added = this.#transaction.add({
      oid: await this.#there.oid(row),
      type,
      parents: parents.map(here),
      links: {
        ...(links.firstKept === undefined ? {} : { firstKept: here(links.firstKept) }),
        ...(links.kept === undefined ? {} : { kept: links.kept.map(here) }),
        ...(links.target === undefined ? {} : { target: here(links.target) }),
      },
      digest,
      traits,
      weight: minus(weight, before),
      body: await this.#there.body(row),
    })
    this.#rows.set(row, added)
    this.entries++
    await this.#transaction.relax()
  }

  async #known(row: Row): Promise<void> {
    const known = await this.#here.find(await this.#there.oid(row))
    if (known !== undefined) this.#rows.set(row, known)
  }

  /** Brings the records that a head counts, and gives the number of the log here. */
  async log(head: LogHead | NativeHead): Promise<number> {
    const log = this.#transaction.newLog()
    let position = 0
    for (const [number, count] of piecesOf(head).toReversed())
      for await (const [, record] of this.#there.records(number, 0, count)) {
        this.#transaction.record(log, position++, await this.#record(record))
        await this.#transaction.relax()
      }
    return log
  }

  async #record(record: StoredRecord): Promise<Parameters<Transaction['record']>[2]> {
    const row = async (at: Row): Promise<Row> => (at === NO_ROW ? NO_ROW : ((await this.#row(at)) ?? NO_ROW))
    const { content } = record
    const raw: Uint8Array[] = []
    if ('raw' in content)
      for await (const piece of bytesOfRecord(this.#there, { ...record, lead: NOTHING })) raw.push(piece)
    return {
      ...record,
      row: await row(record.row),
      tip: await row(record.tip),
      content:
        'raw' in content
          ? { raw }
          : { ...content, values: (await this.#there.whole(content.values)) as readonly Json[] },
    }
  }

  /** Keeps here the pieces of a tail that are kept there, and gives where. */
  async pieces(places: readonly (readonly [number, number])[]): Promise<(readonly [number, number])[]> {
    const kept: (readonly [number, number])[] = []
    for (const [block, index] of places) {
      const at = this.#transaction.keepBytes(await this.#there.bytes(new BlobRef(block, index)))
      kept.push([at.block, at.index])
    }
    return kept
  }
}

const NOTHING = new Uint8Array(0)

const linked = ({ firstKept, kept = [], target }: RowLinks): Row[] =>
  [firstKept, ...kept, target].filter((row) => row !== undefined)
