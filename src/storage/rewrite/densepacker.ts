import { BlobRef } from '../../model/canonical.ts'
import { joinItems, packDense } from '../blocks/block.ts'
import { blockKey } from '../keys.ts'
import { seal } from '../seal.ts'
import type { Table } from '../table.ts'

/** So many blocks are compressed at once, on the thread pool. */
const AT_ONCE = 2

/** Gives the number of the next block. */
export type NextBlock = () => number

/** Packs items into blocks of some size, as small as can be; like items are to come one after another. */
export class DensePacker {
  readonly #table: Table
  readonly #next: NextBlock
  readonly #most: number
  #number: number | undefined
  #items: Uint8Array[] = []
  #bytes = 0
  readonly #packing = new Set<Promise<void>>()
  #failure: unknown

  /** `most` are the bytes at which a block is closed. */
  constructor(table: Table, next: NextBlock, most: number) {
    this.#table = table
    this.#next = next
    this.#most = most
  }

  /** Takes an item, and gives where it is. */
  add(item: Uint8Array): BlobRef {
    this.#number ??= this.#next()
    const place = new BlobRef(this.#number, this.#items.push(item) - 1)
    this.#bytes += item.length
    if (this.#bytes >= this.#most) this.#close()
    return place
  }

  #close(): void {
    if (this.#number === undefined) return
    const packing = putBlock(this.#table, this.#number, this.#items)
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#packing.delete(packing))
    this.#packing.add(packing)
    this.#number = undefined
    this.#items = []
    this.#bytes = 0
  }

  /** Waits until few blocks are being compressed, so that memory stays bounded. */
  async relax(): Promise<void> {
    while (this.#packing.size >= AT_ONCE) await Promise.race(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Puts all that was added into the table. */
  async close(): Promise<void> {
    this.#close()
    await Promise.all(this.#packing)
    if (this.#failure !== undefined) throw this.#failure
  }
}

/** Puts a block into a table, packed as small as can be. */
async function putBlock(table: Table, number: number, items: readonly Uint8Array[]): Promise<void> {
  const key = blockKey(number)
  table.put(key, seal(key, await packDense(joinItems(items))))
}
