import { type Key, prefixEnd, SPACE } from '../levelbackend/keys.ts'
import type { KeyChange, KeyCursor, KeyRange, KeyValue, KeyValueDatabase } from '../levelbackend/keyvalue.ts'

/** The keyspaces whose keys are hashes: an import looks up each entry and blob there, and finds few. */
const HASHED: readonly number[] = [SPACE.oid, SPACE.blob]

/**
 * The filter has a bit for each value of this many bits of a key: at a million keys it lets pass one of five absent
 * ones.
 */
const BITS = 22

/** All keys are read once there were this many lookups, and this share of the number of entries. */
const MANY_LOOKUPS = 2048
const SHARE = 1 / 16

/** The number of keys that are read at a time. */
const AT_ONCE = 4096

const isHashed = (key: Key): boolean => key[0] === SPACE.oid || key[0] === SPACE.blob

/** Returns the bit of a key: a part of its hash. */
const bitOf = (key: Key): number =>
  (((key[1] as number) << 16) | ((key[2] as number) << 8) | (key[3] as number)) >>> (24 - BITS)

/**
 * A database with a bloom filter of one hash function for keys that are hashes, so that most absent ones are not looked
 * up: a lookup takes some 10 us, in all 3 % of an import. The filter is ready from the start where the database is
 * empty, else once all keys were read.
 */
export class FilteredDatabase implements KeyValueDatabase {
  readonly location?: string
  readonly #level: KeyValueDatabase
  #known: Uint8Array | undefined
  #isComplete = false
  #lookups = 0
  /** Batches that are being written. */
  readonly #writing = new Set<Promise<void>>()

  constructor(level: KeyValueDatabase) {
    this.#level = level
    if (level.location !== undefined) this.location = level.location
  }

  /** Notes that the database has no such keys yet. */
  beginEmpty(): void {
    this.#known = new Uint8Array(1 << (BITS - 3))
    this.#isComplete = true
  }

  getSync(key: Key): Uint8Array | undefined {
    if (isHashed(key)) {
      this.#lookups++
      if (this.#isComplete && !this.#has(bitOf(key))) return undefined
    }
    return this.#level.getSync(key)
  }

  /** Reads all keys after many lookups, compared with the number of entries. */
  async learn(entries: number): Promise<void> {
    if (this.#known || this.#lookups < MANY_LOOKUPS || this.#lookups < entries * SHARE) return
    this.#known = new Uint8Array(1 << (BITS - 3))
    // An iterator may not see a batch that is being written, whose keys were not noted.
    await Promise.allSettled(this.#writing)
    for (const space of HASHED) {
      const prefix = Uint8Array.of(space)
      const walk = this.#level.keys({ gte: prefix, lt: prefixEnd(prefix) })
      try {
        for (let keys = await walk.nextv(AT_ONCE); keys.length > 0; keys = await walk.nextv(AT_ONCE))
          for (const key of keys) this.#add(key)
      } finally {
        await walk.close()
      }
    }
    this.#isComplete = true
  }

  #has(bit: number): boolean {
    return (((this.#known as Uint8Array)[bit >> 3] as number) & (1 << (bit & 7))) !== 0
  }

  #add(key: Key): void {
    const known = this.#known
    if (!known) return
    const bit = bitOf(key)
    known[bit >> 3] = (known[bit >> 3] as number) | (1 << (bit & 7))
  }

  async batch(changes: readonly KeyChange[], options: { readonly sync: boolean }): Promise<void> {
    if (this.#known) for (const { type, key } of changes) if (type === 'put' && isHashed(key)) this.#add(key)
    const writing = this.#level.batch(changes, options)
    this.#writing.add(writing)
    try {
      await writing
    } finally {
      this.#writing.delete(writing)
    }
  }

  iterator(range: KeyRange): KeyCursor<KeyValue> {
    return this.#level.iterator(range)
  }

  keys(range: KeyRange): KeyCursor<Uint8Array> {
    return this.#level.keys(range)
  }

  close(): Promise<void> {
    return this.#level.close()
  }
}
