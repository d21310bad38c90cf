const LOW = 0x80

/** Returns a buffer, a small one from the pool that buffers share: allocating each on its own takes longer. */
function bytesFor(count: number): Uint8Array {
  const { buffer, byteOffset } = Buffer.allocUnsafe(count)
  return new Uint8Array(buffer, byteOffset, count)
}

/** Bytes that grow at their end. */
export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  /** `capacity` is the expected number of bytes. */
  constructor(capacity = 256) {
    this.#bytes = bytesFor(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** Extends the bytes and returns the offset of the new ones. */
  #grow(count: number): number {
    const at = this.#length
    this.#length += count
    if (this.#length > this.#bytes.length) {
      const bytes = bytesFor(Math.max(this.#length, 2 * this.#bytes.length))
      bytes.set(this.#bytes.subarray(0, at))
      this.#bytes = bytes
    }
    return at
  }

  byte(value: number): void {
    const at = this.#grow(1)
    this.#bytes[at] = value
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#grow(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** Writes a safe integer from 0 in seven bits a byte, the low ones first. */
  varint(value: number): void {
    let rest = value
    while (rest >= LOW) {
      this.byte((rest % LOW) + LOW)
      rest = Math.floor(rest / LOW)
    }
    this.byte(rest)
  }

  /** Returns the written bytes, valid until more are written. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Bytes that are read from the front. Every read past their end throws a RangeError. */
export class ByteReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    // A Buffer's `slice` shares its memory, so what is read must not come from one.
    this.#bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  /** How many bytes are left. */
  get left(): number {
    return this.#bytes.length - this.#at
  }

  byte(): number {
    const value = this.#bytes[this.#at++]
    if (value === undefined) throw new RangeError('the bytes end too early')
    return value
  }

  /** Returns the next bytes without copying them. */
  bytes(count: number): Uint8Array {
    if (count > this.left) throw new RangeError('the bytes end too early')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  varint(): number {
    const first = this.byte()
    if (first < LOW) return first
    let value = first - LOW
    for (let scale = LOW; ; scale *= LOW) {
      const next = this.byte()
      value += (next % LOW) * scale
      if (value > Number.MAX_SAFE_INTEGER) throw new RangeError('a number is too large')
      if (next < LOW) return value
      if (scale > Number.MAX_SAFE_INTEGER) throw new RangeError('a number is too long')
    }
  }
}
