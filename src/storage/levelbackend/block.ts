import { viewOf } from '../../model/bytes.ts'
import { decompressedSize, decompressPrefix, truncatedError } from './compression.ts'

/** Encodes items: their count, their lengths (32 bits each, little endian), their bytes. */
export function encodeItems(items: readonly Uint8Array[]): Uint8Array {
  const header = 4 + 4 * items.length
  const bytes = new Uint8Array(items.reduce((sum, item) => sum + item.length, header))
  const view = new DataView(bytes.buffer)
  view.setUint32(0, items.length, true)
  let at = header
  items.forEach((item, i) => {
    view.setUint32(4 + 4 * i, item.length, true)
    bytes.set(item, at)
    at += item.length
  })
  return bytes
}

/** The items of a block, as slices of its bytes. Throws `corrupt` where they are cut short. */
export class BlockItems {
  readonly #bytes: Uint8Array
  /** The start of each item, and the end of the last. */
  readonly #offsets: Uint32Array
  /** Whether these are all items of the block, not only the first ones. */
  readonly isComplete: boolean

  /** Without `isComplete` the bytes are the beginning of a block, and it has the items that are complete in them. */
  constructor(bytes: Uint8Array, isWhole = true) {
    const view = viewOf(bytes)
    const count = countIn(view)
    const stored = Math.min(count, (bytes.length >> 2) - 1)
    if (isWhole && stored < count) throw truncatedError()
    const places = new Uint32Array(stored + 1)
    let at = 4 + 4 * count
    let here = 0
    for (; here < stored; here++) {
      places[here] = at
      at += view.getUint32(4 + 4 * here, true)
      if (at > bytes.length) break
    }
    if (isWhole && here < count) throw truncatedError()
    if (here === stored) places[here] = at
    this.#bytes = bytes
    this.#offsets = places.subarray(0, here + 1)
    this.isComplete = isWhole
  }

  get length(): number {
    return this.#offsets.length - 1
  }

  /** The number of bytes, those of the lengths included. */
  get size(): number {
    return this.#bytes.length
  }

  /** Returns the bytes of consecutive items, undefined where one of them is missing. */
  between(first: number, end: number): Uint8Array | undefined {
    const to = this.#offsets[end]
    return to === undefined ? undefined : this.#bytes.subarray(this.#offsets[first], to)
  }

  /** Returns an item, or undefined. */
  at(index: number): Uint8Array | undefined {
    return this.between(index, index + 1)
  }
}

function countIn(view: DataView): number {
  if (view.byteLength < 4) throw truncatedError()
  return view.getUint32(0, true)
}

/** Returns the offset of the end of an item from the beginning of a block; undefined where that is too short. */
export function endOfItem(beginning: Uint8Array, index: number): number | undefined {
  // The first compressed bytes may hold little more than Brotli's code tables.
  if (8 + 4 * index > beginning.length) return undefined
  const view = new DataView(beginning.buffer, beginning.byteOffset, beginning.length)
  const count = view.getUint32(0, true)
  if (index >= count) return undefined
  let end = 4 + 4 * count
  for (let i = 0; i <= index; i++) end += view.getUint32(4 + 4 * i, true)
  return end
}

/** Returns the items of a block, as slices of its bytes. */
export function decodeItems(bytes: Uint8Array): Uint8Array[] {
  const items = new BlockItems(bytes)
  return Array.from({ length: items.length }, (_, i) => items.at(i) as Uint8Array)
}

/**
 * The numbers of compressed bytes that are read for the lengths of items, which are at the beginning of a block: the
 * second one where the first is too small.
 */
const FEW_LENGTHS = 4 << 10
const LENGTHS = 16 << 10

/** Items do not compress equally: some take up to this many times their share of the compressed bytes. */
const UNEVEN = 1.25

/** Beyond this part of a block all of it is decompressed. */
const MAX_PART = 0.75

/**
 * Decompresses the beginning of a block and returns its items, at least up to one; undefined where it is not worth
 * while. Throws `corrupt`.
 */
export function itemsUpTo(packed: Uint8Array, index: number): BlockItems | undefined {
  const size = decompressedSize(packed)
  const most = MAX_PART * packed.length
  if (size === undefined || LENGTHS > most) return undefined
  let used = FEW_LENGTHS
  let beginning = decompressPrefix(packed, used)
  let end = endOfItem(beginning, index)
  if (end === undefined) {
    used = LENGTHS
    beginning = decompressPrefix(packed, used)
    end = endOfItem(beginning, index)
  }
  if (end === undefined) return undefined
  if (end <= beginning.length) return new BlockItems(beginning, false)
  // Never fewer than gave the lengths: before them are Brotli's code tables, which may take more than the items.
  const count = used + Math.ceil((UNEVEN * packed.length * end) / size)
  if (count > most) return undefined
  const items = new BlockItems(decompressPrefix(packed, count), false)
  return index < items.length ? items : undefined
}

/** The space before the items for their count and lengths. With more items the block is copied when it is encoded. */
const HEADER = 16 << 10

/** The number of bodies in a block, however small they are: the pages of entries wait for it. */
export const MAX_ITEMS = HEADER / 4 - 1

/** The initial size of a buffer that is not reused. */
const SMALL = 1 << 10

/**
 * The items of a block that is being filled, one after another in one buffer: thousands of small buffers would take
 * more time and memory.
 */
export class BlockBuffer {
  #bytes: Buffer
  readonly #from: number
  /** Where each item ends. */
  readonly #ends: number[] = []
  #end: number

  /** Uses the buffer of a former block, or a new one for `size` bytes. */
  constructor(size?: number, used?: Buffer) {
    this.#from = size === undefined ? 0 : HEADER
    this.#bytes = used ?? Buffer.allocUnsafeSlow(size === undefined ? SMALL : HEADER + size)
    this.#end = this.#from
  }

  /** The number of items. */
  get length(): number {
    return this.#ends.length
  }

  /** The bytes of all items. */
  get size(): number {
    return this.#end - this.#from
  }

  /** Adds a copy of an item and returns its index. */
  push(item: Uint8Array): number {
    const end = this.#end + item.length
    if (end > this.#bytes.length) {
      const bytes = Buffer.allocUnsafeSlow(2 * end)
      this.#bytes.copy(bytes, this.#from, this.#from, this.#end)
      this.#bytes = bytes
    }
    this.#bytes.set(item, this.#end)
    this.#end = end
    return this.#ends.push(end) - 1
  }

  /** Returns a copy of an item. */
  at(index: number): Uint8Array | undefined {
    const end = this.#ends[index]
    return end === undefined
      ? undefined
      : Uint8Array.prototype.slice.call(this.#bytes, this.#ends[index - 1] ?? this.#from, end)
  }

  /** Returns the items as `encodeItems` does; valid until more are added. */
  encode(): Uint8Array {
    const header = 4 + 4 * this.length
    if (header <= this.#from) {
      this.#writeHeader(this.#bytes, this.#from - header)
      return this.#bytes.subarray(this.#from - header, this.#end)
    }
    const bytes = Buffer.allocUnsafeSlow(header + this.size)
    this.#writeHeader(bytes, 0)
    this.#bytes.copy(bytes, header, this.#from, this.#end)
    return bytes
  }

  #writeHeader(bytes: Buffer, from: number): void {
    let at = bytes.writeUInt32LE(this.length, from)
    let start = this.#from
    for (const end of this.#ends) {
      at = bytes.writeUInt32LE(end - start, at)
      start = end
    }
  }

  /** Returns the buffer for reuse, once nothing reads this block. */
  release(): Buffer {
    return this.#bytes
  }
}
