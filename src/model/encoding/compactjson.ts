import { CanonicalWalk } from './canonicalwalk.ts'
import { Utf8Buffer } from './utf8buffer.ts'

const room = new Utf8Buffer()

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

/** Writes the JSON text of canonical bytes into the buffer. */
class Speller extends CanonicalWalk {
  spell(): boolean {
    return this.item()
  }

  protected number(value: number): boolean {
    room.number(value)
    return true
  }

  protected text(size: number): boolean {
    const from = this.at
    this.at += size
    return room.quotedAt(this.view, from, this.at)
  }

  protected list(size: number): boolean {
    room.byte(0x5b)
    for (let i = 0; i < size; i++) {
      if (i > 0) room.byte(COMMA)
      if (!this.item()) return false
    }
    room.byte(0x5d)
    return true
  }

  protected map(size: number): boolean {
    room.byte(0x7b)
    for (let i = 0; i < size; i++) {
      if (i > 0) room.byte(COMMA)
      if (!this.item()) return false
      room.byte(COLON)
      if (!this.item()) return false
    }
    room.byte(0x7d)
    return true
  }

  protected word(word: string): boolean {
    room.text(word)
    return true
  }
}
