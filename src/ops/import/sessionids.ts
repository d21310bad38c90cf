import { sessionPrefix } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import { findSession, type Session, sessionsFrom } from '../../repo/session.ts'

/** So many questions are each answered by a look at the refs; for more of them all ids are read at once. */
const FEW = 16

/** Finds sessions by how their ids begin, as they were before a piece of work. */
export class SessionIds {
  readonly #reader: Reader
  #asked = 0
  #all: readonly string[] | undefined

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Gives the sessions whose ids begin with a text, in their order. */
  async *from(text: string): AsyncGenerator<Session> {
    if (this.#asked++ < FEW) {
      yield* sessionsFrom(this.#reader, sessionPrefix(text).slice(0, -1))
      return
    }
    // Whatever reaches anything has an extent.
    const all = (this.#all ??= (await this.#reader.index.sessions()).map(({ id }) => id).sort())
    for (let at = firstFrom(all, text); at < all.length; at++) {
      const id = all[at] as string
      if (!id.startsWith(text)) return
      const session = await findSession(this.#reader, id)
      if (session) yield session
    }
  }
}

/** Gives the place of the first of some sorted texts that is not before another one. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as string) < text) low = middle + 1
    else high = middle
  }
  return low
}
