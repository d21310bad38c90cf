import type { JsonObject } from '../../model/json.ts'
import type { RecordIndex } from '../format.ts'
import { textAt } from './look.ts'

/** The types of records that the official reader keeps. */
const KEPT = new Set(['user', 'assistant', 'progress', 'system', 'attachment'])

/** A record as the search for the active leaf sees it. */
export interface Member {
  readonly record: JsonObject
  readonly id: string
  /** The id that it names as its parent, and whether a record with that id was read. */
  readonly parent: string | undefined
  readonly parentRead: boolean
  /** The entry that it carries, or else the nearest above it. */
  readonly entry: RecordIndex | undefined
}

/**
 * Finds the leaf that the agent itself would resume, by the official reader's rule (`getSessionMessages` of
 * its SDK): of the records that no other continues, the last in the file from which a user's or an
 * assistant's message can be reached. Sidechains, team mates, progress and briefings of forks continue
 * nothing. Each record costs amortised O(1).
 */
export class Leaves {
  /**
   * Records that nothing continues, by id, each with its entry; and all that ever were, in order of the file.
   */
  readonly #open = new Map<string, RecordIndex>()
  readonly #order: string[] = []
  /** Ids named as parents before they were read. */
  readonly #awaited = new Set<string>()
  /** Records from which no message can be reached. */
  readonly #silent = new Set<string>()
  #last: RecordIndex | null = null

  /** Takes the next record; in a sub-agent's own file its sidechain is the conversation. */
  add({ record, id, parent, parentRead, entry }: Member, ownSidechain: boolean): void {
    const type = textAt(record, 'type') ?? ''
    const said = type === 'user' || type === 'assistant'
    const reaches =
      said || (KEPT.has(type) && parent !== undefined && parentRead && !this.#silent.has(parent))
    if (!reaches) this.#silent.add(id)
    if (!KEPT.has(type)) return
    const aside = record.isSidechain === true && !ownSidechain
    const main = !aside && !record.teamName
    if (main && type !== 'progress' && !isBriefing(record) && parent !== undefined && parent !== id) {
      if (parentRead) this.#open.delete(parent)
      else this.#awaited.add(parent)
    }
    if (said && !aside && entry !== undefined) this.#last = entry
    if (main && reaches && entry !== undefined && !this.#awaited.has(id)) {
      this.#trim()
      this.#order.push(id)
      this.#open.set(id, entry)
    }
    this.#awaited.delete(id)
  }

  /** Takes a record whose id was read before: the agent has it at its last place. `entry` replaces its entry. */
  again(id: string, entry?: RecordIndex): void {
    if (!this.#open.has(id)) return
    if (entry !== undefined) this.#open.set(id, entry)
    this.#trim()
    this.#order.push(id)
  }

  /** Gives the entry of the active leaf; where records continue each other in a circle, the last message. */
  active(): RecordIndex | null {
    this.#trim()
    const id = this.#order.at(-1)
    return id === undefined ? this.#last : (this.#open.get(id) ?? null)
  }

  #trim(): void {
    while (this.#order.length > 0 && !this.#open.has(this.#order.at(-1) as string)) this.#order.pop()
  }
}

const isBriefing = (record: JsonObject): boolean => textAt(record, 'attachment', 'type') === 'fork_briefing'
