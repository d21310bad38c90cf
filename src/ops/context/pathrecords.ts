import type { EntryHandle } from '../../model/node.ts'
import { graftsIn } from '../../repo/grafts.ts'
import type { Reader } from '../../repo/reader.ts'
import { RecordFinder, type RecordLocation } from '../../repo/records.ts'
import { findSession, logsOf, type Session } from '../../repo/session.ts'

/**
 * Finds the newest records of the entries of paths: in a session, and for entries above a graft in a session that has
 * them. Each log is read once, only as far as needed.
 */
export class PathRecords {
  readonly #reader: Reader
  /** Of the session, then of other sessions, in the order in which they were searched. */
  readonly #finders: RecordFinder[]
  readonly #asked = new Set<string>()
  #grafted: boolean | undefined

  constructor(reader: Reader, session: Session | undefined) {
    this.#reader = reader
    this.#finders = session ? [new RecordFinder(reader, logsOf(session))] : []
    if (session) this.#asked.add(session.id)
  }

  /** Returns the newest record of an entry that was not asked for before. */
  async find(handle: EntryHandle): Promise<RecordLocation | undefined> {
    for (const finder of this.#finders) {
      const found = await finder.find(handle)
      if (found) return found
    }
    this.#grafted ??= this.#finders.length > 0 && (await isGrafted(this.#reader))
    return this.#grafted ? this.#elsewhere(handle) : undefined
  }

  /** Ends the reading. */
  async close(): Promise<void> {
    for (const finder of this.#finders) await finder.close()
  }

  async #elsewhere(handle: EntryHandle): Promise<RecordLocation | undefined> {
    for (const covered of await this.#reader.index.sessions()) {
      const { id } = covered
      if (this.#asked.has(id) || !covered.mayReach(handle)) continue
      this.#asked.add(id)
      const session = await findSession(this.#reader, id)
      if (!session) continue
      const finder = new RecordFinder(this.#reader, logsOf(session))
      this.#finders.push(finder)
      const found = await finder.find(handle)
      if (found) return found
    }
    return undefined
  }
}

/** Tells whether any graft joins anything. */
async function isGrafted(reader: Reader): Promise<boolean> {
  for await (const _ of graftsIn(reader)) return true
  return false
}
