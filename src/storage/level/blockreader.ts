import { bytesIn, type Slice, sliceOf } from '../../model/bytes.ts'
import { SessError } from '../../model/errors.ts'
import { Cache } from '../lrucache.ts'
import { blockKey } from './keys.ts'
import { unseal } from '../checksum.ts'
import type { Table } from './keyvaluestore.ts'
import { itemsUpTo } from './beginning.ts'
import { Items, sizeOf, unpack, unpackAside } from './block.ts'

/** A block of texts and some of bodies, as gc packs them. */
const CACHED_BYTES = 24 << 20
/** About so much of it is unpacked for those who say what they will read next, a few of whom may have the cache. */
const FETCHED_BYTES = 4 << 20

/** Gives what is read, or undefined where it is damaged: whoever needs it reads it again, and tells. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    return unlessDamage(error)
  }
}

function unlessDamage(error: unknown): undefined {
  if (!(error instanceof SessError) || error.code !== 'corrupt') throw error
}

/** Items that are gathered for a block. */
export interface OpenItems {
  at(index: number): Uint8Array | undefined
}

/** Reads blocks, those included that are on their way to the database. */
export class Blocks {
  readonly #table: Table
  readonly #cache = new Cache<number, Items>(CACHED_BYTES, ({ size }) => size + 64)
  /** Those that are being unpacked on other threads. */
  readonly #unpacking = new Map<number, Promise<Items | undefined>>()
  /** What is being gathered and is not in the table yet. */
  readonly open = new Map<number, OpenItems>()

  constructor(table: Table) {
    this.#table = table
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
  #read(block: number, index: number): Items {
    const known = this.#cache.get(block)
    if (known && (known.isWhole || index < known.length)) return known
    const packed = this.#packed(block)
    if (packed === undefined) throw new SessError('corrupt', `block ${block} is missing`)
    const items = (known ? undefined : itemsUpTo(packed, index)) ?? new Items(unpack(packed))
    this.#cache.set(block, items)
    return items
  }

  #packed(block: number): Uint8Array | undefined {
    const key = blockKey(block)
    const value = this.#table.get(key)
    return value && unseal(key, value, `block ${block}`)
  }

  /**
   * Has some blocks at hand, as far as the cache has room, and gives those that are: they are unpacked on other threads.
   * What cannot be read is told by who reads it.
   */
  async fetch(numbers: ReadonlySet<number>): Promise<ReadonlyMap<number, Items>> {
    const blocks = new Map<number, Items>()
    const fetched: Promise<void>[] = []
    let room = FETCHED_BYTES
    for (const block of numbers) {
      const items = this.#cache.get(block)
      if (items?.isWhole) blocks.set(block, items)
      if (items?.isWhole || room <= 0) continue
      room -= unlessDamaged(() => this.#begin(block)) ?? 0
      const unpacking = this.#unpacking.get(block)
      if (unpacking) fetched.push(unpacking.then((found) => void (found && blocks.set(block, found))))
    }
    await Promise.all(fetched)
    return blocks
  }

  /** Begins to unpack a block where nobody did, and gives how many bytes it has then. */
  #begin(block: number): number {
    const packed = this.open.has(block) || this.#unpacking.has(block) ? undefined : this.#packed(block)
    if (!packed) return 0
    const size = sizeOf(packed) ?? packed.length
    this.#unpacking.set(block, this.#unpackAside(block, packed))
    return size
  }

  async #unpackAside(block: number, packed: Uint8Array): Promise<Items | undefined> {
    const bytes = await unpackAside(packed).catch(unlessDamage)
    const items = bytes && unlessDamaged(() => new Items(bytes))
    if (items) this.#cache.set(block, items)
    this.#unpacking.delete(block)
    return items
  }
}
