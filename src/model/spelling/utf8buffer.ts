import { viewOf } from '../bytes.ts'
import { isPlainInAll } from './matchbytes.ts'

/** The initial size of the buffer; a larger one is dropped after the text that needed it. */
const SIZE = 128 << 10

/** The number of bytes and characters up to which they are copied one by one: a call of the platform takes longer. */
const SHORT = 48

/** Longer texts are measured before they are written: each unit may take three bytes. */
const LONG = 4 << 10

/** This many bytes of a string are escaped at once: each may become six. */
const ESCAPED_AT_ONCE = 8 << 10

/** By byte, how JSON escapes it in a string; undefined where a string has it as it is. */
const ESCAPES = Array.from({ length: 256 }, (_, byte) => {
  const text = byte < 0x80 ? JSON.stringify(String.fromCharCode(byte)).slice(1, -1) : ''
  return text.length > 1 ? Buffer.from(text) : undefined
})

const QUOTE = 0x22

/** A growing buffer of UTF-8 text. */
export class Utf8Buffer {
  readonly #size: number
  #buffer: Buffer
  #view: DataView
  #at = 0

  constructor(size = SIZE) {
    this.#size = size
    this.#buffer = Buffer.allocUnsafeSlow(size)
    this.#view = viewOf(this.#buffer)
  }

  /** How many bytes were added. */
  get length(): number {
    return this.#at
  }

  /** Returns the bytes added, and clears the buffer. */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#at)
    this.#at = 0
    if (this.#buffer.length === this.#size) return new Uint8Array(bytes)
    this.#renew(this.#size)
    return bytes
  }

  /** Returns the bytes added, valid until the next addition, and clears the buffer. */
  takeView(): Buffer {
    const bytes = this.#buffer.subarray(0, this.#at)
    this.#at = 0
    if (this.#buffer.length > this.#size) this.#renew(this.#size)
    return bytes
  }

  #renew(size: number): void {
    this.#buffer = Buffer.allocUnsafeSlow(size)
    this.#view = viewOf(this.#buffer)
  }

  /** Removes what was added after a length. */
  cut(length: number): void {
    this.#at = length
  }

  #reserve(count: number): Buffer {
    if (this.#at + count > this.#buffer.length) {
      const written = this.#buffer
      this.#renew(Math.max(2 * written.length, this.#at + count))
      written.copy(this.#buffer, 0, 0, this.#at)
    }
    return this.#buffer
  }

  byte(byte: number): void {
    this.#reserve(1)[this.#at++] = byte
  }

  /** Adds bytes as they are. */
  bytes(bytes: Uint8Array): void {
    const { length } = bytes
    const buffer = this.#reserve(length)
    if (length > SHORT) buffer.set(bytes, this.#at)
    else for (let i = 0; i < length; i++) buffer[this.#at + i] = bytes[i] as number
    this.#at += length
  }

  /** Adds a text; half a surrogate pair becomes the character for what is none. */
  text(text: string): void {
    const { length } = text
    const buffer = this.#reserve(length > LONG ? Buffer.byteLength(text) : 3 * length)
    const from = this.#at
    if (length > SHORT) this.#at += buffer.write(text, from)
    else
      for (let i = 0; i < length; i++) {
        const code = text.charCodeAt(i)
        if (code >= 128) {
          this.#at = from + buffer.write(text, from)
          return
        }
        buffer[this.#at++] = code
      }
  }

  /** Adds the string that a part of some UTF-8 holds, as `JSON.stringify` writes it. */
  jsonString(utf8: DataView, from: number, to: number): void {
    this.byte(QUOTE)
    for (let at = from; at < to; at += ESCAPED_AT_ONCE)
      this.#escaped(utf8, at, Math.min(to, at + ESCAPED_AT_ONCE))
    this.byte(QUOTE)
  }

  /** Four bytes at once take half the time of one by one. */
  #escaped(utf8: DataView, from: number, to: number): void {
    const buffer = this.#reserve(6 * (to - from))
    const view = this.#view
    let at = this.#at
    for (let i = from; i < to; ) {
      for (; i <= to - 4; i += 4, at += 4) {
        const four = utf8.getInt32(i, true)
        if (!isPlainInAll(four)) break
        view.setInt32(at, four, true)
      }
      for (const end = Math.min(to, i + 4); i < end; i++) {
        const byte = utf8.getUint8(i)
        const escape = ESCAPES[byte]
        if (escape === undefined) buffer[at++] = byte
        else for (let n = 0; n < escape.length; n++) buffer[at++] = escape[n] as number
      }
    }
    this.#at = at
  }
}
