import type { Digest } from '../../model/entry.ts'
import { SessError } from '../../model/errors.ts'
import type { EntryHandle, Node, NodeLinks } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import type { Traits } from '../../model/view.ts'
import type { Weight } from '../../model/weight.ts'
import type { EntryPage, RowLinks } from './entrypage.ts'
import { NO_ROW, type Row } from './storedrecord.ts'

/** Returns the handle of the entry with a row: above storage, a row is opaque. */
export const handleOf = (row: Row): EntryHandle => row as EntryHandle

/** Returns the handle of the entry with a row, or undefined for NO_ROW. */
export const optionalHandle = (row: Row): EntryHandle | undefined =>
  row === NO_ROW ? undefined : handleOf(row)

export const rowOf = (entry: EntryHandle): Row => entry as Row

/** Returns the row of a handle, or NO_ROW for none. */
export const optionalRow = (entry: EntryHandle | undefined): Row =>
  entry === undefined ? NO_ROW : rowOf(entry)

const handlesOf = (rows: readonly Row[]): readonly EntryHandle[] => rows as readonly EntryHandle[]

export const rowsOf = (entries: readonly EntryHandle[]): readonly Row[] => entries as readonly Row[]

/** Returns links by handles as links by rows. */
export const rowLinks = (links: NodeLinks): RowLinks => links as RowLinks

/** The node of an entry in a page: each part is read from its column when it is asked for, because most are not. */
export class EntryNode implements Node {
  readonly #page: EntryPage
  readonly #i: number

  constructor(page: EntryPage, row: Row) {
    this.#page = page
    this.#i = row - page.start
  }

  get handle(): EntryHandle {
    return handleOf(this.order)
  }

  get order(): number {
    return this.#page.start + this.#i
  }

  get oid(): Oid {
    return this.#page.oid(this.order)
  }

  get parents(): readonly EntryHandle[] {
    const parents = this.#page.parentsAt(this.#i)
    for (const parent of parents)
      if (parent >= this.order)
        throw new SessError('corrupt', `entry ${this.order} has a parent stored after it`)
    return handlesOf(parents)
  }

  get type(): string {
    return this.#page.typeAt(this.#i)
  }

  get traits(): Traits {
    return this.#page.traits[this.#i] as number
  }

  get digest(): Digest {
    return this.#page.digestAt(this.#i)
  }

  get links(): NodeLinks {
    return (this.#page.rare.get(this.#i)?.links ?? NO_LINKS) as NodeLinks
  }

  get depth(): number {
    return this.#page.depth[this.#i] as number
  }

  get weight(): Weight {
    const { calls, tokens } = this.#page
    return { calls: calls[this.#i] as number, tokens: tokens[this.#i] as number }
  }

  get jump(): EntryHandle {
    return handleOf(this.#page.jump[this.#i] as Row)
  }

  get merge(): EntryHandle | undefined {
    return optionalHandle(this.#page.merge[this.#i] as Row)
  }

  get near(): readonly (EntryHandle | undefined)[] {
    return this.#page.near.map((column) => optionalHandle(column[this.#i] as Row))
  }
}

const NO_LINKS: NodeLinks = {}
