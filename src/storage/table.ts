import type { SessError } from '../model/errors.ts'
import { readFault, writeFault } from './fault.ts'
import { behind, type Key } from './keys.ts'

export type Pair = [key: Uint8Array, value: Uint8Array]

/** What lies between two keys, or on one side of one, in their order or the other way round. */
export interface Range {
  readonly gte?: Key
  readonly gt?: Key
  readonly lt?: Key
  readonly reverse?: boolean
}

/** Gives what lies in a range, so many at a time; none at its end. */
export interface Walk<T> {
  nextv(size: number): Promise<T[]>
  close(): Promise<void>
}

/** One change in a batch. */
export type Change =
  | { readonly type: 'put'; readonly key: Uint8Array; readonly value: Uint8Array }
  | { readonly type: 'del'; readonly key: Uint8Array }

/** A database of bytes by bytes: what a table needs of an abstract-level. */
export interface Level {
  /** The folder that it lies in; a database in memory lies nowhere. */
  readonly location?: string
  getSync(key: Uint8Array): Uint8Array | undefined
  /** Writes all changes or none; with `sync` they are durable when this resolves. */
  batch(changes: Change[], options: { readonly sync: boolean }): Promise<void>
  iterator(range: Range): Walk<Pair>
  keys(range: Range): Walk<Uint8Array>
  close(): Promise<void>
}

/** A write that is not durable yet; an undefined value removes the key. */
export interface Put {
  readonly key: Key
  readonly value: Uint8Array | undefined
}

interface Group {
  readonly puts: Map<string, Put>
  /** The first bytes of their keys. */
  readonly spaces: Set<number | undefined>
  readonly waiting: { readonly resolve: () => void; readonly reject: (error: unknown) => void }[]
  bytes: number
}

/** A range is read so many bytes at a time, and at first less. */
const READ_AHEAD = 512 << 10

const newGroup = (): Group => ({ puts: new Map(), spaces: new Set(), waiting: [], bytes: 0 })

const textOf = (key: Key): string => Buffer.from(key.buffer, key.byteOffset, key.length).toString('latin1')

/**
 * One LevelDB, written in groups: what is put is seen by reads at once and becomes durable, all of it together, with
 * the next group. While one group is being written the next one gathers, so that many small commits share a sync.
 * After a failed write nothing more is written or acknowledged: the database must be opened again.
 */
export class Table {
  readonly #level: Level
  readonly #location: string
  readonly #confirm: () => void
  #gathering = newGroup()
  #writing: Group | undefined
  #failure: unknown
  #version = 0

  /** `confirm` is called after each write and before it is acknowledged; it throws where the store was taken over. */
  constructor(level: Level, confirm: () => void) {
    this.#level = level
    this.#location = level.location ?? 'memory'
    this.#confirm = confirm
  }

  get(key: Key): Uint8Array | undefined {
    this.#check()
    if (this.#gathering.puts.size > 0 || this.#writing) {
      const text = textOf(key)
      const put = this.#gathering.puts.get(text) ?? this.#writing?.puts.get(text)
      if (put) return put.value
    }
    try {
      return this.#level.getSync(key)
    } catch (error) {
      throw readFault(error)
    }
  }

  put(key: Key, value: Uint8Array | undefined): void {
    this.#check()
    this.#version++
    this.#gathering.puts.set(textOf(key), { key, value })
    this.#gathering.spaces.add(key[0])
    this.#gathering.bytes += key.length + (value?.length ?? 0)
  }

  /** Another number after each put: what was read under the same one is as it was. */
  get version(): number {
    return this.#version
  }

  /** The bytes that wait to be written. */
  get pending(): number {
    return this.#gathering.bytes + (this.#writing?.bytes ?? 0)
  }

  /** Resolves once all that was put before is durable. */
  commit(): Promise<void> {
    this.#check()
    return new Promise((resolve, reject) => {
      this.#gathering.waiting.push({ resolve, reject })
      if (!this.#writing) void this.#write()
    })
  }

  async #write(): Promise<void> {
    while (this.#gathering.waiting.length > 0 && this.#failure === undefined) {
      const group = this.#gathering
      this.#writing = group
      this.#gathering = newGroup()
      try {
        const changes = Array.from(group.puts.values(), ({ key, value }) =>
          value === undefined ? { type: 'del' as const, key } : { type: 'put' as const, key, value },
        )
        if (changes.length > 0) await this.#level.batch(changes, { sync: true })
        this.#confirm()
        for (const { resolve } of group.waiting) resolve()
      } catch (error) {
        this.#failure = error
        for (const { reject } of [...group.waiting, ...this.#gathering.waiting]) reject(this.#failed())
      }
      this.#writing = undefined
    }
  }

  /** Resolves once nothing waits to be written. */
  async settle(): Promise<void> {
    if (this.#gathering.puts.size > 0 || this.#writing) await this.commit()
  }

  /** Resolves once nothing waits to be written whose key begins with the same byte: all that a range may hold. */
  async #settleSpace([space]: Key): Promise<void> {
    if (this.#gathering.spaces.has(space) || this.#writing?.spaces.has(space)) await this.commit()
  }

  /** Whether a write failed, after which the database must be opened again. */
  get failed(): boolean {
    return this.#failure !== undefined
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failed()
  }

  #failed(): SessError {
    return writeFault(this.#failure, this.#location)
  }

  /** Gives the pairs whose keys begin with a prefix, in the order of keys or the other way round. */
  scan(prefix: Key, reverse = false): AsyncIterable<[Key, Uint8Array]> {
    return this.range(prefix, behind(prefix), reverse)
  }

  /** Gives the pairs from one key up to and without another. What was put before is among them. */
  async *range(from: Key, to: Key, reverse = false): AsyncGenerator<[Key, Uint8Array]> {
    await this.#settleSpace(from)
    const iterator = this.#level.iterator({ gte: from, lt: to, reverse })
    try {
      for (let size = 4; ; ) {
        const pairs = await iterator.nextv(size)
        if (pairs.length === 0) return
        const bytes = pairs.reduce((sum, [, value]) => sum + value.length, 1)
        size = Math.max(1, Math.min(4 * size, Math.floor((READ_AHEAD * pairs.length) / bytes)))
        yield* pairs
      }
    } catch (error) {
      throw readFault(error)
    } finally {
      await iterator.close()
    }
  }

  /** Gives all pairs whose keys begin with a prefix at once: many small ones take less time so. */
  async all(prefix: Key): Promise<[Key, Uint8Array][]> {
    await this.settle()
    const iterator = this.#level.iterator({ gte: prefix, lt: behind(prefix) })
    const all: [Key, Uint8Array][] = []
    try {
      for (;;) {
        const pairs = await iterator.nextv(1000)
        if (pairs.length === 0) return all
        all.push(...pairs)
      }
    } catch (error) {
      throw readFault(error)
    } finally {
      await iterator.close()
    }
  }

  /** Gives the keys next to one, before and behind it, where there are any. */
  async neighbours(key: Key): Promise<Key[]> {
    await this.#settleSpace(key)
    try {
      const smaller = this.#first({ lt: key, reverse: true })
      const larger = this.#first({ gt: key })
      return [...(await smaller), ...(await larger)]
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

  /** Gives the keys from one up to and without another. */
  async *keys(from: Key, to: Key): AsyncGenerator<Key> {
    await this.#settleSpace(from)
    const iterator = this.#level.keys({ gte: from, lt: to })
    try {
      for (;;) {
        const keys = await iterator.nextv(1000)
        if (keys.length === 0) return
        yield* keys
      }
    } catch (error) {
      throw readFault(error)
    } finally {
      await iterator.close()
    }
  }
}
