import { BlobRef } from '../../model/encoding/canonical.ts'
import { SessError } from '../../model/errors.ts'
import { addChecksum } from '../checksum.ts'
import { relocated } from '../levelbackend/blob.ts'
import { encodeItems } from '../levelbackend/block.ts'
import type { Density } from '../levelbackend/compression.ts'
import type { Counters } from '../levelbackend/counters.ts'
import { blockKey } from '../levelbackend/keys.ts'
import type { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import type { Objects } from '../levelbackend/objects.ts'
import type { Stored } from '../levelbackend/storedrecord.ts'

/** The parts of a database that a rewrite reads. */
export interface RewriteSource {
  readonly store: KeyValueStore
  readonly objects: Objects
  readonly counters: Counters
}

/** The number of bytes that are buffered before they are written. */
const WRITE = 4 << 20

/** Writes what was put once it is much. */
export const commitIfLarge = async (store: KeyValueStore): Promise<void> => {
  if (store.writes.pendingBytes > WRITE) await store.commit()
}

/** Returns whether a dense block is copied unchanged: if most of its items are kept. */
export const isWorthKeeping = (wanted: number, items: number): boolean => 5 * wanted >= 4 * items

/** The number of blocks that are compressed at once, on the thread pool. */
const AT_ONCE = 2

/** Returns the number of the next block. */
export type NextBlock = () => number

/** Packs items into dense blocks. Similar items must be added one after another. */
export class DensePacker {
  readonly #store: KeyValueStore
  readonly #next: NextBlock
  readonly #limit: number
  readonly #density: Density
  #number: number | undefined
  #items: Uint8Array[] = []
  #bytes = 0
  readonly #packing = new Set<Promise<void>>()
  #failure: unknown

  /** A block is closed once it has `most` bytes. */
  constructor(store: KeyValueStore, next: NextBlock, most: number, density: Density) {
    this.#store = store
    this.#next = next
    this.#limit = most
    this.#density = density
  }

  /** Adds an item, and returns its place. */
  add(item: Uint8Array): BlobRef {
    this.#number ??= this.#next()
    const place = new BlobRef(this.#number, this.#items.push(item) - 1)
    this.#bytes += item.length
    if (this.#bytes >= this.#limit) this.#close()
    return place
  }

  #close(): void {
    if (this.#number === undefined) return
    const packing = this.#put(this.#number, this.#items)
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#packing.delete(packing))
    this.#packing.add(packing)
    this.#number = undefined
    this.#items = []
    this.#bytes = 0
  }

  async #put(number: number, items: readonly Uint8Array[]): Promise<void> {
    const key = blockKey(number)
    this.#store.put(key, addChecksum(key, await this.#density.pack(encodeItems(items))))
  }

  /** Waits until few blocks are being compressed, so that memory stays bounded. */
  async throttle(): Promise<void> {
    while (this.#packing.size >= AT_ONCE) await Promise.race(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Puts everything that was added into the table. */
  async close(): Promise<void> {
    this.#close()
    await Promise.all(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
  }
}

/** Maps places of items to values. */
export class BlobRefMap<T> {
  readonly #blocks = new Map<number, Map<number, T>>()

  get({ block, index }: BlobRef): T | undefined {
    return this.#blocks.get(block)?.get(index)
  }

  set({ block, index }: BlobRef, value: T): void {
    let items = this.#blocks.get(block)
    if (!items) {
      items = new Map()
      this.#blocks.set(block, items)
    }
    items.set(index, value)
  }

  /** Returns the blocks in order, each with its items. */
  blocks(): [number, ReadonlyMap<number, T>][] {
    return [...this.#blocks].sort(([a], [b]) => a - b)
  }
}

/** The new places of blobs, by their former places. */
export class BlobMoves {
  readonly #moved = new BlobRefMap<BlobRef>()
  /** The number of items of each block that is copied unchanged. */
  readonly #staying = new Map<number, number>()

  /** Notes that the first items of a block keep their places. */
  stay(block: number, items: number): void {
    this.#staying.set(block, items)
  }

  move(from: BlobRef, to: BlobRef): void {
    this.#moved.set(from, to)
  }

  /** Returns the new place of a blob, or undefined if it was not copied. */
  find(from: BlobRef): BlobRef | undefined {
    return from.index < (this.#staying.get(from.block) ?? 0) ? from : this.#moved.get(from)
  }

  /**
   * Returns a value with the new places of its blobs; the same object if none moved. Throws `corrupt` for one that was
   * not copied.
   */
  follow(stored: Stored): Stored {
    return relocated(stored, (from) => {
      const to = this.find(from)
      if (!to) throw new SessError('corrupt', `item ${from.index} of block ${from.block} is named by nothing`)
      return to.block === from.block && to.index === from.index ? from : to
    })
  }
}

/** Returns the places that a value names. */
export function blobRefsIn(stored: Stored): BlobRef[] {
  const places: BlobRef[] = []
  relocated(stored, (ref) => {
    places.push(ref)
    return ref
  })
  return places
}
