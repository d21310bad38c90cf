import type { ParsedEntry, RechainedEntry, RecordIndex } from '../../formats/core/format.ts'
import { countsOf } from '../../formats/registry.ts'
import { EntrySet } from '../../model/entryset.ts'
import { type LogTotals, TotalsBuilder } from '../../model/logtotals.ts'
import type { EntryHandle, NodeLinks } from '../../model/node.ts'
import { ownWords, promptIn } from '../../model/prompt.ts'
import { openingOf } from '../../model/spending.ts'
import { isSilent, type UsageCounts, type View } from '../../model/view.ts'
import type { Reader } from '../../repo/reader.ts'
import { PathModels } from '../usage.ts'
import type { Root } from './unresolvedparents.ts'

const NO_LINKS: NodeLinks = {}

/** By the reader's handle of a record, which is its position: the entry that the record carries, if any. */
export class RecordEntries {
  #entries: (EntryHandle | undefined)[] = []
  /** The parents of roots. */
  ground: readonly EntryHandle[] = []

  /** How many records there are: the handle of the next one. */
  get length(): number {
    return this.#entries.length
  }

  push(entry: EntryHandle | undefined): void {
    this.#entries.push(entry)
  }

  /** Begins with the entries of the first records. */
  begin(entries: readonly (EntryHandle | undefined)[]): void {
    this.#entries = [...entries]
  }

  set(handle: RecordIndex, entry: EntryHandle): void {
    this.#entries[handle] = entry
  }

  /** Returns the entries of all records so far, by position; further ones are added to them. */
  all(): readonly (EntryHandle | undefined)[] {
    return this.#entries
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

  /** Returns an earlier entry below another parent. */
  async originalOf({ original, parent, links }: RechainedEntry, reader: Reader): Promise<ParsedEntry> {
    const handle = this.of(original)
    const { type } = await reader.node(handle)
    return { type, body: await reader.body(handle), parent, ...(links && { links }) }
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

  /** Yields the entries of the records from a position on. */
  *carried(from = 0): Generator<EntryHandle> {
    for (let at = from; at < this.length; at++) {
      const entry = this.#entries[at]
      if (entry !== undefined) yield entry
    }
  }

  /** Returns the position of the first record that carries each of some entries. */
  firstPositions(wanted: ReadonlySet<EntryHandle>): ReadonlyMap<EntryHandle, RecordIndex> {
    const found = new Map<EntryHandle, RecordIndex>()
    for (let at = 0; at < this.length && found.size < wanted.size; at++) {
      const entry = this.#entries[at]
      if (entry !== undefined && wanted.has(entry) && !found.has(entry)) found.set(entry, at)
    }
    return found
  }

  /** Returns how many different entries they are, together with others. */
  countWith(others: Iterable<EntryHandle | undefined>): number {
    const held = new EntrySet()
    for (const all of [others, this.#entries])
      for (const entry of all) if (entry !== undefined) held.add(entry)
    return held.size
  }
}

/** An entry that is counted, with its parents and its meaning. */
interface CountedEntry {
  readonly handle: EntryHandle
  readonly parents: readonly EntryHandle[]
  readonly view: View
  /** The time of its record. */
  readonly time?: number | null | undefined
  /** Whether the store had it before. */
  readonly isStored?: boolean
}

/** Where the models of entries are read. */
interface Models {
  readonly reader: ConstructorParameters<typeof PathModels>[0]
}

/** Returns whether the usage of an entry is priced by a model that another entry sets. */
export const needsModel = ({ usage, sets }: View): boolean => usage !== undefined && !sets?.model

/** Some entries of a source, as the positions of the first records that carry them. */
export type EntryPositions = {
  readonly leaves: readonly RecordIndex[]
  readonly superseded: readonly RecordIndex[]
  readonly newest: RecordIndex | undefined
  readonly unopened: readonly RecordIndex[]
  readonly openings: readonly RecordIndex[]
  /** The model on the path of the newest entry. */
  readonly model: string | undefined
}

/**
 * The entries of a source, each counted once, the ends of its paths, and its summary. Handles are in names with `#`: they
 * are saved as positions, because another process has others.
 */
export class SourceEntries {
  readonly #entries = new EntrySet()
  readonly #leaves = new Set<EntryHandle>()
  /** The entries that other entries replaced. */
  readonly #superseded = new Set<EntryHandle>()
  readonly #roots: Root[] = []
  /** The entries on whose paths nobody prompts, and the first prompts on the other paths. */
  readonly #unopened = new EntrySet()
  readonly #openings = new EntrySet()
  private readonly totals = new TotalsBuilder()
  /** The entry that was added last, and the model on its path, if it is known without reading entries. */
  #newest: { readonly handle: EntryHandle; readonly model: string | undefined } | undefined
  /** Whether the store had the entry that was added last before. */
  private wasStored = false
  /** Whether an entry without a prompt on its path has usage. */
  private isUnprompted = false
  /** Whether any entry was ever superseded. */
  hasSuperseded = false
  /** The first words of the user. */
  prompt: string | undefined
  /** Whether somebody speaks in one of them. */
  speaks = false
  /** The number of roots whose parent, which the source names, is unresolved. */
  unresolvedParents = 0

  /** The source's entries, but for those that an export wrote. */
  get entries(): EntrySet {
    return this.#entries
  }

  /** The entries that no other entry of the source continues, in the order of the source. */
  get leaves(): ReadonlySet<EntryHandle> {
    return this.#leaves
  }

  /** The new roots. */
  get roots(): Root[] {
    return this.#roots
  }

  /** Returns the entries that later ones may concern. */
  positions(records: RecordEntries): EntryPositions {
    const newest = this.#newest
    const others = [...this.#unopened, ...this.#openings, ...(newest ? [newest.handle] : [])]
    const wanted = new Set([...this.#leaves, ...this.#superseded, ...others])
    const first = records.firstPositions(wanted)
    const of = (handles: Iterable<EntryHandle>): number[] =>
      [...handles].flatMap((one) => first.get(one) ?? [])
    return {
      leaves: of(this.#leaves),
      superseded: of(this.#superseded),
      newest: newest && first.get(newest.handle),
      unopened: of(this.#unopened),
      openings: of(this.#openings),
      model: newest?.model,
    }
  }

  /** Restores entries from their positions among the records of the source so far. */
  restore(positions: EntryPositions, records: RecordEntries): void {
    const { leaves, superseded, newest, model, unopened, openings } = positions
    for (const handle of records.all()) if (handle !== undefined) this.#entries.add(handle)
    for (const position of leaves) this.#leaves.add(records.of(position))
    for (const position of superseded) this.#superseded.add(records.of(position))
    for (const position of unopened) this.#unopened.add(records.of(position))
    for (const position of openings) this.#openings.add(records.of(position))
    this.#newest = newest === undefined ? undefined : { handle: records.of(newest), model }
  }

  /**
   * Returns the summary of the entries. The next import reads the source from its beginning, so that it leaves out which
   * model calls may be repeated.
   */
  async summary(reader: Reader): Promise<LogTotals> {
    const { last: _, ...totals } = this.totals.totals
    if (!totals.spending) return totals
    const openings: string[] = []
    for (const handle of this.#openings) openings.push(openingOf(await reader.oid(handle)))
    if (this.isUnprompted)
      for (const handle of this.#unopened) {
        const isRoot = (await reader.node(handle)).parents.length === 0
        if (isRoot) openings.push(openingOf(await reader.oid(handle)))
      }
    return { ...totals, ...(openings.length > 0 && { spending: { ...totals.spending, openings } }) }
  }

  /** Returns the model on the path to an entry, without reading entries; undefined if it is not known. */
  modelAt(handle: EntryHandle | undefined): string | undefined {
    if (handle === undefined) return ''
    return handle === this.#newest?.handle ? this.#newest.model : undefined
  }

  /**
   * Counts an entry unless it is counted already, as a leaf until something continues it. `model` is that on the path to its
   * parent, where it is needed.
   */
  add({ handle, parents, view, time, isStored = false }: CountedEntry, model?: string): void {
    const path = view.sets?.model?.id ?? model ?? this.modelAt(parents[0])
    this.#newest = { handle, model: path }
    for (const parent of parents) this.#leaves.delete(parent)
    const back = this.#superseded.delete(handle)
    if (!this.#entries.add(handle) && !back) return
    this.#leaves.add(handle)
    this.totals.add(view, path, time)
    this.wasStored = isStored
    if (isStored && (view.usage !== undefined || view.role === 'assistant')) this.totals.join()
    this.#open(handle, parents[0], view)
    this.speaks ||= !isSilent(view)
    this.prompt ??= promptIn(view)
  }

  /** Records whether somebody prompts on the path to an entry. */
  #open(handle: EntryHandle, parent: EntryHandle | undefined, view: View): void {
    if (parent !== undefined && !this.#unopened.has(parent)) return
    if (ownWords(view) !== undefined) this.#openings.add(handle)
    else {
      this.#unopened.add(handle)
      this.isUnprompted ||= view.usage !== undefined
    }
  }

  /** Counts an entry, and reads the model on the path to it where that is needed. */
  async count(from: Models, entry: CountedEntry): Promise<void> {
    this.add(entry, needsModel(entry.view) ? await this.#readModel(from, entry.parents[0]) : undefined)
  }

  /** Counts usage that a record with a time reports for an entry whose path has a model. */
  addUsage(
    tip: EntryHandle | undefined,
    usage: UsageCounts,
    time: number | undefined,
    model = this.modelAt(tip) ?? '',
  ): void {
    this.totals.addUsage(countsOf(usage), model, time)
    if (this.wasStored) this.totals.join()
    this.isUnprompted ||= tip !== undefined && this.#unopened.has(tip)
  }

  /** Counts usage that a record reports for an entry, and reads the model on the path to it. */
  async countUsage(
    from: Models,
    tip: EntryHandle | undefined,
    usage: UsageCounts,
    time: number | undefined,
  ): Promise<void> {
    this.addUsage(tip, usage, time, await this.#readModel(from, tip))
  }

  async #readModel({ reader }: Models, handle: EntryHandle | undefined): Promise<string> {
    return this.modelAt(handle) ?? (await new PathModels(reader).at(handle))
  }

  /** Returns whether an entry was not superseded. */
  isCurrent(handle: EntryHandle): boolean {
    return !this.#superseded.has(handle)
  }

  /** Marks an entry as superseded: its parents may be leaves again. */
  async supersede(from: Models, { handle, parents, view }: CountedEntry): Promise<void> {
    const model = needsModel(view) ? await this.#readModel(from, parents[0]) : undefined
    this.#superseded.add(handle)
    this.hasSuperseded = true
    this.#leaves.delete(handle)
    for (const parent of parents)
      if (this.#entries.has(parent) && !this.#superseded.has(parent)) this.#leaves.add(parent)
    this.totals.remove(view, model)
  }
}
