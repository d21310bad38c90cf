import { viewOf } from '../bytes.ts'
import {
  DOUBLE,
  FALSE,
  LIST_KIND,
  MAP_KIND,
  NEGATIVE_KIND,
  NULL,
  SIMPLE_KIND,
  TEXT_KIND,
  TRUE,
  UNSIGNED_KIND,
} from '../encoding/cbor.ts'
import { isExact } from '../encoding/decimal.ts'

const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const SLASH = 0x2f
const ZERO = 0x30
const COLON = 0x3a
const BACKSLASH = 0x5c
const LETTER_U = 0x75

/** The character of an escape, by the letter after its backslash; 0 for `u` and for letters that make no escape. */
const ESCAPES = new Uint8Array(128)
/** By character, whether JSON spells it with a letter after a backslash. */
const HAS_LETTER = new Uint8Array(128)
for (const [letter, char] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
  ESCAPES[(letter as string).charCodeAt(0)] = (char as string).charCodeAt(0)
  HAS_LETTER[(char as string).charCodeAt(0)] = 1
}

/** By byte, whether a string has it as it is. */
const IS_PLAIN = new Uint8Array(256).fill(1, SPACE)
IS_PLAIN[QUOTE] = IS_PLAIN[BACKSLASH] = 0

/** Longer numbers are not looked at. */
const LONGEST_NUMBER = 100
/** So many digits are an integer that a double holds, and that it writes like this. */
const MOST_DIGITS = 15

const IS_NUMBER = new Uint8Array(256)
for (const char of '0123456789+-.eE') IS_NUMBER[char.charCodeAt(0)] = 1

/** How a text says a value: in its compact spelling, as `JSON.stringify` writes it, or in another. */
export type TextMatch = 'compact' | 'other'

/**
 * Returns how a part of some UTF-8, which is JSON text that `JSON.parse` takes, says exactly the value that canonical bytes
 * hold: with the same keys in the same order, each once, and numbers that a double holds. Undefined where it does not, or
 * where the bytes hold a verbatim part or half a surrogate pair. The value is nested no deeper than
 * MAX_PARSED_DEPTH.
 */
export const matchText = (
  canonical: Uint8Array,
  utf8: Uint8Array,
  from = 0,
  to = utf8.length,
): TextMatch | undefined => matcher.match(canonical, utf8, from, to)

const NO_BYTES: Uint8Array = new Uint8Array(0)

/** Walks canonical bytes and a text side by side. */
class Matcher {
  #canonical = NO_BYTES
  #text = NO_BYTES
  #canonicalView = viewOf(NO_BYTES)
  #textView = viewOf(NO_BYTES)
  /** The positions of the next byte in both. */
  #at = 0
  #pos = 0
  #isCompact = true

  match(canonical: Uint8Array, text: Uint8Array, from: number, to: number): TextMatch | undefined {
    this.#canonical = canonical
    this.#canonicalView = viewOf(canonical)
    if (text !== this.#text) {
      this.#text = text
      this.#textView = viewOf(text)
    }
    this.#at = 0
    this.#pos = from
    this.#isCompact = true
    const isSame = this.#item() && this.#pos === to
    this.#canonical = NO_BYTES
    return isSame ? (this.#isCompact ? 'compact' : 'other') : undefined
  }

  /** Passes an item of both. Returns false where they differ, or for a kind that JSON does not have. */
  #item(): boolean {
    if ((this.#text[this.#pos] as number) <= SPACE) this.#skipSpace()
    const first = this.#canonical[this.#at++] as number
    const kind = first >> 5
    if (kind === SIMPLE_KIND) return this.#simple(first)
    const size = this.#size(first & 31)
    switch (kind) {
      case UNSIGNED_KIND:
        return this.#digits(size) || this.#number(size)
      case NEGATIVE_KIND:
        return this.#number(-1 - size)
      case TEXT_KIND:
        return this.#string(size)
      case LIST_KIND:
        return this.#list(size)
      case MAP_KIND:
        return this.#map(size)
      default:
        return false
    }
  }

  #size(low: number): number {
    const [view, at] = [this.#canonicalView, this.#at]
    if (low < 24) return low
    if (low === 24) {
      this.#at += 1
      return view.getUint8(at)
    }
    if (low === 25) {
      this.#at += 2
      return view.getUint16(at)
    }
    this.#at += 4
    return view.getUint32(at)
  }

  #simple(first: number): boolean {
    if (first === DOUBLE) {
      this.#at += 8
      return this.#number(this.#canonicalView.getFloat64(this.#at - 8))
    }
    if (first === NULL) return this.#word('null')
    return first === TRUE ? this.#word('true') : first === FALSE && this.#word('false')
  }

  #word(word: string): boolean {
    const text = this.#text
    for (let i = 0; i < word.length; i++) if (text[this.#pos++] !== word.charCodeAt(i)) return false
    return true
  }

  #skipSpace(): void {
    const text = this.#text
    this.#isCompact = false
    let byte = text[this.#pos]
    while (byte === SPACE || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = text[++this.#pos]
  }

  /** Passes a character, white space before it left out. */
  #char(char: number): boolean {
    if (this.#text[this.#pos] !== char) this.#skipSpace()
    return this.#text[this.#pos++] === char
  }

  #list(size: number): boolean {
    if (!this.#char(0x5b)) return false
    for (let i = 0; i < size; i++) if ((i > 0 && !this.#char(COMMA)) || !this.#item()) return false
    return this.#char(0x5d)
  }

  #map(size: number): boolean {
    if (!this.#char(0x7b)) return false
    for (let i = 0; i < size; i++)
      if ((i > 0 && !this.#char(COMMA)) || !this.#item() || !this.#char(COLON) || !this.#item()) return false
    return this.#char(0x7d)
  }

  #string(size: number): boolean {
    const [canonical, text] = [this.#canonical, this.#text]
    const [canonicalView, textView] = [this.#canonicalView, this.#textView]
    let at = this.#at
    let pos = this.#pos
    if (text[pos++] !== QUOTE) return false
    const end = at + size
    while (at < end) {
      while (at <= end - 4 && pos <= text.length - 4) {
        const four = canonicalView.getInt32(at, true)
        if (four !== textView.getInt32(pos, true) || !isPlainInAll(four)) break
        at += 4
        pos += 4
      }
      while (at < end && canonical[at] === text[pos] && IS_PLAIN[text[pos] as number] === 1) {
        at++
        pos++
      }
      if (at === end) break
      if (text[pos] !== BACKSLASH) return false
      const letter = text[pos + 1] as number
      if (letter === LETTER_U) {
        const bytes = this.#escaped(pos, at)
        if (bytes === 0) return false
        at += bytes
        pos += bytes === 4 ? 12 : 6
      } else {
        if (ESCAPES[letter] !== canonical[at++]) return false
        if (letter === SLASH) this.#isCompact = false
        pos += 2
      }
    }
    if (at !== end || text[pos] !== QUOTE) return false
    this.#at = end
    this.#pos = pos + 1
    return true
  }

  /**
   * Returns how many canonical bytes a character takes that is escaped by one or two code units at a position; 0 where it is
   * another character.
   */
  #escaped(pos: number, at: number): number {
    const [canonical, text] = [this.#canonical, this.#text]
    const code = this.#unit(pos + 2)
    // The first half of a pair stands for a character only with the second one.
    const isHigh =
      code >= 0xd800 && code < 0xdc00 && text[pos + 6] === BACKSLASH && text[pos + 7] === LETTER_U
    const low = isHigh ? this.#unit(pos + 8) : 0
    if (isHigh ? low < 0xdc00 || low > 0xdfff : code >= 0xd800 && code < 0xe000) return 0
    const point = isHigh ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : code
    if (point >= SPACE || HAS_LETTER[point] === 1 || (text[pos + 5] as number) < 0x61 !== point % 16 < 10)
      this.#isCompact = false
    const char = Buffer.from(String.fromCodePoint(point))
    for (let i = 0; i < char.length; i++) if (canonical[at + i] !== char[i]) return 0
    return char.length
  }

  /** Returns the code unit that four hex digits spell. */
  #unit(pos: number): number {
    return Number.parseInt(String.fromCharCode(...this.#text.subarray(pos, pos + 4)), 16)
  }

  /** Passes an integer that is spelled by its digits alone. */
  #digits(value: number): boolean {
    const text = this.#text
    const from = this.#pos
    let to = from
    let number = 0
    let byte = text[to] as number
    for (; byte >= ZERO && byte < COLON; byte = text[++to] as number) number = 10 * number + (byte - ZERO)
    if (number !== value || to === from || to - from > MOST_DIGITS || IS_NUMBER[byte] === 1) return false
    this.#pos = to
    return true
  }

  #number(value: number): boolean {
    const text = this.#text
    const from = this.#pos
    let to = from
    while (IS_NUMBER[text[to] as number] === 1) to++
    if (to === from || to - from > LONGEST_NUMBER || (value === 0 && text[from] === MINUS)) return false
    const literal = String.fromCharCode(...text.subarray(from, to))
    this.#pos = to
    if (Number(literal) !== value || !isExact(literal)) return false
    if (literal !== String(value)) this.#isCompact = false
    return true
  }
}

/** Returns whether none of four bytes is a quote, a backslash or a control character. */
export function isPlainInAll(four: number): boolean {
  const quotes = four ^ 0x22222222
  const backslashes = four ^ 0x5c5c5c5c
  // The highest bit of each byte that is not; a borrow may set that of the bytes after it, which is looked into then.
  const low =
    ((four - 0x20202020) & ~four) |
    ((quotes - 0x01010101) & ~quotes) |
    ((backslashes - 0x01010101) & ~backslashes)
  return (low & 0x80808080) === 0
}

const matcher = new Matcher()
