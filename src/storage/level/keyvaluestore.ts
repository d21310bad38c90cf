import { removeChecksum } from '../checksum.ts'
import { readError } from '../ioerrors.ts'
import type { LoggedGroup } from './commitlog.ts'
import { type Key, keyText, prefixEnd, SPACE } from './keys.ts'
import {
  ChecksummedPut,
  type KeyRange,
  type KeyValueDatabase,
  keyTextOf,
  type Pair,
  type Put,
} from './keyvalue.ts'
import { addPut, type WriteGroup, WriteQueue } from './writequeue.ts'

/** A range is read so many bytes at a time, and at first less. */
const READ_AHEAD = 512 << 10

/** Lists are read so many pairs at a time. */
const MANY = 1000

/** Of so many refs and extents it is remembered what they are in their places. */
const REMEMBERED = 1024

/** Tells whether it is remembered what stands under a key. */
const isRemembered = (key: Key): boolean => key[0] === SPACE.ref || key[0] === SPACE.coverage

/**
 * One LevelDB, with what is written and not in its place there yet: reads see both as one. `docs/store-format.md` says
 * what is durable when.
 */
export class KeyValueStore {
  readonly #level: KeyValueDatabase
  readonly #writes: WriteQueue
  /** What was read of refs and extents and has not been put since: whoever appends reads the same few again and again. */
  readonly #cached = new Map<string, Uint8Array | undefined>()
  #version = 0

  constructor(level: KeyValueDatabase, confirm: () => void) {
    this.#level = level
    this.#writes = new WriteQueue(level, confirm)
  }

  /** Gives the commits whose entries and refs were not in their checkpointed when the database was opened. */
  loggedGroups(): Iterable<LoggedGroup> {
    return this.#writes.loggedGroups()
  }

  /** Tells what such a commit put. */
  noteLogged(put: Put): void {
    this.#writes.noteLogged(put)
  }

  get(key: Key, text = keyText(key)): Uint8Array | undefined {
    this.#check()
    const put = this.#writes.findPut(text)
    return put ? put.value : this.#read(key)
  }

  /** Gives what stands behind a checksum under a key. Throws `corrupt` naming what it is where that fails. */
  getChecked(key: Key, what: string): Uint8Array | undefined {
    this.#check()
    const text = keyText(key)
    const put = this.#writes.findPut(text)
    // What waits in memory has no checksum yet.
    if (put instanceof ChecksummedPut) return put.content
    if (put) return put.value && removeChecksum(key, put.value, what)
    if (!isRemembered(key)) return this.#opened(key, what)
    if (this.#cached.has(text)) return this.#cached.get(text)
    if (this.#cached.size === REMEMBERED) this.#cached.clear()
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

  /** Puts something into its place with the next commit. */
  put(key: Key, value: Uint8Array | undefined, text = keyText(key)): void {
    this.#check()
    this.#version++
    if (isRemembered(key)) this.#cached.delete(text)
    this.#writes.put(key, value, text)
  }

  /** Puts what a function makes of what stands under a key. */
  change(key: Key, to: (value: Uint8Array | undefined) => Uint8Array): void {
    const text = keyText(key)
    this.put(key, to(this.get(key, text)), text)
  }

  /** Adds a commit to the write-ahead log, its puts visible to reads at once. Returns its number there. */
  addCommit(bytes: Uint8Array, puts: readonly Put[]): number {
    this.#check()
    this.#version++
    for (const put of puts) if (isRemembered(put.key)) this.#cached.delete(keyTextOf(put))
    return this.#writes.addCommit(bytes, puts)
  }

  /** Has the next commit get another number in the write-ahead log. */
  closeGroup(): void {
    this.#writes.closeGroup()
  }

  /** Another number after each put: what was read under the same one is as it was. */
  get version(): number {
    return this.#version
  }

  /** The bytes that wait to be written to their places. */
  get pendingBytes(): number {
    return this.#writes.pendingBytes
  }

  /** Resolves once all that was put before is durable. */
  commit(): Promise<void> {
    this.#check()
    return this.#writes.commit()
  }

  /** Begins to lay out what goes to its place: seen at once, and written by `place`. */
  stage(): WriteGroup {
    return this.#writes.stage()
  }

  /** Lays something out. */
  stagePut(group: WriteGroup, key: Key, value: Uint8Array | undefined): void {
    this.#version++
    addPut(group, { key, value })
  }

  /** Forgets what was laid out. */
  unstage(group: WriteGroup): void {
    this.#writes.unstage(group)
  }

  /** Writes what was laid out, which covers the write-ahead log up to a number. */
  async checkpoint(group: WriteGroup, upTo: number): Promise<void> {
    this.#check()
    return this.#writes.checkpoint(group, upTo)
  }

  /** Whether anything waits to be written. */
  get isBusy(): boolean {
    return this.#writes.isBusy
  }

  /** Resolves once nothing is being written, whatever became of it. */
  settled(): Promise<void> {
    return this.#writes.settled()
  }

  /** Whether a write failed, after which the database must be opened again. */
  get failed(): boolean {
    return this.#writes.failed
  }

  #check(): void {
    if (this.#writes.failed) throw this.#writes.failure()
  }

  /** Gives the pairs whose keys begin with a prefix, in the order of keys or the other way round. */
  scan(prefix: Key, reverse = false): AsyncIterable<[Key, Uint8Array]> {
    return this.range(prefix, prefixEnd(prefix), reverse)
  }

  /** Gives the pairs from one key up to and without another that begins like it. What was put before is among them. */
  async *range(from: Key, to: Key, reverse = false): AsyncGenerator<[Key, Uint8Array]> {
    let size = 4
    const next = (pairs: readonly Pair[]): number => {
      const bytes = pairs.reduce((sum, [, value]) => sum + value.length, 1)
      size = Math.max(1, Math.min(4 * size, Math.floor((READ_AHEAD * pairs.length) / bytes)))
      return size
    }
    for await (const pairs of this.#chunks(from, to, reverse, size, next)) yield* pairs
  }

  /** Gives all pairs whose keys begin with a prefix at once: many small ones take less time so. */
  async scanAll(prefix: Key): Promise<[Key, Uint8Array][]> {
    const all: Pair[] = []
    for await (const pairs of this.#chunks(prefix, prefixEnd(prefix), false, MANY, () => MANY))
      all.push(...pairs)
    return all
  }

  /** Reads a range in chunks, with what is not in its place yet. `next` gives the size of the chunk behind one. */
  async *#chunks(
    from: Key,
    to: Key,
    reverse: boolean,
    first: number,
    next: (pairs: readonly Pair[]) => number,
  ): AsyncGenerator<Pair[]> {
    this.#check()
    // Both in one turn: the database as it is now, and all that it lacks now.
    const over = this.#writes.putsBetween(from, to)
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

  /** Gives the keys next to one of the same kind, before and behind it, where there are any. */
  async neighbours(key: Key): Promise<Key[]> {
    this.#check()
    const space = key.subarray(0, 1)
    const [over, end] = [this.#writes.putsBetween(space, prefixEnd(space)), prefixEnd(space)]
    const isThere = ({ value }: Put): boolean => value !== undefined
    const smaller = over.findLast((put) => isThere(put) && Buffer.compare(put.key, key) < 0)?.key
    const larger = over.find((put) => isThere(put) && Buffer.compare(put.key, key) > 0)?.key
    try {
      const before = this.#first({ gte: smaller ?? space, lt: key, reverse: true })
      const after = this.#first({ gt: key, lt: larger ?? end })
      return [...(await before), ...(await after), smaller, larger].filter((found) => found !== undefined)
    } catch (error) {
      throw readError(error)
    }
  }

  async #first(range: KeyRange): Promise<Key[]> {
    const iterator = this.#level.keys(range)
    try {
      return await iterator.nextv(1)
    } finally {
      await iterator.close()
    }
  }

  /** Gives the keys from one up to and without another that begins like it. */
  async *keys(from: Key, to: Key): AsyncGenerator<Key> {
    this.#check()
    const over = this.#writes.putsBetween(from, to)
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

/** Merges what is not in its place yet with what is, either in the order in which it is read. */
class PendingMerge {
  readonly #over: readonly Put[]
  readonly #sign: number
  #next = 0

  constructor(over: readonly Put[], reverse: boolean) {
    this.#over = over
    this.#sign = reverse ? -1 : 1
  }

  /** Gives pairs with what stands before them and between them. */
  with(pairs: Pair[]): Pair[] {
    if (this.#next === this.#over.length) return pairs
    const merged: Pair[] = []
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

  /** Gives what stands behind all of them. */
  rest(): Pair[] {
    const rest = this.#over.slice(this.#next)
    return rest.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as Pair]))
  }
}
