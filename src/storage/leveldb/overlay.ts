import type { Cursor, KeyChange, KeyRange, KeyValueDatabase, Pair } from '../level/keyvalue.ts'

/** The first byte of what lies above: a value, or word that there is none. */
const HERE = 1
const GONE = Uint8Array.of(0)

/** Pairs in order, of which the next may be looked at before it is taken. */
class PeekCursor {
  readonly #cursor: Cursor<Pair>
  #pairs: readonly Pair[] = []
  #at = 0

  constructor(cursor: Cursor<Pair>) {
    this.#cursor = cursor
  }

  async peek(size: number): Promise<Pair | undefined> {
    if (this.#at === this.#pairs.length) {
      this.#pairs = await this.#cursor.nextv(size)
      this.#at = 0
    }
    return this.#pairs[this.#at]
  }

  take(): void {
    this.#at++
  }

  close(): Promise<void> {
    return this.#cursor.close()
  }
}

/** Walks two databases as one: where both have a key, what lies above counts. */
class MergedCursor implements Cursor<Pair> {
  readonly #below: PeekCursor
  readonly #above: PeekCursor
  readonly #sign: number

  constructor(below: Cursor<Pair>, above: Cursor<Pair>, reverse: boolean) {
    this.#below = new PeekCursor(below)
    this.#above = new PeekCursor(above)
    this.#sign = reverse ? -1 : 1
  }

  async nextv(size: number): Promise<Pair[]> {
    const pairs: Pair[] = []
    while (pairs.length < size) {
      const below = await this.#below.peek(size)
      const above = await this.#above.peek(size)
      if (!below && !above) break
      const order = this.#order(below, above)
      if (order >= 0) this.#below.take()
      if (order <= 0) this.#above.take()
      if (below && order > 0) pairs.push(below)
      if (above && order <= 0 && above[1][0] === HERE) pairs.push([above[0], above[1].subarray(1)])
    }
    return pairs
  }

  /** Gives a number above 0 where what lies below comes first, below 0 where what lies above does. */
  #order(below: Pair | undefined, above: Pair | undefined): number {
    if (!below) return -1
    return above ? this.#sign * Buffer.compare(above[0], below[0]) : 1
  }

  async close(): Promise<void> {
    await this.#below.close()
    await this.#above.close()
  }
}

/**
 * A database seen through an empty one that takes all that is written: reads see both, and the one below is never
 * written to. So work can be tried out that is not to be done.
 */
export class OverlayDatabase implements KeyValueDatabase {
  readonly #below: KeyValueDatabase
  readonly #above: KeyValueDatabase

  constructor(below: KeyValueDatabase, above: KeyValueDatabase) {
    this.#below = below
    this.#above = above
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    const value = this.#above.getSync(key)
    if (value === undefined) return this.#below.getSync(key)
    return value[0] === HERE ? value.subarray(1) : undefined
  }

  batch(changes: readonly KeyChange[]): Promise<void> {
    return this.#above.batch(
      changes.map((change) => {
        const { key } = change
        if (change.type === 'del') return { type: 'put', key, value: GONE }
        return { type: 'put', key, value: Buffer.concat([Uint8Array.of(HERE), change.value]) }
      }),
      { sync: false },
    )
  }

  iterator(range: KeyRange): Cursor<Pair> {
    return new MergedCursor(this.#below.iterator(range), this.#above.iterator(range), range.reverse ?? false)
  }

  keys(range: KeyRange): Cursor<Uint8Array> {
    const cursor = this.iterator(range)
    return {
      nextv: async (size) => (await cursor.nextv(size)).map(([key]) => key),
      close: () => cursor.close(),
    }
  }

  async close(): Promise<void> {
    await this.#below.close()
    await this.#above.close()
  }
}
