/** A value that CBOR marks with a number. */
export interface Tagged {
  readonly tag: number
  /** The tagged value. */
  readonly inner: unknown
}

/** Texts of at least this many UTF-16 units are large: storage keeps them apart from the value. */
export const LARGE_TEXT = 1024

/** Returns the tag of an object of a class; undefined for a plain object. */
export type TagOf = (value: object) => Tagged | undefined

/** The initial size of the buffer that values are written to. */
const SIZE = 64 << 10

/** A buffer larger than this is dropped after the value that needed it. */
const MAX_KEPT = 1 << 20

/** Shorter texts are written by hand: to call the platform takes longer. */
const SHORT = 0x40

/** The kinds of items that JSON has, as the three high bits of the first byte name them. */
export const UNSIGNED_KIND = 0
export const NEGATIVE_KIND = 1
export const BYTES_KIND = 2
export const TEXT_KIND = 3
export const LIST_KIND = 4
export const MAP_KIND = 5
export const SIMPLE_KIND = 7

/** The first bytes of values, less their lengths. */
const BYTES = 0x40
const TEXT = 0x60
const LIST = 0x80
const MAP = 0xa0
const TAG = 0xc0
export const FALSE = 0xf4
export const TRUE = 0xf5
export const NULL = 0xf6
const UNDEFINED = 0xf7
export const DOUBLE = 0xfb

/**
 * Writes values as CBOR: definite lengths, least headers, keys of maps in the order of the value, integers of up to 32
 * bits as integers and every other number as a double.
 */
export class CborWriter {
  readonly #tagOf: TagOf
  readonly #isHex: ((text: string) => boolean) | undefined
  #buffer = Buffer.allocUnsafeSlow(SIZE)
  #view = new DataView(this.#buffer.buffer)
  #at = 0
  /** Where the UTF-8 of the last text begins. */
  #from = 0
  #large: number[] = []
  #depth = 0
  #mostDepth = Number.POSITIVE_INFINITY
  #isPlain = true

  /**
   * `isHex` selects the strings, except keys, that are written as the bytes that their hex digits spell; none by
   * default.
   */
  constructor(tagOf: TagOf, isHex?: (text: string) => boolean) {
    this.#tagOf = tagOf
    this.#isHex = isHex
  }

  /** Returns a value as bytes. */
  encode(value: unknown): Uint8Array {
    this.begin()
    this.#write(value)
    return this.end()
  }

  /**
   * Returns a value as bytes that are valid until the writer writes again. Where containers are nested deeper than
   * `mostDepth` they are not of the value, and `isPlain` is false.
   */
  layOut(value: unknown, mostDepth = Number.POSITIVE_INFINITY): Buffer {
    if (this.#buffer.length > MAX_KEPT) this.#begin(SIZE)
    this.begin()
    this.#isPlain = true
    this.#mostDepth = mostDepth
    this.#write(value)
    this.#mostDepth = Number.POSITIVE_INFINITY
    return this.#buffer.subarray(0, this.#at)
  }

  /** Where the UTF-8 of each large text begins and ends in what was laid out last, keys left out: two numbers for each. */
  get large(): readonly number[] {
    return this.#large
  }

  /** Whether the value that was laid out last was not too deep and had neither tags nor bytes nor a key `__proto__`. */
  get isPlain(): boolean {
    return this.#isPlain
  }

  /** Begins a value that is written part by part. */
  begin(): void {
    this.#at = 0
    this.#depth = 0
    if (this.#large.length > 0) this.#large = []
  }

  /** Writes the header of a list with this many values. */
  list(count: number): void {
    this.#reserve(9)
    this.#header(LIST, count)
  }

  /** Writes a value. */
  value(value: unknown): void {
    this.#write(value)
  }

  /** Writes a value that was encoded before: a part of some bytes. */
  encoded(bytes: Uint8Array, from: number, to: number): void {
    this.#reserve(to - from)
    if (to - from < SHORT) for (let i = from; i < to; i++) this.#buffer[this.#at++] = bytes[i] as number
    else {
      this.#buffer.set(bytes.subarray(from, to), this.#at)
      this.#at += to - from
    }
  }

  /** Returns what was written since `begin`. */
  end(): Uint8Array {
    const bytes = Buffer.allocUnsafe(this.#at)
    this.#buffer.copy(bytes, 0, 0, this.#at)
    if (this.#buffer.length > MAX_KEPT) this.#begin(SIZE)
    return bytes
  }

  #begin(size: number): void {
    this.#buffer = Buffer.allocUnsafeSlow(size)
    this.#view = new DataView(this.#buffer.buffer)
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#buffer.length) return
    const written = this.#buffer
    this.#begin(2 * (this.#at + count))
    written.copy(this.#buffer, 0, 0, this.#at)
  }

  #write(value: unknown): void {
    // As much as a number takes, or the header of anything.
    this.#reserve(9)
    switch (typeof value) {
      case 'string':
        return this.#string(value)
      case 'number':
        return this.#number(value)
      case 'boolean':
        return this.#byte(value ? TRUE : FALSE)
      case 'undefined':
        return this.#byte(UNDEFINED)
      case 'object':
        return value === null ? this.#byte(NULL) : this.#object(value)
      default:
        throw new TypeError(`a ${typeof value} is no value`)
    }
  }

  #string(text: string): void {
    if (this.#isHex?.(text)) return this.#hex(text)
    this.#text(text)
    if (text.length >= LARGE_TEXT) this.#large.push(this.#from, this.#at)
  }

  #byte(byte: number): void {
    this.#buffer[this.#at++] = byte
  }

  #object(value: object): void {
    if (Array.isArray(value)) {
      if (this.#depth++ >= this.#mostDepth) return this.#tooDeep()
      this.#header(LIST, value.length)
      for (let i = 0; i < value.length; i++) this.#write(value[i])
      this.#depth--
      return
    }
    if (Object.getPrototypeOf(value) !== Object.prototype) {
      if (this.#special(value)) return
    }
    if (this.#depth++ >= this.#mostDepth) return this.#tooDeep()
    const keys = Object.keys(value)
    this.#header(MAP, keys.length)
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string
      if (key === '__proto__') this.#isPlain = false
      this.#reserve(9)
      this.#text(key)
      this.#write((value as Record<string, unknown>)[key])
    }
    this.#depth--
  }

  #tooDeep(): void {
    this.#isPlain = false
    this.#depth--
    this.#byte(NULL)
  }

  /** Writes an object of a class, and returns false for any other. */
  #special(value: object): boolean {
    if (value instanceof Uint8Array) this.#bytes(value)
    else {
      const tagged = this.#tagOf(value)
      if (!tagged) return false
      this.#header(TAG, tagged.tag)
      this.#write(tagged.inner)
    }
    this.#isPlain = false
    return true
  }

  /** Writes what a value is with a length, or with a number from 0 of at most 32 bits. */
  #header(kind: number, length: number): void {
    const buffer = this.#buffer
    if (length < 24) buffer[this.#at++] = kind | length
    else if (length < 0x100) {
      buffer[this.#at++] = kind | 24
      buffer[this.#at++] = length
    } else if (length < 0x10000) {
      buffer[this.#at++] = kind | 25
      buffer[this.#at++] = length >> 8
      buffer[this.#at++] = length
    } else {
      buffer[this.#at++] = kind | 26
      this.#view.setUint32(this.#at, length)
      this.#at += 4
    }
  }

  #number(value: number): void {
    if (value >>> 0 === value) this.#header(0, value)
    else if (value < 0 && value >= -0x100000000 && Math.floor(value) === value) this.#header(0x20, -1 - value)
    else {
      this.#byte(DOUBLE)
      this.#view.setFloat64(this.#at, value)
      this.#at += 8
    }
  }

  #bytes(bytes: Uint8Array): void {
    this.#header(BYTES, bytes.length)
    this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#at)
    this.#at += bytes.length
  }

  #hex(digits: string): void {
    const length = digits.length >> 1
    this.#header(BYTES, length)
    this.#reserve(length)
    this.#at += this.#buffer.write(digits, this.#at, 'hex')
  }

  #text(text: string): void {
    const { length } = text
    this.#reserve(3 * length + 5)
    // The header precedes bytes whose number is known only once they are written.
    const guess = length < 24 ? 1 : length < 0x100 ? 2 : length < 0x10000 ? 3 : 5
    const from = this.#at + guess
    const end = length < SHORT ? this.#short(text, from) : from + this.#buffer.write(text, from)
    const size = end - from
    const header = size < 24 ? 1 : size < 0x100 ? 2 : size < 0x10000 ? 3 : 5
    if (header !== guess) this.#buffer.copyWithin(this.#at + header, from, end)
    this.#header(TEXT, size)
    this.#from = this.#at
    this.#at += size
  }

  /** Writes a text from a place on, half a surrogate pair like any character of three bytes, and gives its end. */
  #short(text: string, from: number): number {
    const buffer = this.#buffer
    let at = from
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code < 0x80) buffer[at++] = code
      else if (code < 0x800) {
        buffer[at++] = 0xc0 | (code >> 6)
        buffer[at++] = 0x80 | (code & 0x3f)
      } else {
        const point = text.codePointAt(i) as number
        if (point >= 0x10000) {
          buffer[at++] = 0xf0 | (point >> 18)
          buffer[at++] = 0x80 | ((point >> 12) & 0x3f)
          i++
        } else buffer[at++] = 0xe0 | (point >> 12)
        buffer[at++] = 0x80 | ((point >> 6) & 0x3f)
        buffer[at++] = 0x80 | (point & 0x3f)
      }
    }
    return at
  }
}

/** Returns where the header of an item ends that begins at a place. */
export function endOfHeader(bytes: Uint8Array, from: number): number {
  const info = (bytes[from] as number) & 31
  return info < 24 ? from + 1 : from + 1 + (1 << (info - 24))
}

/** Returns where an item ends that begins at a place of canonical bytes. */
export function endOfItem(bytes: Uint8Array, from: number): number {
  let at = from
  for (let left = 1; left > 0 && at < bytes.length; left--) {
    const first = bytes[at++] as number
    let size = first & 31
    if (size === 24) size = bytes[at++] as number
    else if (size === 25) {
      size = ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
      at += 2
    } else if (size === 26) {
      size =
        (bytes[at] as number) * 0x1000000 +
        (((bytes[at + 1] as number) << 16) | ((bytes[at + 2] as number) << 8) | (bytes[at + 3] as number))
      at += 4
    } else if (size === 27) at += 8
    const kind = first >> 5
    if (kind === 2 || kind === 3) at += size
    else if (kind === 4) left += size
    else if (kind === 5) left += 2 * size
    else if (kind === 6) left++
  }
  return at
}
