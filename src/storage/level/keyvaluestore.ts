import { readFault } from '../ioerrors.ts'
import { behind, type Key, SPACE, textOf } from './keys.ts'
import { Merge } from './merge.ts'
import type { Level, Pair, Range } from './keyvalue.ts'
import { type Put, SealedPut, textOfPut } from './put.ts'
import { unseal } from '../checksum.ts'
import type { Numbered } from './commitlog.ts'
import { type Group, putInto, Writes } from './writequeue.ts'

/** A range is read so many bytes at a time, and at first less. */
const READ_AHEAD = 512 << 10

/** Lists are read so many pairs at a time. */
const MANY = 1000

/** Of so many refs and extents it is remembered what they are in their places. */
const REMEMBERED = 1024

/** Tells whether it is remembered what stands under a key. */
const isRemembered = (key: Key): boolean => key[0] === SPACE.ref || key[0] === SPACE.extent

/**
 * One LevelDB, with what is written and not in its place there yet: reads see both as one. `docs/store-format.md` says
 * what is durable when.
 */
export class Table {
  readonly #level: Level
  readonly #writes: Writes
  /** What was read of refs and extents and has not been put since: whoever appends reads the same few again and again. */
  readonly #read = new Map<string, Uint8Array | undefined>()
  #version = 0

  constructor(level: Level, confirm: () => void) {
    this.#level = level
    this.#writes = new Writes(level, confirm)
  }

  /** Gives the commits whose entries and refs were not in their checkpointed when the database was opened. */
  wal(): Iterable<Numbered> {
    return this.#writes.wal()
  }

  /** Tells what such a commit put. */
  noteLogged(put: Put): void {
    this.#writes.noteLogged(put)
  }

  get(key: Key, text = textOf(key)): Uint8Array | undefined {
    this.#check()
    const put = this.#writes.seen(text)
    return put ? put.value : this.#inPlace(key)
  }

  /** Gives what stands behind a checksum under a key. Throws `corrupt` naming what it is where that fails. */
  content(key: Key, what: string): Uint8Array | undefined {
    this.#check()
    const text = textOf(key)
    const put = this.#writes.seen(text)
    // What waits in memory has no checksum yet.
    if (put instanceof SealedPut) return put.content
    if (put) return put.value && unseal(key, put.value, what)
    if (!isRemembered(key)) return this.#opened(key, what)
    if (this.#read.has(text)) return this.#read.get(text)
    if (this.#read.size === REMEMBERED) this.#read.clear()
    const content = this.#opened(key, what)
    this.#read.set(text, content)
    return content
  }

  #opened(key: Key, what: string): Uint8Array | undefined {
    const value = this.#inPlace(key)
    return value && unseal(key, value, what)
  }

  #inPlace(key: Key): Uint8Array | undefined {
    try {
      return this.#level.getSync(key)
    } catch (error) {
      throw readFault(error)
    }
  }

  /** Puts something into its place with the next commit. */
  put(key: Key, value: Uint8Array | undefined, text = textOf(key)): void {
    this.#check()
    this.#version++
    if (isRemembered(key)) this.#read.delete(text)
    this.#writes.put(key, value, text)
  }

  /** Puts what a function makes of what stands under a key. */
  change(key: Key, to: (value: Uint8Array | undefined) => Uint8Array): void {
    const text = textOf(key)
    this.put(key, to(this.get(key, text)), text)
  }

  /** Adds a commit to the write-ahead log, its puts visible to reads at once. Returns its number there. */
  enter(bytes: Uint8Array, puts: readonly Put[]): number {
    this.#check()
    this.#version++
    for (const put of puts) if (isRemembered(put.key)) this.#read.delete(textOfPut(put))
    return this.#writes.enter(bytes, puts)
  }

  /** Has the next commit get another number in the write-ahead log. */
  cut(): void {
    this.#writes.cut()
  }

  /** Another number after each put: what was read under the same one is as it was. */
  get version(): number {
    return this.#version
  }

  /** The bytes that wait to be written to their places. */
  get pending(): number {
    return this.#writes.pending
  }

  /** Resolves once all that was put before is durable. */
  commit(): Promise<void> {
    this.#check()
    return this.#writes.commit()
  }

  /** Begins to lay out what goes to its place: seen at once, and written by `place`. */
  layOut(): Group {
    return this.#writes.layOut()
  }

  /** Lays something out. */
  lay(group: Group, key: Key, value: Uint8Array | undefined): void {
    this.#version++
    putInto(group, { key, value })
  }

  /** Forgets what was laid out. */
  forget(group: Group): void {
    this.#writes.forget(group)
  }

  /** Writes what was laid out, which covers the write-ahead log up to a number. */
  async checkpoint(group: Group, upTo: number): Promise<void> {
    this.#check()
    return this.#writes.checkpoint(group, upTo)
  }

  /** Whether anything waits to be written. */
  get isBusy(): boolean {
    return this.#writes.isBusy
  }

  /** Resolves once nothing is being written, whatever became of it. */
  rest(): Promise<void> {
    return this.#writes.rest()
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
    return this.range(prefix, behind(prefix), reverse)
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
  async all(prefix: Key): Promise<[Key, Uint8Array][]> {
    const all: Pair[] = []
    for await (const pairs of this.#chunks(prefix, behind(prefix), false, MANY, () => MANY))
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
    const over = this.#writes.between(from, to)
    const iterator = this.#level.iterator({ gte: from, lt: to, reverse })
    const merge = new Merge(reverse ? over.reverse() : over, reverse)
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
      throw readFault(error)
    } finally {
      await iterator.close()
    }
  }

  /** Gives the keys next to one of the same kind, before and behind it, where there are any. */
  async neighbours(key: Key): Promise<Key[]> {
    this.#check()
    const space = key.subarray(0, 1)
    const [over, end] = [this.#writes.between(space, behind(space)), behind(space)]
    const isThere = ({ value }: Put): boolean => value !== undefined
    const smaller = over.findLast((put) => isThere(put) && Buffer.compare(put.key, key) < 0)?.key
    const larger = over.find((put) => isThere(put) && Buffer.compare(put.key, key) > 0)?.key
    try {
      const before = this.#first({ gte: smaller ?? space, lt: key, reverse: true })
      const after = this.#first({ gt: key, lt: larger ?? end })
      return [...(await before), ...(await after), smaller, larger].filter((found) => found !== undefined)
    } catch (error) {
      throw readFault(error)
    }
  }

  async #first(range: Range): Promise<Key[]> {
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
    const over = this.#writes.between(from, to)
    const iterator = this.#level.keys({ gte: from, lt: to })
    const merge = new Merge(over, false)
    try {
      for (;;) {
        const keys = await iterator.nextv(MANY)
        const pairs = keys.length === 0 ? merge.rest() : merge.with(keys.map((key) => [key, key]))
        for (const [key] of pairs) yield key
        if (keys.length === 0) return
      }
    } catch (error) {
      throw readFault(error)
    } finally {
      await iterator.close()
    }
  }
}
