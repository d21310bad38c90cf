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
