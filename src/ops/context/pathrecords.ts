import { type Awaitable, andThen } from '../../model/awaitable.ts'
import { holds } from '../../model/ranges.ts'
import type { Backend, Row } from '../../repo/backend.ts'
import { graftsIn } from '../../repo/grafts/grafts.ts'
import { plainRow } from '../../repo/grafts/joints.ts'
import { type Found, RecordFinder } from '../../repo/records.ts'
import { findSession, logsOf, type Session } from '../../repo/session.ts'

/**
 * Finds the newest records of the entries of paths: those of a session, and of what grafts bring those of a session that
 * holds it. Each log is read once, as far as it must be.
 */
export class PathRecords {
  readonly #backend: Backend
  /** Of the session, and of those that were asked after it. */
  readonly #finders: RecordFinder[]
  readonly #asked = new Set<string>()
  #grafted: boolean | undefined

  constructor(backend: Backend, session: Session | undefined) {
    this.#backend = backend
    this.#finders = session ? [new RecordFinder(backend, logsOf(session))] : []
    if (session) this.#asked.add(session.id)
  }

  /** Gives the newest record of an entry that was not asked for before. */
  find(row: Row): Awaitable<Found | undefined> {
    const [first] = this.#finders
    return andThen(first?.find(row), (found) => found ?? this.#findIn(row, this.#finders.slice(1)))
  }

  async #findIn(row: Row, others: readonly RecordFinder[]): Promise<Found | undefined> {
    for (const finder of others) {
      const found = await finder.find(row)
      if (found) return found
    }
    this.#grafted ??= this.#finders.length > 0 && (await isGrafted(this.#backend))
    return this.#grafted ? this.#elsewhere(row) : undefined
  }

  /** Lets go of what is being read. */
  async close(): Promise<void> {
    for (const finder of this.#finders) await finder.close()
  }

  async #elsewhere(row: Row): Promise<Found | undefined> {
    const plain = plainRow(row)
    for (const [id, { ranges }] of await this.#backend.extents()) {
      if (this.#asked.has(id) || !holds(ranges, plain)) continue
      this.#asked.add(id)
      const session = await findSession(this.#backend, id)
      if (!session) continue
      const finder = new RecordFinder(this.#backend, logsOf(session))
      this.#finders.push(finder)
      const found = await finder.find(row)
      if (found) return found
    }
    return undefined
  }
}

/** Tells whether any graft joins anything. */
async function isGrafted(backend: Backend): Promise<boolean> {
  for await (const _ of graftsIn(backend)) return true
  return false
}
