import { bytesIn, type Slice, sliceOf } from '../../model/bytes.ts'
import { SessError } from '../../model/errors.ts'
import { removeChecksum } from '../checksum.ts'
import { LruCache } from '../lrucache.ts'
import { BlockItems, itemsUpTo } from './block.ts'
import { decompress, decompressedSize, decompressInPool } from './compression.ts'
import { blockKey } from './keys.ts'
import type { KeyValueStore } from './keyvaluestore.ts'

/** A block of texts and some of bodies, as gc packs them. */
const CACHED_BYTES = 24 << 20
/** About so much of it is unpacked for those who say what they will read next, a few of whom may have the cache. */
const FETCHED_BYTES = 4 << 20

/** Gives what is read, or undefined where it is damaged: whoever needs it reads it again, and tells. */
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

/** Items that are gathered for a block. */
export interface OpenItems {
  at(index: number): Uint8Array | undefined
}

/** Reads blocks, those included that are on their way to the database. */
export class BlockReader {
  readonly #store: KeyValueStore
  readonly #cache = new LruCache<number, BlockItems>(CACHED_BYTES, ({ size }) => size + 64)
  /** Those that are being unpacked on other threads. */
  readonly #decompressing = new Map<number, Promise<BlockItems | undefined>>()
  /** What is being gathered and is not in the table yet. */
  readonly open = new Map<number, OpenItems>()

  constructor(store: KeyValueStore) {
    this.#store = store
  }

  /** Gives an item of a block, or throws `corrupt` where it is missing. */
  item(block: number, index: number): Uint8Array {
    return bytesIn(this.slice(block, index))
  }

  /** Gives where an item of a block stands, or throws `corrupt` where it is missing. */
  slice(block: number, index: number): Slice {
    const open = this.open.get(block)
    const gathered = open?.at(index)
    const item = open ? gathered && sliceOf(gathered) : this.#read(block, index).slice(index)
    if (item === undefined) throw new SessError('corrupt', `block ${block} has no item ${index}`)
    return item
  }

  /** Gives the items of a block, at first no more than those up to one: who reads others too reads all of them. */
  #read(block: number, index: number): BlockItems {
    const known = this.#cache.get(block)
    if (known && (known.isWhole || index < known.length)) return known
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
   * Has some blocks at hand, as far as the cache has room, and gives those that are: they are unpacked on other threads.
   * What cannot be read is told by who reads it.
   */
  async prefetch(numbers: ReadonlySet<number>): Promise<ReadonlyMap<number, BlockItems>> {
    const blocks = new Map<number, BlockItems>()
    const fetched: Promise<void>[] = []
    let room = FETCHED_BYTES
    for (const block of numbers) {
      const items = this.#cache.get(block)
      if (items?.isWhole) blocks.set(block, items)
      if (items?.isWhole || room <= 0) continue
      room -= undefinedIfCorrupt(() => this.#begin(block)) ?? 0
      const unpacking = this.#decompressing.get(block)
      if (unpacking) fetched.push(unpacking.then((found) => void (found && blocks.set(block, found))))
    }
    await Promise.all(fetched)
    return blocks
  }

  /** Begins to unpack a block where nobody did, and gives how many bytes it has then. */
  #begin(block: number): number {
    const packed =
      this.open.has(block) || this.#decompressing.has(block) ? undefined : this.#compressed(block)
    if (!packed) return 0
    const size = decompressedSize(packed) ?? packed.length
    this.#decompressing.set(block, this.#decompress(block, packed))
    return size
  }

  async #decompress(block: number, packed: Uint8Array): Promise<BlockItems | undefined> {
    const bytes = await decompressInPool(packed).catch(rethrowUnlessCorrupt)
    const items = bytes && undefinedIfCorrupt(() => new BlockItems(bytes))
    if (items) this.#cache.set(block, items)
    this.#decompressing.delete(block)
    return items
  }
}
