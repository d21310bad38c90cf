import { bytesIn, type Slice, viewOf } from '../../model/bytes.ts'
import { decompressedSize, decompressPrefix, truncatedError } from './compression.ts'

/** Lays items out one behind the other: their count, their lengths (32 bits each, little endian), their bytes. */
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

/** The items that `joinItems` laid out, as parts of the same bytes. Throws `corrupt` where they are cut short. */
export class BlockItems {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  /** Where each one begins, and where the last one ends. */
  readonly #offsets: Uint32Array
  /** Whether these are all; else the first ones. */
  readonly isWhole: boolean

  /** Of bytes that are the beginning alone it has the items that lie in these. */
  constructor(bytes: Uint8Array, isWhole = true) {
    const view = viewOf(bytes)
    const count = countIn(view)
    const told = Math.min(count, (bytes.length >> 2) - 1)
    if (isWhole && told < count) throw truncatedError()
    const places = new Uint32Array(told + 1)
    let at = 4 + 4 * count
    let here = 0
    for (; here < told; here++) {
      places[here] = at
      at += view.getUint32(4 + 4 * here, true)
      if (at > bytes.length) break
    }
    if (isWhole && here < count) throw truncatedError()
    if (here === told) places[here] = at
    this.#bytes = bytes
    this.#view = view
    this.#offsets = places.subarray(0, here + 1)
    this.isWhole = isWhole
  }

  get length(): number {
    return this.#offsets.length - 1
  }

  /** How many bytes they take, with their lengths. */
  get size(): number {
    return this.#bytes.length
  }

  /** Gives the bytes of items from one up to another, undefined where one of them is not there. */
  between(first: number, end: number): Uint8Array | undefined {
    const to = this.#offsets[end]
    return to === undefined ? undefined : this.#bytes.subarray(this.#offsets[first], to)
  }

  /** Gives where one item stands, undefined where there is none. */
  slice(index: number): Slice | undefined {
    const to = this.#offsets[index + 1]
    if (to === undefined) return undefined
    return { all: this.#bytes, view: this.#view, from: this.#offsets[index] as number, to }
  }

  /** Gives one item, undefined where there is none. */
  at(index: number): Uint8Array | undefined {
    const item = this.slice(index)
    return item && bytesIn(item)
  }
}

function countIn(view: DataView): number {
  if (view.byteLength < 4) throw truncatedError()
  return view.getUint32(0, true)
}

/** Gives where an item ends by the beginning of what `joinItems` laid out; undefined where that is too short to tell. */
export function endOfItem(beginning: Uint8Array, index: number): number | undefined {
  // What Brotli says of a block's codes may alone take as many packed bytes as were looked at.
  if (8 + 4 * index > beginning.length) return undefined
  const view = new DataView(beginning.buffer, beginning.byteOffset, beginning.length)
  const count = view.getUint32(0, true)
  if (index >= count) return undefined
  let end = 4 + 4 * count
  for (let i = 0; i <= index; i++) end += view.getUint32(4 + 4 * i, true)
  return end
}

/** Gives the items that `joinItems` laid out, as parts of the same bytes. */
export function decodeItems(bytes: Uint8Array): Uint8Array[] {
  const items = new BlockItems(bytes)
  return Array.from({ length: items.length }, (_, i) => items.at(i) as Uint8Array)
}

/** The lengths of items stand at the beginning of a block: so many of its packed bytes tell them. */
const LENGTHS = 16 << 10

/** Items take other parts of the packed bytes than of their own: up to so many times as much. */
const UNEVEN = 1.25

/** Of a block of which more than this is needed all is unpacked. */
const MOST = 0.75

/**
 * Gives the items of a packed block up to one and some more, where they are few enough to be unpacked alone; else
 * undefined. Throws `corrupt`.
 */
export function itemsUpTo(packed: Uint8Array, index: number): BlockItems | undefined {
  const size = decompressedSize(packed)
  const most = MOST * packed.length
  if (size === undefined || LENGTHS > most) return undefined
  const beginning = decompressPrefix(packed, LENGTHS)
  const end = endOfItem(beginning, index)
  if (end === undefined) return undefined
  if (end <= beginning.length) return new BlockItems(beginning, false)
  const count = Math.ceil((UNEVEN * packed.length * end) / size) + LENGTHS
  if (count > most) return undefined
  const items = new BlockItems(decompressPrefix(packed, count), false)
  return index < items.length ? items : undefined
}

/** Room for the count and the lengths of items before their bytes; of more items they are laid out elsewhere. */
const HEADER = 16 << 10

/** The size with which a buffer begins that is not used again. */
const SMALL = 1 << 10

/**
 * Items of a block that is gathered: their bytes one after another in one buffer, because thousands of small buffers
 * would cost more time and memory.
 */
export class BlockBuffer {
  #bytes: Buffer
  readonly #from: number
  /** Where each item ends. */
  readonly #ends: number[] = []
  #end: number

  /** Begins with a buffer that was used for another block, if given, or a new one for `size` bytes. */
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

  /** Returns the items as `Items` reads them: their count, their lengths (32 bits, little endian), their bytes. */
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

  /** Returns the buffer, to be used for another block once nothing reads this one. */
  release(): Buffer {
    return this.#bytes
  }
}
