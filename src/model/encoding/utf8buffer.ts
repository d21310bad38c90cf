import { viewOf } from '../bytes.ts'

/** The initial size of the buffer; a larger one is dropped after the text that needed it. */
const ROOM = 128 << 10

/** The number of bytes and characters up to which they are copied one by one: a call of the platform takes longer. */
const SHORT = 48

/** The bytes of a text that are spelled at a time: each may take six. */
const PART = 4 << 10

/** How a byte is spelled in a JSON string: as it is, escaped, or as a part of a longer character. */
const PLAIN = 0
const ESCAPED = 1
const WIDE = 2

const KINDS = new Uint8Array(256).fill(WIDE, 128).fill(ESCAPED, 0, 32)
/** The character after the backslash; 0 for four hex digits. */
const MARKS = new Uint8Array(128)
for (const [char, mark] of ['""', '\\\\', '\bb', '\tt', '\nn', '\ff', '\rr']) {
  KINDS[(char as string).charCodeAt(0)] = ESCAPED
  MARKS[(char as string).charCodeAt(0)] = (mark as string).charCodeAt(0)
}

const QUOTE = 34
const BACKSLASH = 92
const ZERO = 48
/** Numbers are spelled in two parts of which both have less than 31 bits. */
const SPLIT_DIGITS = 7
const SPLIT = 10 ** SPLIT_DIGITS
const HEX = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))

/** A growing buffer of UTF-8 text. */
export class Utf8Buffer {
  readonly #size: number
  #room: Buffer
  #view: DataView
  #at = 0

  constructor(size = ROOM) {
    this.#size = size
    this.#room = Buffer.allocUnsafeSlow(size)
    this.#view = viewOf(this.#room)
  }

  /** How many bytes were added. */
  get length(): number {
    return this.#at
  }

  /** Returns the bytes added, and clears the buffer. */
  take(): Uint8Array {
    const bytes = this.#room.subarray(0, this.#at)
    this.#at = 0
    if (this.#room.length === this.#size) return new Uint8Array(bytes)
    this.#begin(this.#size)
    return bytes
  }

  /** Returns the bytes added, valid until the next addition, and clears the buffer. */
  lend(): Buffer {
    const bytes = this.#room.subarray(0, this.#at)
    this.#at = 0
    if (this.#room.length > this.#size) this.#begin(this.#size)
    return bytes
  }

  #begin(size: number): void {
    this.#room = Buffer.allocUnsafeSlow(size)
    this.#view = viewOf(this.#room)
  }

  #makeRoom(count: number): Buffer {
    if (this.#at + count > this.#room.length) {
      const written = this.#room
      this.#begin(Math.max(2 * written.length, this.#at + count))
      written.copy(this.#room, 0, 0, this.#at)
    }
    return this.#room
  }

  /** Adds bytes as they are. */
  bytes(bytes: Uint8Array): void {
    const { length } = bytes
    const room = this.#makeRoom(length)
    if (length > SHORT) room.set(bytes, this.#at)
    else for (let i = 0; i < length; i++) room[this.#at + i] = bytes[i] as number
    this.#at += length
  }

  byte(byte: number): void {
    this.#makeRoom(1)[this.#at++] = byte
  }

  /** Adds a text; half a surrogate pair becomes the character for what is none. */
  text(text: string): void {
    const { length } = text
    const room = this.#makeRoom(length > PART ? Buffer.byteLength(text) : 3 * length)
    const from = this.#at
    if (length > SHORT) this.#at += room.write(text, from)
    else
      for (let i = 0; i < length; i++) {
        const code = text.charCodeAt(i)
        if (code >= 128) {
          this.#at = from + room.write(text, from)
          return
        }
        room[this.#at++] = code
      }
  }

  /**
   * Adds the text that some of some bytes are, as JSON spells it; false where they are no UTF-8, and what was added is of
   * no meaning.
   */
  quotedAt(bytes: DataView, from: number, to: number): boolean {
    this.byte(QUOTE)
    for (let at = from; at < to; ) {
      const next = this.#spell(bytes, at, to)
      if (next < 0) return false
      at = next
    }
    this.byte(QUOTE)
    return true
  }

  /** Spells a part of a text and returns the offset of the next one; less than 0 where it is no UTF-8. */
  #spell(bytes: DataView, from: number, to: number): number {
    const room = this.#makeRoom(6 * PART)
    const end = Math.min(to, from + PART)
    const last = end - 4
    const target = this.#view
    let at = this.#at
    let i = from
    while (i < end) {
      while (i <= last) {
        const four = bytes.getInt32(i, true)
        target.setInt32(at, four, true)
        const plain = plainIn(four)
        i += plain
        at += plain
        if (plain < 4) break
      }
      // Characters that need escapes, and those after the last four.
      while (i < end) {
        const byte = bytes.getUint8(i)
        const kind = KINDS[byte]
        if (kind === PLAIN && i <= last) break
        if (kind === PLAIN) room[at++] = byte
        else if (kind === ESCAPED) at = escape(room, at, byte)
        else {
          const size = sizeOfChar(bytes, i, to)
          if (size === 0) return -1
          for (let left = size; left > 1; left--) room[at++] = bytes.getUint8(i++)
          room[at++] = bytes.getUint8(i)
        }
        i++
      }
    }
    this.#at = at
    return i
  }

  /** Adds a number as JSON spells it. */
  number(number: number): void {
    if (!Number.isSafeInteger(number) || number < 0)
      return this.text(Number.isFinite(number) ? String(number) : 'null')
    // Numbers of less than 31 bits are divided in a fraction of the time.
    const high = Math.floor(number / SPLIT)
    if (high > 0) this.#digits(high, 1)
    this.#digits(number - SPLIT * high, high > 0 ? SPLIT_DIGITS : 1)
  }

  /** Adds the digits of a number of less than 31 bits, with a minimum number of digits. */
  #digits(number: number, least: number): void {
    let digits = 1
    for (let limit = 10; number >= limit; limit *= 10) digits++
    if (digits < least) digits = least
    const room = this.#makeRoom(digits)
    let rest = number | 0
    for (let at = this.#at + digits - 1; at >= this.#at; at--) {
      const tens = (rest / 10) | 0
      room[at] = ZERO + (rest - 10 * tens)
      rest = tens
    }
    this.#at += digits
  }
}

/** Returns how many of four bytes precede the first that needs an escape. */
function plainIn(four: number): number {
  const quotes = four ^ 0x22222222
  const backslashes = four ^ 0x5c5c5c5c
  // The highest bit of each byte that is not; a borrow may set that of the bytes after it.
  const low = (four - 0x20202020) | (quotes - 0x01010101) | (backslashes - 0x01010101)
  const odd = (low | four) & 0x80808080
  return odd === 0 ? 4 : (31 - Math.clz32(odd & -odd)) >> 3
}

function escape(room: Uint8Array, from: number, byte: number): number {
  let at = from
  room[at++] = BACKSLASH
  const mark = MARKS[byte] as number
  if (mark !== 0) {
    room[at++] = mark
    return at
  }
  room[at++] = 117
  room[at++] = ZERO
  room[at++] = ZERO
  room[at++] = HEX[byte >> 4] as number
  room[at++] = HEX[byte & 15] as number
  return at
}

/** Returns the length of the character that begins with a byte above 127; 0 if it is not valid UTF-8. */
function sizeOfChar(bytes: DataView, at: number, to: number): number {
  const first = bytes.getUint8(at)
  const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  if (first < 0xc2 || first > 0xf4 || at + size > to) return 0
  for (let i = 1; i < size; i++) if ((bytes.getUint8(at + i) & 0xc0) !== 0x80) return 0
  const second = bytes.getUint8(at + 1)
  if (first === 0xe0) return second < 0xa0 ? 0 : size
  if (first === 0xed) return second > 0x9f ? 0 : size
  if (first === 0xf0) return second < 0x90 ? 0 : size
  return first === 0xf4 && second > 0x8f ? 0 : size
}
