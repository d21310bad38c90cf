import type { ParsedEntry, RecordIndex } from '../../formats/format.ts'
import type { EntryHandle, NodeLinks } from '../../model/node.ts'

const NO_LINKS: NodeLinks = {}

/** By the reader's handle of a record, which is its position: the entry that the record carries, if any. */
export class RecordEntries {
  readonly #entries: (EntryHandle | undefined)[] = []
  /** The parents of roots. */
  ground: readonly EntryHandle[] = []

  /** How many records there are: the handle of the next one. */
  get length(): number {
    return this.#entries.length
  }

  push(entry: EntryHandle | undefined): void {
    this.#entries.push(entry)
  }

  set(handle: RecordIndex, entry: EntryHandle): void {
    this.#entries[handle] = entry
  }

  /** Returns the entry of the record at a position; undefined where it carries none. */
  at(position: number): EntryHandle | undefined {
    return this.#entries[position]
  }

  /** Returns the entry of a record. Throws a RangeError where it carries none. */
  of(handle: RecordIndex): EntryHandle {
    const entry = this.at(handle)
    if (entry === undefined) throw new RangeError(`record ${handle} carries no entry`)
    return entry
  }

  /** Returns the entries of named records. */
  named(names: ReadonlyMap<string, RecordIndex> = new Map()): ReadonlyMap<string, EntryHandle> {
    return new Map([...names].map(([name, handle]) => [name.toWellFormed(), this.of(handle)]))
  }

  parentsOf({ parent, otherParents: also }: ParsedEntry): readonly EntryHandle[] {
    const first = parent === null ? [] : [this.of(parent)]
    const parents = also ? [...first, ...also.map((handle) => this.of(handle))] : first
    return parents.length === 0 ? this.ground : parents
  }

  linksOf({ links }: ParsedEntry): NodeLinks {
    if (!links) return NO_LINKS
    const { firstKept, kept, target } = links
    return {
      ...(firstKept === undefined ? {} : { firstKept: this.of(firstKept) }),
      ...(kept === undefined ? {} : { kept: kept.map((handle) => this.of(handle)) }),
      ...(target === undefined ? {} : { target: this.of(target) }),
    }
  }

  /** Returns how many different entries they are, together with others. */
  countWith(others: Iterable<EntryHandle | undefined>): number {
    const held = new Set([...others, ...this.#entries])
    held.delete(undefined)
    return held.size
  }
}
