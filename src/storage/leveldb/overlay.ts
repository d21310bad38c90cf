import type { KeyChange, KeyCursor, KeyRange, KeyValue, KeyValueDatabase } from '../levelbackend/keyvalue.ts'

/** The first byte of a value in the upper database: a value follows, or the key is deleted. */
const PRESENT = 1
const DELETED = Uint8Array.of(0)

/** A cursor whose next pair can be read before it is consumed. */
class PeekCursor {
  readonly #cursor: KeyCursor<KeyValue>
  #pairs: readonly KeyValue[] = []
  #at = 0

  constructor(cursor: KeyCursor<KeyValue>) {
    this.#cursor = cursor
  }

  async peek(size: number): Promise<KeyValue | undefined> {
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

/** Merges the cursors of two databases: where both have a key, the upper one counts. */
class MergedCursor implements KeyCursor<KeyValue> {
  readonly #below: PeekCursor
  readonly #above: PeekCursor
  readonly #sign: number

  constructor(below: KeyCursor<KeyValue>, above: KeyCursor<KeyValue>, reverse: boolean) {
    this.#below = new PeekCursor(below)
    this.#above = new PeekCursor(above)
    this.#sign = reverse ? -1 : 1
  }

  async nextv(size: number): Promise<KeyValue[]> {
    const pairs: KeyValue[] = []
    while (pairs.length < size) {
      const below = await this.#below.peek(size)
      const above = await this.#above.peek(size)
      if (!below && !above) break
      const order = this.#order(below, above)
      if (order >= 0) this.#below.take()
      if (order <= 0) this.#above.take()
      if (below && order > 0) pairs.push(below)
      if (above && order <= 0 && above[1][0] === PRESENT) pairs.push([above[0], above[1].subarray(1)])
    }
    return pairs
  }

  /**
   * Returns a positive number where the lower pair comes first, a negative one where the upper pair does, 0 for the
   * same key.
   */
  #order(below: KeyValue | undefined, above: KeyValue | undefined): number {
    if (!below) return -1
    return above ? this.#sign * Buffer.compare(above[0], below[0]) : 1
  }

  async close(): Promise<void> {
    await this.#below.close()
    await this.#above.close()
  }
}

/**
 * A database under an empty one that receives all writes: reads see both, and the lower one is never changed. Used for
 * dry runs.
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
    return value[0] === PRESENT ? value.subarray(1) : undefined
  }

  batch(changes: readonly KeyChange[]): Promise<void> {
    return this.#above.batch(
      changes.map((change) => {
        const { key } = change
        if (change.type === 'del') return { type: 'put', key, value: DELETED }
        return { type: 'put', key, value: Buffer.concat([Uint8Array.of(PRESENT), change.value]) }
      }),
      { sync: false },
    )
  }

  iterator(range: KeyRange): KeyCursor<KeyValue> {
    return new MergedCursor(this.#below.iterator(range), this.#above.iterator(range), range.reverse ?? false)
  }

  keys(range: KeyRange): KeyCursor<Uint8Array> {
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
