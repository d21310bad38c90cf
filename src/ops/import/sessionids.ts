import type { Format } from '../../formats/core/format.ts'
import { type Sample, unitsIn } from '../../formats/core/sample.ts'
import { oidOf } from '../../model/oid.ts'
import { sessionPrefix } from '../../model/refname.ts'
import { sha256 } from '../../model/sha256.ts'
import type { Reader } from '../../repo/reader.ts'
import { findSession, type SessionState, sessionsFrom } from '../../repo/session.ts'

/** The number of look-ups that are each answered from the refs; for more, all ids are read at once. */
const FEW = 16

/** Finds sessions by prefixes of their ids, as they were before a unit of work. */
export class SessionIds {
  readonly #reader: Reader
  #asked = 0
  #all: readonly string[] | undefined

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns the sessions whose ids begin with a text, in their order. */
  async *from(text: string): AsyncGenerator<SessionState> {
    if (this.#asked++ < FEW) {
      yield* sessionsFrom(this.#reader, sessionPrefix(text).slice(0, -1))
      return
    }
    // Every session that reaches an entry has coverage.
    const all = (this.#all ??= (await this.#reader.index.sessions()).map(({ id }) => id).sort())
    for (let at = firstFrom(all, text); at < all.length; at++) {
      const id = all[at] as string
      if (!id.startsWith(text)) return
      const session = await findSession(this.#reader, id)
      if (session) yield session
    }
  }
}

/** Returns the place of the first of some sorted texts that is not before another one. */
function firstFrom(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as string) < text) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the id under which a source is looked for: its own, else one made of its name and its first record. */
export function sessionIdOf(format: Format, sample: Sample): string {
  const reader = format.reader(sample.name, sample.folder, sample.above)
  let { id } = reader.facts()
  let first: Uint8Array | undefined
  for (const unit of id ? [] : unitsIn(sample, format)) {
    first ??= unit.bytes
    reader.read(unit)
    id = reader.facts().id
    if (id) break
  }
  if (id) return nameable(id)
  const stem = sample.name.replace(/\.[^.]*$/, '') || sample.name
  return `${stem}-${shortDigest(first ?? sample.head)}`
}

/** The longest id that a session is known by, in UTF-16 units. */
const LONGEST = 200

/** Returns an id as it can be stored and typed: of whole characters, not without end, and not the `@` of revisions. */
function nameable(id: string): string {
  const whole = id.toWellFormed()
  if (whole.length <= LONGEST && whole !== '@') return whole
  return `${whole.slice(0, LONGEST / 2).toWellFormed()}-${shortDigest(new TextEncoder().encode(whole))}`
}

const shortDigest = (bytes: Uint8Array): string => oidOf(sha256(bytes)).slice(0, 8)
