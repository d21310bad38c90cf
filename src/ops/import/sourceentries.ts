import type { ParsedEntry, RecordIndex } from '../../formats/core/format.ts'
import { EntrySet } from '../../model/entryset.ts'
import { type LogTotals, NO_TOTALS, withoutView, withView } from '../../model/logtotals.ts'
import type { EntryHandle, NodeLinks } from '../../model/node.ts'
import { promptIn } from '../../model/prompt.ts'
import { isSilent, type View } from '../../model/view.ts'
import type { Root } from './unresolvedparents.ts'

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
    const held = new EntrySet()
    for (const all of [others, this.#entries])
      for (const entry of all) if (entry !== undefined) held.add(entry)
    return held.size
  }
}

/** The entries of a source, each counted once, the ends of its paths, and its summary. */
export class SourceEntries {
  /** The source's entries, but for those that an export wrote. */
  readonly entries = new EntrySet()
  /** The entries that no other entry of the source continues, in the order of the source. */
  readonly leaves = new Set<EntryHandle>()
  /** The entries that other entries replaced. */
  readonly #superseded = new Set<EntryHandle>()
  /** The summary of the entries, and the first words of the user. */
  summary: LogTotals = NO_TOTALS
  prompt: string | undefined
  /** Whether somebody speaks in one of them. */
  speaks = false
  /** The new roots, and the number of roots whose parent, which the source names, is unresolved. */
  readonly roots: Root[] = []
  unresolvedParents = 0

  /** Counts an entry unless it is counted already, as a leaf until something continues it. */
  add(handle: EntryHandle, parents: readonly EntryHandle[], view: View): void {
    for (const parent of parents) this.leaves.delete(parent)
    const back = this.#superseded.delete(handle)
    if (!this.entries.add(handle) && !back) return
    this.leaves.add(handle)
    this.speaks ||= !isSilent(view)
    this.summary = withView(this.summary, view)
    this.prompt ??= promptIn(view)
  }

  /** Returns whether an entry was not superseded. */
  isCurrent(handle: EntryHandle): boolean {
    return !this.#superseded.has(handle)
  }

  /** Marks an entry as superseded: its parents may be leaves again. */
  supersede(handle: EntryHandle, parents: readonly EntryHandle[], view: View): void {
    this.#superseded.add(handle)
    this.leaves.delete(handle)
    for (const parent of parents)
      if (this.entries.has(parent) && !this.#superseded.has(parent)) this.leaves.add(parent)
    this.summary = withoutView(this.summary, view)
  }
}
