import type { JsonObject } from '../../model/json.ts'
import type { Handle } from '../format.ts'
import { Ancestry } from './ancestry.ts'
import type { EntryKind } from './body.ts'
import { idAt, listAt, textAt } from './look.ts'

/** The blocks of one assistant message and the results that answer them: one chain in file order. */
interface Group {
  /** Its last member so far, on which the next member and all that continues any member follow. */
  tail: Handle | null
}

interface Call {
  readonly group: Group
  /** The entry that holds its result and nothing else. */
  answer?: Handle
}

/** Where an entry stands: the entry that it continues, or the id of a parent that was not read before it. */
export interface Place {
  readonly parent: Handle | null
  readonly dangling?: string
}

/**
 * What precedes what. A file's own parents are not always the conversational predecessors: it has a record
 * for each block, and makes the blocks of one message and the results of its parallel tool calls siblings.
 * They are put in one chain here. Records that are no entries are climbed over; a parent not read yet is no
 * parent, so that a growing file changes nothing that was said of its beginning.
 */
export class Chain {
  readonly ancestry = new Ancestry()
  readonly #entries = new Map<string, Handle>()
  /** The parents of records that are no entries. */
  readonly #passed = new Map<string, string | null>()
  readonly #messages = new Map<string, Group>()
  readonly #calls = new Map<string, Call>()
  readonly #groups = new Map<Handle, Group>()

  /** Tells whether a record with this id was read. */
  has(id: string): boolean {
    return this.#entries.has(id) || this.#passed.has(id)
  }

  /** Gives the entry that a record with this id carries. */
  entry(id: string): Handle | undefined {
    return this.#entries.get(id)
  }

  /** Gives the entry that a record with this id carries, or else the next above it. */
  nearest(id: string): Handle | undefined {
    const top = this.#climb(id)
    return top === null ? undefined : this.#entries.get(top)
  }

  /** Gives the entry that holds the result of a tool call, where it holds nothing else. */
  answer(call: string): Handle | undefined {
    return this.#calls.get(call)?.answer
  }

  /** Gives the end of the chain that an entry belongs to. */
  endOf(entry: Handle): Handle {
    return this.#groups.get(entry)?.tail ?? entry
  }

  /** Takes a record that is no entry: what follows it will continue what precedes it. */
  passOver(id: string, parent: string | undefined): void {
    this.#passed.set(id, this.#climb(parent ?? null))
  }

  /** Takes an entry and gives its place. */
  add(record: JsonObject, kind: EntryKind, id: string, parentId: string | undefined, entry: Handle): Place {
    const group = this.#groupFor(record, kind, entry)
    const place = this.#placeFor(group, parentId)
    this.#entries.set(id, entry)
    this.ancestry.add(entry, place.parent)
    if (group) {
      group.tail = entry
      this.#groups.set(entry, group)
    }
    return place
  }

  #placeFor(group: Group | undefined, parentId: string | undefined): Place {
    if (group && group.tail !== null) return { parent: group.tail }
    const top = this.#climb(parentId ?? null)
    if (top === null) return { parent: null }
    const parent = this.#entries.get(top)
    return parent === undefined ? { parent: null, dangling: top } : { parent: this.endOf(parent) }
  }

  #groupFor(record: JsonObject, kind: EntryKind, entry: Handle): Group | undefined {
    if (kind === 'assistant') {
      const message = idAt(record, 'message', 'id')
      return message === undefined ? undefined : this.#groupOfMessage(message, record)
    }
    if (kind !== 'user') return undefined
    const blocks = listAt(record, 'message', 'content')
    const result = blocks.find((block) => textAt(block, 'type') === 'tool_result')
    const call = this.#calls.get(textAt(result, 'tool_use_id') ?? '')
    if (call && blocks.length === 1) call.answer = entry
    return call?.group
  }

  #groupOfMessage(message: string, record: JsonObject): Group {
    let group = this.#messages.get(message)
    if (!group) {
      group = { tail: null }
      this.#messages.set(message, group)
    }
    for (const block of listAt(record, 'message', 'content')) {
      const call = textAt(block, 'type') === 'tool_use' ? idAt(block, 'id') : undefined
      if (call !== undefined) this.#calls.set(call, { group })
    }
    return group
  }

  /** Climbs over records that are no entries, and shortens the way for the next. Ends on cycles. */
  #climb(id: string | null): string | null {
    let top = id
    const way = new Set<string>()
    while (top !== null && !way.has(top)) {
      const next = this.#passed.get(top)
      if (next === undefined) break
      way.add(top)
      top = next
    }
    if (way.size > 1) for (const step of way) this.#passed.set(step, top)
    return top
  }
}
