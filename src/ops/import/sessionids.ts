import type { Format } from '../../formats/core/format.ts'
import { type Sample, unitsIn } from '../../formats/core/sample.ts'
import { oidOf } from '../../model/encoding/oid.ts'
import { sha256 } from '../../model/encoding/sha256.ts'
import { sessionPrefix } from '../../model/refname.ts'
import type { Reader } from '../../repo/reader.ts'
import { sessionsFrom } from '../../repo/session.ts'
import { lastingStart, type Source } from './source.ts'

/** The number of refs that look-ups read; after them all ids are read at once. */
const FEW_REFS = 256

/** Finds the ids of sessions by prefixes, as they were before a unit of work. */
export class SessionIds {
  readonly #reader: Reader
  #read = 0
  #all: readonly string[] | undefined

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Yields the ids that begin with a text, in their order. */
  async *from(text: string): AsyncGenerator<string> {
    if (this.#read < FEW_REFS) {
      for await (const { id, refs } of sessionsFrom(this.#reader, sessionPrefix(text).slice(0, -1))) {
        this.#read += refs.length
        yield id
      }
      return
    }
    // Every session that reaches an entry has coverage.
    const all = (this.#all ??= (await this.#reader.index.sessions()).map(({ id }) => id).sort())
    for (let at = firstFrom(all, text); at < all.length; at++) {
      const id = all[at] as string
      if (!id.startsWith(text)) return
      yield id
    }
  }
}

/**
 * The sessions that a batch of files changes. A unit of work does not see its own changes: a file that may continue one of
 * these sessions waits for the next batch.
 */
export class ChangedSessions {
  /** How the files begin that were read under an id; undefined where another one may belong to the same session. */
  readonly #starts = new Map<string, Set<string> | undefined>()

  has(id: string): boolean {
    return this.#starts.has(id)
  }

  /** Adds a session that any file of its id may belong to. */
  add(id: string): void {
    this.#starts.set(id, undefined)
  }

  /** Adds the sessions that a file may belong to. Returns whether it waits. */
  addFile(file: Source): boolean {
    const start = file.format.rewrittenWhole ? undefined : lastingStart(file)
    let waits = false
    for (const id of file.ids) {
      const starts = this.#starts.get(id)
      if (start !== undefined && id === file.native && starts && !starts.has(start)) starts.add(start)
      else if (this.has(id)) waits = true
      else this.#starts.set(id, start !== undefined && id === file.native ? new Set([start]) : undefined)
    }
    return waits
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
