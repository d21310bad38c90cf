import { SessError } from '../../model/errors.ts'
import { removeChecksum } from '../checksum.ts'
import { LruCache } from '../lrucache.ts'
import { BlockItems, itemsUpTo } from './block.ts'
import { decompress, decompressedSize, decompressInPool } from './compression.ts'
import { blockKey } from './keys.ts'
import type { KeyValueStore } from './keyvaluestore.ts'

/** Enough for one block of texts and several of bodies, as gc packs them. */
const CACHED_BYTES = 24 << 20
/** The most that one prefetch decompresses: several readers may share the cache. */
const PREFETCH_BYTES = 4 << 20

/** Returns what `read` returns, or undefined where it throws `corrupt`: a later read that needs the data reports it. */
export function undefinedIfCorrupt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    return rethrowUnlessCorrupt(error)
  }
}

function rethrowUnlessCorrupt(error: unknown): undefined {
  if (!(error instanceof SessError) || error.code !== 'corrupt') throw error
}

/** The items of a block that is not written yet. */
export interface PendingItems {
  at(index: number): Uint8Array | undefined
}

/** Reads the items of blocks, including blocks that are not written yet. */
export class BlockReader {
  readonly #store: KeyValueStore
  readonly #cache = new LruCache<number, BlockItems>(CACHED_BYTES, ({ size }) => size + 64)
  /** Blocks that are being decompressed on the thread pool. */
  readonly #decompressing = new Map<number, Promise<BlockItems | undefined>>()
  /** Blocks that are not written yet. */
  readonly open = new Map<number, PendingItems>()

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  /** Returns an item of a block. Throws `corrupt` where it is missing. */
  item(block: number, index: number): Uint8Array {
    const item = (this.open.get(block) ?? this.#read(block, index)).at(index)
    if (item === undefined) throw new SessError('corrupt', `block ${block} has no item ${index}`)
    return item
  }

  /** Returns the items of a block: first only those up to the wanted one, all of them on a second read beyond these. */
  #read(block: number, index: number): BlockItems {
    const known = this.#cache.get(block)
    if (known && (known.isComplete || index < known.length)) return known
    const packed = this.#compressed(block)
    if (packed === undefined) throw new SessError('corrupt', `block ${block} is missing`)
    const items = (known ? undefined : itemsUpTo(packed, index)) ?? new BlockItems(decompress(packed))
    this.#cache.set(block, items)
    return items
  }

  #compressed(block: number): Uint8Array | undefined {
    const key = blockKey(block)
    const value = this.#store.get(key)
    return value && removeChecksum(key, value, `block ${block}`)
  }

  /**
   * Decompresses blocks on the thread pool, up to a limit, and returns those that are then in the cache. Of a block with a
   * last wanted item it may decompress only what is before its end. Damage is reported by the later read.
   */
  async prefetch(wanted: ReadonlyMap<number, number | undefined>): Promise<ReadonlyMap<number, BlockItems>> {
    const blocks = new Map<number, BlockItems>()
    const prefetched: Promise<void>[] = []
    let left = PREFETCH_BYTES
    for (const [block, last] of wanted) {
      const items = this.#cached(block, last)
      if (items) blocks.set(block, items)
      if (items || left <= 0) continue
      left -= undefinedIfCorrupt(() => this.#begin(block)) ?? 0
      const unpacking = this.#decompressing.get(block)
      if (unpacking) prefetched.push(unpacking.then((found) => void (found && blocks.set(block, found))))
    }
    await Promise.all(prefetched)
    return blocks
  }

  /** Returns the items of a block up to one, or all of them: those that are cached, or its beginning where that is enough. */
  #cached(block: number, last: number | undefined): BlockItems | undefined {
    const known = this.#cache.get(block)
    if (known?.isComplete || last === undefined) return known?.isComplete ? known : undefined
    if (known) return last < known.length ? known : undefined
    if (this.open.has(block) || this.#decompressing.has(block)) return undefined
    return undefinedIfCorrupt(() => {
      const packed = this.#compressed(block)
      const items = packed && itemsUpTo(packed, last)
      if (items) this.#cache.set(block, items)
      return items
    })
  }

  /** Starts to decompress a block unless that has begun. Returns its decompressed size, 0 where nothing was started. */
  #begin(block: number): number {
    const packed =
      this.open.has(block) || this.#decompressing.has(block) ? undefined : this.#compressed(block)
    if (!packed) return 0
    const size = decompressedSize(packed) ?? packed.length
    this.#decompressing.set(block, this.#decompress(block, packed))
    return size
  }

  async #decompress(block: number, packed: Uint8Array): Promise<BlockItems | undefined> {
    try {
      const bytes = await decompressInPool(packed).catch(rethrowUnlessCorrupt)
      const items = bytes && undefinedIfCorrupt(() => new BlockItems(bytes))
      if (items) this.#cache.set(block, items)
      return items
    } finally {
      this.#decompressing.delete(block)
    }
  }
}
