import type { Level as LevelDB } from 'level'
import type { Cursor, KeyChange, KeyRange, KeyValueDatabase, Pair } from '../level/keyvalue.ts'

/**
 * LevelDB, told pair by pair what is to be written together: a list it would copy first, which takes ten times as long
 * as all else that is done for it on the way there.
 */
export class LevelAdapter implements KeyValueDatabase {
  readonly #level: LevelDB<Uint8Array, Uint8Array>

  constructor(level: LevelDB<Uint8Array, Uint8Array>) {
    this.#level = level
  }

  get location(): string {
    return this.#level.location
  }

  getSync(key: Uint8Array): Uint8Array | undefined {
    return this.#level.getSync(key)
  }

  async batch(changes: readonly KeyChange[], options: { readonly sync: boolean }): Promise<void> {
    const [first] = changes
    if (changes.length === 1 && first?.type === 'put') return this.#level.put(first.key, first.value, options)
    const batch = this.#level.batch()
    for (const change of changes) {
      if (change.type === 'put') batch.put(change.key, change.value)
      else batch.del(change.key)
    }
    await batch.write(options)
  }

  iterator(range: KeyRange): Cursor<Pair> {
    return this.#level.iterator(range)
  }

  keys(range: KeyRange): Cursor<Uint8Array> {
    return this.#level.keys(range)
  }

  close(): Promise<void> {
    return this.#level.close()
  }
}
