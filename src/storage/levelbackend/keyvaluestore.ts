import { removeChecksum } from '../checksum.ts'
import { readError } from '../ioerrors.ts'
import { type Key, keyText, prefixEnd, SPACE } from './keys.ts'
import { ChecksummedPut, type KeyValue, type KeyValueDatabase, keyTextOf, type Put } from './keyvalue.ts'
import { addPut, type WriteGroup, WriteQueue } from './writequeue.ts'

/** The bytes of a range that are read at a time, after smaller batches at first. */
const READ_AHEAD = 512 << 10

/** The number of pairs that `scanAll` and `keys` read at a time. */
const MANY = 1000

/** The number of refs and coverage values that are cached. */
const MAX_CACHED = 1024

/** Returns whether the value of a key is cached. */
const isCacheable = (key: Key): boolean => key[0] === SPACE.ref || key[0] === SPACE.coverage

/**
 * A key-value database with its pending writes: reads see both as one. `docs/store-format.md` says what is durable
 * when.
 */
export class KeyValueStore {
  readonly #level: KeyValueDatabase
  /** The queue of pending writes. */
  readonly writes: WriteQueue
  /** Cached values of refs and coverage: appends read the same few again and again. */
  readonly #cached = new Map<string, Uint8Array | undefined>()
  #version = 0

  constructor(level: KeyValueDatabase, confirm: () => void) {
    this.#level = level
    this.writes = new WriteQueue(level, confirm)
  }

  get(key: Key, text = keyText(key)): Uint8Array | undefined {
    this.#check()
    const put = this.writes.findPut(text)
    return put ? put.value : this.#read(key)
  }

  /** Returns the value of a key without its checksum. Throws `corrupt` naming `what` where that does not match. */
  getChecked(key: Key, what: string): Uint8Array | undefined {
    this.#check()
    const text = keyText(key)
    const put = this.writes.findPut(text)
    // A pending put has no checksum yet.
    if (put instanceof ChecksummedPut) return put.content
    if (put) return put.value && removeChecksum(key, put.value, what)
    if (!isCacheable(key)) return this.#opened(key, what)
    if (this.#cached.has(text)) return this.#cached.get(text)
    if (this.#cached.size === MAX_CACHED) this.#cached.clear()
    const content = this.#opened(key, what)
    this.#cached.set(text, content)
    return content
  }

  #opened(key: Key, what: string): Uint8Array | undefined {
    const value = this.#read(key)
    return value && removeChecksum(key, value, what)
  }

  #read(key: Key): Uint8Array | undefined {
    try {
      return this.#level.getSync(key)
    } catch (error) {
      throw readError(error)
    }
  }

  /** Puts a value under its own key with the next commit. */
  put(key: Key, value: Uint8Array | undefined, text = keyText(key)): void {
    this.#check()
    this.#version++
    if (isCacheable(key)) this.#cached.delete(text)
    this.writes.put(key, value, text)
  }

  /** Replaces the value of a key by what a function returns for it. */
  change(key: Key, to: (value: Uint8Array | undefined) => Uint8Array): void {
    const text = keyText(key)
    this.put(key, to(this.get(key, text)), text)
  }

  /** Adds a commit to the commit log, its puts visible to reads at once. Returns the number of its group there. */
  addCommit(bytes: Uint8Array, puts: readonly Put[]): number {
    this.#check()
    this.#version++
    for (const put of puts) if (isCacheable(put.key)) this.#cached.delete(keyTextOf(put))
    return this.writes.addCommit(bytes, puts)
  }

  /** A number that changes with each put: values that were read under the same number are current. */
  get version(): number {
    return this.#version
  }

  /** Resolves once all that was put before is durable. */
  commit(): Promise<void> {
    this.#check()
    return this.writes.commit()
  }

  /** Adds a put to a staged group. */
  stagePut(group: WriteGroup, key: Key, value: Uint8Array | undefined): void {
    this.#version++
    addPut(group, { key, value })
  }

  /** Writes a staged group, which covers the commit log up to a number. */
  async checkpoint(group: WriteGroup, upTo: number): Promise<void> {
    this.#check()
    return this.writes.checkpoint(group, upTo)
  }

  #check(): void {
    if (this.writes.failed) throw this.writes.failure()
  }

  /** Yields the pairs whose keys begin with a prefix, in ascending or descending order. */
  scan(prefix: Key, reverse = false): AsyncIterable<[Key, Uint8Array]> {
    return this.range(prefix, prefixEnd(prefix), reverse)
  }

  /** Yields the pairs from one key up to and excluding another in the same keyspace, pending puts included. */
  async *range(from: Key, to: Key, reverse = false): AsyncGenerator<[Key, Uint8Array]> {
    let size = 4
    const next = (pairs: readonly KeyValue[]): number => {
      const bytes = pairs.reduce((sum, [, value]) => sum + value.length, 1)
      size = Math.max(1, Math.min(4 * size, Math.floor((READ_AHEAD * pairs.length) / bytes)))
      return size
    }
    for await (const pairs of this.#chunks(from, to, reverse, size, next)) yield* pairs
  }

  /** Returns all pairs whose keys begin with a prefix: faster than `scan` for many small ones. */
  async scanAll(prefix: Key): Promise<[Key, Uint8Array][]> {
    const all: KeyValue[] = []
    for await (const pairs of this.#chunks(prefix, prefixEnd(prefix), false, MANY, () => MANY))
      all.push(...pairs)
    return all
  }

  /** Reads a range in chunks, merged with pending puts. `next` returns the size of the next chunk. */
  async *#chunks(
    from: Key,
    to: Key,
    reverse: boolean,
    first: number,
    next: (pairs: readonly KeyValue[]) => number,
  ): AsyncGenerator<KeyValue[]> {
    this.#check()
    // Taken in the same turn of the event loop: the database as it is now, and the puts that it lacks now.
    const over = this.writes.putsBetween(from, to)
    const iterator = this.#level.iterator({ gte: from, lt: to, reverse })
    const merge = new PendingMerge(reverse ? over.reverse() : over, reverse)
    try {
      for (let size = first; ; ) {
        const pairs = await iterator.nextv(size)
        if (pairs.length === 0) {
          yield merge.rest()
          return
        }
        size = next(pairs)
        yield merge.with(pairs)
      }
    } catch (error) {
      throw readError(error)
    } finally {
      await iterator.close()
    }
  }

  /** Yields the keys from one up to and excluding another in the same keyspace. */
  async *keys(from: Key, to: Key): AsyncGenerator<Key> {
    this.#check()
    const over = this.writes.putsBetween(from, to)
    const iterator = this.#level.keys({ gte: from, lt: to })
    const merge = new PendingMerge(over, false)
    try {
      for (;;) {
        const keys = await iterator.nextv(MANY)
        const pairs = keys.length === 0 ? merge.rest() : merge.with(keys.map((key) => [key, key]))
        for (const [key] of pairs) yield key
        if (keys.length === 0) return
      }
    } catch (error) {
      throw readError(error)
    } finally {
      await iterator.close()
    }
  }
}

/** Merges pending puts, in the order of a read, with the pairs that the read returns. */
class PendingMerge {
  readonly #over: readonly Put[]
  readonly #sign: number
  #next = 0

  constructor(over: readonly Put[], reverse: boolean) {
    this.#over = over
    this.#sign = reverse ? -1 : 1
  }

  /** Returns pairs with the pending puts before and between them. */
  with(pairs: KeyValue[]): KeyValue[] {
    if (this.#next === this.#over.length) return pairs
    const merged: KeyValue[] = []
    for (const pair of pairs) {
      let order = 1
      for (; this.#next < this.#over.length; this.#next++) {
        const put = this.#over[this.#next] as Put
        order = this.#sign * Buffer.compare(pair[0], put.key)
        if (order < 0) break
        if (put.value !== undefined) merged.push([put.key, put.value])
        if (order === 0) {
          this.#next++
          break
        }
      }
      if (order !== 0) merged.push(pair)
    }
    return merged
  }

  /** Returns the pending puts after all pairs. */
  rest(): KeyValue[] {
    const rest = this.#over.slice(this.#next)
    return rest.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as KeyValue]))
  }
}
