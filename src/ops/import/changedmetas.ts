import { sameValue } from '../../model/operation.ts'
import { metaRef } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { findMeta, refValue, type SessionMeta } from '../../repo/session.ts'

/** The metadata of sessions, as a transaction leaves it. */
export class ChangedMetas {
  readonly #reader: Reader
  readonly #before = new Map<string, SessionMeta | undefined>()
  readonly #now = new Map<string, SessionMeta>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  async get(id: string): Promise<SessionMeta | undefined> {
    const now = this.#now.get(id)
    if (now || this.#before.has(id)) return now ?? this.#before.get(id)
    const meta = await findMeta(this.#reader, id)
    this.#before.set(id, meta)
    return meta
  }

  set(id: string, meta: SessionMeta): void {
    this.#now.set(id, meta)
  }

  write({ move }: Change): void {
    for (const [id, now] of this.#now) {
      const before = this.#before.get(id)
      if (before && !sameValue(refValue(before), refValue(now)))
        move(metaRef(id), refValue(before), refValue(now))
    }
  }
}
