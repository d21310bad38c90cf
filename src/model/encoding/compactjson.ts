import { viewOf } from '../bytes.ts'
import { Utf8Buffer } from './utf8buffer.ts'

const room = new Utf8Buffer()

/** The kinds of CBOR items that JSON has, as the three high bits of the first byte name them. */
const UNSIGNED = 0
const NEGATIVE = 1
const TEXT = 3
const LIST = 4
const MAP = 5

const COMMA = 44
const COLON = 58

/**
 * Returns whether a part of some UTF-8 is the compact JSON text of the value that canonical bytes hold; false where they hold a
 * value with a verbatim part or half a surrogate pair. The value is nested no deeper than MAX_DEPTH.
 */
export function isSpelledBy(canonical: Uint8Array, utf8: Uint8Array, from = 0, to = utf8.length): boolean {
  const isSpelled = new Speller(canonical).spell()
  const text = room.lend()
  return isSpelled && text.length === to - from && text.compare(utf8, from, to) === 0
}

/** Writes the JSON text of canonical bytes into the buffer, item by item. */
class Speller {
  readonly #view: DataView
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#view = viewOf(bytes)
  }

  spell(): boolean {
    const first = this.#view.getUint8(this.#at++)
    const kind = first >> 5
    if (kind === 7) return this.#simple(first)
    const size = this.#size(first & 31)
    switch (kind) {
      case UNSIGNED:
        room.number(size)
        return true
      case NEGATIVE:
        room.number(-1 - size)
        return true
      case TEXT:
        return this.#text(size)
      case LIST:
        return this.#list(size)
      case MAP:
        return this.#map(size)
      default:
        return false
    }
  }

  #size(told: number): number {
    const [view, at] = [this.#view, this.#at]
    if (told < 24) return told
    if (told === 24) {
      this.#at += 1
      return view.getUint8(at)
    }
    if (told === 25) {
      this.#at += 2
      return view.getUint16(at)
    }
    this.#at += 4
    return view.getUint32(at)
  }

  #text(size: number): boolean {
    const from = this.#at
    this.#at += size
    return room.quotedAt(this.#view, from, this.#at)
  }

  #list(size: number): boolean {
    room.byte(0x5b)
    for (let i = 0; i < size; i++) {
      if (i > 0) room.byte(COMMA)
      if (!this.spell()) return false
    }
    room.byte(0x5d)
    return true
  }

  #map(size: number): boolean {
    room.byte(0x7b)
    for (let i = 0; i < size; i++) {
      if (i > 0) room.byte(COMMA)
      if (!this.spell()) return false
      room.byte(COLON)
      if (!this.spell()) return false
    }
    room.byte(0x7d)
    return true
  }

  #simple(first: number): boolean {
    if (first === 0xfb) {
      room.number(this.#view.getFloat64(this.#at))
      this.#at += 8
    } else room.text(first === 0xf4 ? 'false' : first === 0xf5 ? 'true' : 'null')
    return true
  }
}
