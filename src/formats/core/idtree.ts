import { type Digest, digestOf } from '../../model/encoding/entry.ts'
import { asString, type Json } from '../../model/json.ts'
import { NONE, type ParsedEntry, type Reading, type RechainedEntry, type RecordIndex } from './format.ts'
import { IdMap } from './idmap.ts'
import { movedLinks, RechainBudget } from './rechaining.ts'
import { RecordTree } from './recordtree.ts'
import type { Unit, Warning } from './splitter.ts'

/** A record of a tree, as its format reads it. */
export interface TreeRecord {
  /** Its id in the source. */
  readonly native: string | undefined
  /** In milliseconds since 1970. */
  readonly time: number | undefined
  /** The node that it continues; `NONE` for a root. */
  readonly parent: RecordIndex
  /** The id of its parent in the source, which is reported if it was not read before. */
  readonly parentId?: Json | undefined
  /** The entry that it carries. Without one, whatever continues it continues the entry above. */
  readonly entry: Omit<ParsedEntry, 'parent'> | undefined
  readonly warnings: Warning[]
  /** Whether other records may name it as their parent by its id; true by default. */
  readonly isNamed?: boolean
  /** Whether it may have the id of another record, which then names it from now on. */
  readonly repeats?: boolean
}

/** A record that is not complete on a line of its own, and that a complete one with its id replaces. */
interface IncompleteRecord {
  readonly digest: Digest | undefined
  readonly parent: RecordIndex
}

/** The record that was read last: it is incomplete if another one follows on its line. */
interface LastRecord {
  readonly line: number
  readonly at: RecordIndex
  readonly id?: string | undefined
  readonly body?: Json | undefined
  readonly parent: RecordIndex
}

const DANGLING: Warning = {
  code: 'dangling-parent',
  message: 'its parent was not read before: a root',
}

const NO_ID: Warning = { code: 'no-id', message: 'it has no id: nothing can name it as its parent' }

const duplicate = (id: string): Warning => ({
  code: 'duplicate-id',
  message: `the id '${id}' is taken; it names its first record`,
})

/**
 * The tree that the records of one file form by their ids and the ids of their parents. An id names its first record,
 * but a record that is complete on a line of its own wins over one that was salvaged from a damaged line, wherever it is
 * in the file: it takes the place of the salvaged one, and the entries that continue that are chained again.
 */
export class IdTree {
  readonly nodes = new RecordTree()
  /** The node at which the next record without a parent continues. */
  last: RecordIndex = NONE
  private readonly ids = new IdMap()
  private readonly incomplete = new Map<string, IncompleteRecord>()
  /** The nodes that took the place of replaced and rechained ones, and the other way round. */
  private readonly moved = new Map<RecordIndex, RecordIndex>()
  private readonly origins = new Map<RecordIndex, RecordIndex>()
  /** The times, ids and links of the records since the first incomplete one. */
  private envelopes: Map<RecordIndex, Pick<RechainedEntry, 'time' | 'native' | 'links'>> | undefined
  private readonly budget = new RechainBudget()
  #newest: LastRecord = { line: 0, at: NONE, parent: NONE }

  /** The position of the next record. */
  get length(): RecordIndex {
    return this.nodes.length
  }

  /** Returns the node that an id names; undefined if there is none. */
  named(id: Json | undefined): RecordIndex | undefined {
    const key = asString(id)
    const at = key === undefined ? undefined : this.ids.get(key)
    return at === undefined ? undefined : this.current(at)
  }

  /** Returns whether the record that an id names is not complete on a line of its own. */
  isIncomplete(id: string | undefined): boolean {
    return id !== undefined && this.incomplete.has(id)
  }

  /** Returns the node that took the place of a node; the node itself if none did. */
  current(node: RecordIndex): RecordIndex {
    if (this.moved.size === 0) return node
    let at = node
    for (let next = this.moved.get(at); next !== undefined; next = this.moved.get(at)) at = next
    return at
  }

  /** Returns the node that was read in the place of a rechained one; any other node itself. */
  origin(node: RecordIndex): RecordIndex {
    return this.origins.get(node) ?? node
  }

  /** Returns the node that an id names as a parent; `NONE`, with a warning, if it was not read before. */
  parent(id: Json | undefined, warnings: Warning[]): RecordIndex {
    if (id === null || id === undefined) return NONE
    const known = this.named(id)
    if (known === undefined) warnings.push(DANGLING)
    return known ?? NONE
  }

  /** Returns the entry at or above a node; null if there is none. */
  entryOf(node: RecordIndex): RecordIndex | null {
    const entry = this.nodes.entryAt(node)
    return entry === NONE ? null : entry
  }

  /** Returns the entries at or above nodes, by the names of these; nodes without one are left out. */
  entriesOf(
    named: Iterable<readonly [name: string, node: RecordIndex | undefined]>,
  ): Map<string, RecordIndex> {
    const entries = new Map<string, RecordIndex>()
    for (const [name, node = NONE] of named) {
      const entry = this.entryOf(node)
      if (entry !== null) entries.set(name, entry)
    }
    return entries
  }

  /** Takes a record that is no part of the tree. */
  skip({ line }: Unit): void {
    this.#newest = { line, at: this.length, parent: NONE }
    this.nodes.skip()
  }

  /** Adds a record and returns its reading. */
  add({ line, salvaged }: Unit, record: TreeRecord): Reading {
    const { native, time, parent, parentId, entry, warnings, isNamed = true, repeats = false } = record
    this.budget.read()
    if (salvaged && line === this.#newest.line) this.#noteIncomplete(this.#newest)
    const at = this.length
    const id = isNamed ? native : undefined
    const known = id === undefined ? undefined : this.ids.get(id)
    this.#newest = { line, at, id, body: entry?.body, parent }
    this.envelopes?.set(at, { time, native, ...(entry?.links && { links: entry.links }) })
    if (id === undefined) {
      if (entry && isNamed && parentId !== undefined) warnings.push(NO_ID)
    } else if (known !== undefined && !repeats) {
      const twin = this.incomplete.get(id)
      const replaced = twin && !salvaged && this.#replace(id, this.current(known), twin, record)
      if (replaced) return replaced
      if (salvaged && !twin) return this.#passOver(id, record)
      warnings.push(duplicate(id))
    } else {
      this.ids.set(id, at)
      this.incomplete.delete(id)
      if (salvaged) this.#noteIncomplete(this.#newest)
    }
    this.nodes.add(parent, entry !== undefined, this.#missing(record))
    this.last = at
    return this.#reading(at, record)
  }

  /** Takes a salvaged record whose id a complete one has: it is kept for the export of its bytes. */
  #passOver(id: string, { native, time, warnings }: TreeRecord): Reading {
    this.nodes.skip()
    warnings.push(duplicate(id))
    return { time, native, warnings }
  }

  /**
   * Puts a complete record in the place of an incomplete one. If both are the same, the first entry stays. Returns undefined
   * if too much would be chained again.
   */
  #replace(id: string, before: RecordIndex, twin: IncompleteRecord, record: TreeRecord): Reading | undefined {
    const at = this.length
    const { native, time, parent, entry } = record
    this.incomplete.delete(id)
    if (entry && twin.digest === digestOf(entry.body) && this.current(twin.parent) === parent) {
      this.nodes.skip()
      this.last = before
      return { time, native }
    }
    const isMoved = entry !== undefined && this.nodes.entryAt(before) === before
    if (isMoved && !this.budget.spend(at - before)) return undefined
    this.nodes.add(parent, entry !== undefined, this.#missing(record))
    this.last = at
    this.ids.set(id, at)
    const reading = this.#reading(at, record)
    if (!isMoved) return reading
    const rechained = this.#rechain(before, at)
    const superseded = [before, ...rechained.map(({ original }) => original)]
    return { ...reading, superseded, ...(rechained.length > 0 && { rechained }) }
  }

  /** Chains what continues a node again below the node that takes its place. */
  #rechain(before: RecordIndex, at: RecordIndex): RechainedEntry[] {
    const placed = new Map([[before, at]])
    const rechained: RechainedEntry[] = []
    for (let node = before + 1; node < at; node++) {
      if (!this.nodes.isNode(node) || this.moved.has(node)) continue
      const parent = placed.get(this.nodes.parentOf(node))
      if (parent === undefined) continue
      if (this.nodes.entryAt(node) !== node) {
        placed.set(node, parent)
        continue
      }
      const next = this.length
      const { links: former, ...rest } = this.envelopes?.get(node) ?? {}
      const links = movedLinks(former, placed)
      const envelope = { ...rest, ...(links && { links }) }
      this.nodes.add(parent, true)
      rechained.push({ original: node, parent, ...envelope })
      placed.set(node, next)
      this.origins.set(next, this.origin(node))
      this.envelopes?.set(next, envelope)
    }
    for (const [from, to] of placed) this.moved.set(from, to)
    return rechained
  }

  #noteIncomplete({ id, at, body, parent }: LastRecord): void {
    if (id === undefined || this.ids.get(id) !== at) return
    this.incomplete.set(id, { digest: body === undefined ? undefined : digestOf(body), parent })
    this.envelopes ??= new Map()
  }

  #missing({ parentId, warnings }: TreeRecord): string | undefined {
    if (warnings.length === 0) return undefined
    return warnings.some(({ code }) => code === 'dangling-parent') ? asString(parentId) : undefined
  }

  #reading(at: RecordIndex, { native, time, parent, entry, warnings }: TreeRecord): Reading {
    const noticed = warnings.length > 0 ? warnings : undefined
    if (!entry) return { time, native, warnings: noticed }
    const parsed = { ...entry, parent: this.entryOf(parent) }
    return { entry: parsed, time, native, dangling: this.nodes.unresolved(at), warnings: noticed }
  }
}
