import type { JsonObject } from '../../model/json.ts'
import type { RecordIndex } from '../format.ts'
import { IdMap } from '../idmap.ts'
import { Ancestry } from './ancestry.ts'
import type { EntryKind } from './body.ts'
import { type Group, Groups } from './groups.ts'

/** Where an entry stands: the entry that it continues, or the id of a parent that it cannot continue. */
export interface Place {
  readonly parent: RecordIndex | null
  readonly dangling?: string
  /** Whether that parent stands in a sidechain; else it was not read before. */
  readonly isAside?: boolean
}

/**
 * What precedes what. A file's own parents are not always the conversational predecessors: it has a record
 * for each block, and makes the blocks of one message and the results of its parallel tool calls siblings.
 * They are put in one chain here. Records that are no entries are climbed over; a parent not read yet is no
 * parent, so that a growing file changes nothing that was said of its beginning. What is no sidechain continues
 * none: forks leave sidechains out.
 */
export class Chain {
  readonly ancestry = new Ancestry()
  readonly #entries = new IdMap()
  /** The parents of records that are no entries. */
  readonly #passed = new Map<string, string | null>()
  /** The records of sidechains. */
  readonly #aside = new Set<string>()
  /** By entry. */
  readonly #groups: (Group | undefined)[] = []
  readonly #mainGroups = new Groups()
  readonly #asideGroups = new Groups()

  /** Tells whether a record with this id was read. */
  has(id: string): boolean {
    return this.#entries.has(id) || this.#passed.has(id)
  }

  /** Gives the entry that a record with this id carries. */
  entry(id: string): RecordIndex | undefined {
    return this.#entries.get(id)
  }

  /** Gives the entry that a record with this id carries, or else the next above it. */
  nearest(id: string): RecordIndex | undefined {
    const top = this.#climb(id, true)
    return top === null ? undefined : this.#entries.get(top)
  }

  /** Gives the entry that holds the result of a tool call, where it holds nothing else. */
  answer(call: string): RecordIndex | undefined {
    return this.#mainGroups.answer(call) ?? this.#asideGroups.answer(call)
  }

  /** Gives the entry that holds a tool call, of a message with an id. */
  caller(call: string): RecordIndex | undefined {
    return this.#mainGroups.caller(call) ?? this.#asideGroups.caller(call)
  }

  /** Gives the end of the chain that an entry belongs to. */
  endOf(entry: RecordIndex): RecordIndex {
    return this.#groups[entry]?.tail ?? entry
  }

  /** Takes a record that is no entry: what follows it will continue what precedes it. */
  passOver(id: string, parent: string | undefined, aside: boolean): void {
    if (aside) this.#aside.add(id)
    this.#passed.set(id, this.#climb(parent ?? null, aside))
  }

  /** Takes an entry and gives its place. */
  add(
    record: JsonObject,
    kind: EntryKind,
    id: string,
    parentId: string | undefined,
    entry: RecordIndex,
  ): Place {
    const aside = isAside(record)
    if (aside) this.#aside.add(id)
    const group = (aside ? this.#asideGroups : this.#mainGroups).of(record, kind, entry)
    const place = this.#placeFor(group, parentId, aside)
    this.#entries.set(id, entry)
    this.ancestry.add(entry, place.parent)
    if (group) {
      group.tail = entry
      this.#groups[entry] = group
    }
    return place
  }

  #placeFor(group: Group | undefined, parentId: string | undefined, aside: boolean): Place {
    if (group && group.tail !== null) return { parent: group.tail }
    const top = this.#climb(parentId ?? null, aside)
    if (top === null) return { parent: null }
    const parent = this.#entries.get(top)
    if (parent === undefined) return { parent: null, dangling: top }
    if (!aside && this.#aside.has(top)) return { parent: null, dangling: top, isAside: true }
    return { parent: this.endOf(parent) }
  }

  /**
   * Climbs over records that are no entries, and shortens the way for the next. Ends on cycles, and from
   * outside at a sidechain.
   */
  #climb(id: string | null, aside: boolean): string | null {
    let top = id
    const way = new Set<string>()
    while (top !== null && !way.has(top)) {
      if (!aside && this.#aside.has(top)) break
      const next = this.#passed.get(top)
      if (next === undefined) break
      way.add(top)
      top = next
    }
    if (way.size > 1) for (const step of way) this.#passed.set(step, top)
    return top
  }
}

/** Tells whether a record stands in a sidechain. */
export const isAside = (record: JsonObject): boolean => record.isSidechain === true
