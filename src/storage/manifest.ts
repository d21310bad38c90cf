/** What belongs to a LevelDB database, by the numbers in the names of its files. */
export interface Manifest {
  readonly tables: Set<number>
  /** Logs from this number on hold what is in no table yet. */
  readonly log: number
  /** The number of a log before it that does too; 0 for none. */
  readonly previousLog: number
}

const BLOCK = 32_768
const HEADER = 7

/** The kinds of fragments of a record: whole, its first, middle and last one. */
const [FULL, FIRST, , LAST] = [1, 2, 3, 4] as const

/** Gives the records of a file in LevelDB's log format (doc/log_format.md), up to one that is not whole. */
function* recordsIn(bytes: Buffer): Generator<Buffer> {
  let parts: Buffer[] = []
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const left = BLOCK - (at % BLOCK)
    const [length, kind] = [bytes.readUInt16LE(at + 4), bytes[at + 6]]
    if (left < HEADER || (length === 0 && kind === 0)) {
      at += left
      continue
    }
    const part = bytes.subarray(at + HEADER, at + HEADER + length)
    if (part.length < length) return
    at += HEADER + length
    if (kind === FULL || kind === FIRST) parts = []
    parts.push(part)
    if (kind === FULL || kind === LAST) yield Buffer.concat(parts)
  }
}

/** Reads the fields of a version edit one after the other. */
class Fields {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#bytes.length
  }

  number(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#bytes[this.#at++]
      if (byte === undefined) throw new RangeError('a manifest ends within a number')
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }

  skipText(): void {
    const length = this.number()
    this.#at += length
  }
}

/**
 * Reads which files belong to a database from its manifest, a log of version edits (db/version_edit.cc of LevelDB).
 * Throws a RangeError where it is none.
 */
export function readManifest(bytes: Buffer): Manifest {
  const tables = new Set<number>()
  let [log, previousLog] = [0, 0]
  for (const record of recordsIn(bytes)) {
    const fields = new Fields(record)
    while (!fields.isAtEnd) {
      const tag = fields.number()
      if (tag === 1) fields.skipText()
      else if (tag === 2) log = fields.number()
      else if (tag === 9) previousLog = fields.number()
      else if (tag === 3 || tag === 4) fields.number()
      else if (tag === 5) {
        fields.number()
        fields.skipText()
      } else if (tag === 6) {
        fields.number()
        tables.delete(fields.number())
      } else if (tag === 7) {
        fields.number()
        tables.add(fields.number())
        fields.number()
        fields.skipText()
        fields.skipText()
      } else throw new RangeError(`a manifest has an unknown field ${tag}`)
    }
  }
  return { tables, log, previousLog }
}
