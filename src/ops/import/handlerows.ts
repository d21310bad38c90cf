import type { Handle, Said } from '../../formats/format.ts'
import { NodeSet } from '../../graph/nodeset.ts'
import { Numbers } from '../../model/numbers.ts'
import { NO_ROW, type Row, type RowLinks } from '../../repo/backend.ts'

const NO_LINKS: RowLinks = {}

/** By handle: the row of the entry that the record carries, or NO_ROW. */
export class HandleRows {
  readonly #rows = new Numbers(Float64Array)
  /** What roots continue. */
  ground: readonly Row[] = []

  /** How many records there are: the handle of the next one. */
  get length(): number {
    return this.#rows.length
  }

  push(row: Row): void {
    this.#rows.push(row)
  }

  set(handle: Handle, row: Row): void {
    this.#rows.set(handle, row)
  }

  /** Gives the row at a position, NO_ROW where it carries no entry. */
  at(position: number): Row {
    return this.#rows.at(position) ?? NO_ROW
  }

  /** Gives the row of an entry. Throws a RangeError where the record carries none. */
  of(handle: Handle): Row {
    const row = this.at(handle)
    if (row === NO_ROW) throw new RangeError(`record ${handle} carries no entry`)
    return row
  }

  /** Gives the rows of named entries. */
  named(names: ReadonlyMap<string, Handle> = new Map()): ReadonlyMap<string, Row> {
    return new Map([...names].map(([name, handle]) => [name.toWellFormed(), this.of(handle)]))
  }

  /** Gives the rows that an entry continues. */
  parentsOf({ parent, also }: Said): readonly Row[] {
    const first = parent === null ? [] : [this.of(parent)]
    const parents = also ? [...first, ...also.map((handle) => this.of(handle))] : first
    return parents.length === 0 ? this.ground : parents
  }

  linksOf({ links }: Said): RowLinks {
    if (!links) return NO_LINKS
    const { firstKept, kept, target } = links
    return {
      ...(firstKept === undefined ? {} : { firstKept: this.of(firstKept) }),
      ...(kept === undefined ? {} : { kept: kept.map((handle) => this.of(handle)) }),
      ...(target === undefined ? {} : { target: this.of(target) }),
    }
  }

  /** Gives how many entries they are, with others. */
  countWith(others: Iterable<Row>): number {
    const held = new NodeSet()
    for (const row of others) if (row !== NO_ROW) held.add(row)
    for (let i = 0; i < this.length; i++) if (this.at(i) !== NO_ROW) held.add(this.at(i))
    return held.size
  }
}
