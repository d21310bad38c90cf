import { CanonicalWalk } from './canonicalwalk.ts'
import { isExact } from './decimal.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const MINUS = 0x2d

/** The character of an escape, by the letter after its backslash; 0 for `u` and for letters that make no escape. */
const ESCAPES = new Uint8Array(128)
for (const [letter, char] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  ESCAPES[(letter as string).charCodeAt(0)] = (char as string).charCodeAt(0)

/** Longer numbers are not looked at. */
const LONGEST_NUMBER = 100

const IS_NUMBER = new Uint8Array(256)
for (const char of '0123456789+-.eE') IS_NUMBER[char.charCodeAt(0)] = 1

/**
 * Returns whether a part of some UTF-8, which is JSON text that `JSON.parse` takes, says exactly the value that canonical
 * bytes hold, in whatever spelling: with the same keys in the same order, each once, and numbers that a double holds. False
 * where the bytes hold a verbatim part. The value is nested no deeper than MAX_DEPTH.
 */
export function isTextOf(canonical: Uint8Array, utf8: Uint8Array, from = 0, to = utf8.length): boolean {
  const matcher = new Matcher(canonical, utf8, from)
  return matcher.matches() && matcher.end === to
}

/** Compares canonical bytes and a text. */
class Matcher extends CanonicalWalk {
  readonly #canonical: Uint8Array
  readonly #text: Uint8Array
  /** The position in the text. */
  #pos: number

  constructor(canonical: Uint8Array, text: Uint8Array, from: number) {
    super(canonical)
    this.#canonical = canonical
    this.#text = text
    this.#pos = from
  }

  /** Where the text of the value ends. */
  get end(): number {
    return this.#pos
  }

  matches(): boolean {
    this.#skipSpace()
    return this.item()
  }

  #skipSpace(): void {
    const text = this.#text
    let byte = text[this.#pos]
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) byte = text[++this.#pos]
  }

  /** Passes a character, white space before it left out. */
  #char(char: number): boolean {
    this.#skipSpace()
    return this.#text[this.#pos++] === char
  }

  protected list(size: number): boolean {
    if (!this.#char(0x5b)) return false
    for (let i = 0; i < size; i++) if ((i > 0 && !this.#char(COMMA)) || !this.matches()) return false
    return this.#char(0x5d)
  }

  protected map(size: number): boolean {
    if (!this.#char(0x7b)) return false
    for (let i = 0; i < size; i++)
      if ((i > 0 && !this.#char(COMMA)) || !this.matches() || !this.#char(COLON) || !this.matches())
        return false
    return this.#char(0x7d)
  }

  protected text(size: number): boolean {
    const [canonical, text] = [this.#canonical, this.#text]
    if (text[this.#pos] !== QUOTE) return false
    let { at } = this
    const end = at + size
    let pos = this.#pos + 1
    while (at < end) {
      const byte = text[pos]
      if (byte !== BACKSLASH) {
        if (byte === QUOTE || byte !== canonical[at]) return false
        at++
        pos++
        continue
      }
      const letter = text[pos + 1] as number
      pos += 2
      if (letter !== 0x75) {
        if (ESCAPES[letter] !== canonical[at++]) return false
        continue
      }
      const code = this.#unit(pos)
      pos += 4
      // The first half of a pair stands for a character only with the second one.
      const isHigh = code >= 0xd800 && code < 0xdc00 && text[pos] === BACKSLASH && text[pos + 1] === 0x75
      const low = isHigh ? this.#unit(pos + 2) : 0
      if (isHigh) pos += 6
      const point = isHigh ? 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00) : code
      if (isHigh && (low < 0xdc00 || low > 0xdfff)) return false
      if (!isHigh && code >= 0xd800 && code < 0xe000) return false
      const char = Buffer.from(String.fromCodePoint(point))
      for (const one of char) if (canonical[at++] !== one) return false
    }
    if (at !== end || text[pos] !== QUOTE) return false
    this.at = end
    this.#pos = pos + 1
    return true
  }

  /** Returns the code unit that four hex digits spell. */
  #unit(pos: number): number {
    return Number.parseInt(String.fromCharCode(...this.#text.subarray(pos, pos + 4)), 16)
  }

  protected number(value: number): boolean {
    const text = this.#text
    const from = this.#pos
    let to = from
    while (IS_NUMBER[text[to] as number] === 1) to++
    if (to === from || to - from > LONGEST_NUMBER || (value === 0 && text[from] === MINUS)) return false
    const literal = String.fromCharCode(...text.subarray(from, to))
    this.#pos = to
    return Number(literal) === value && isExact(literal)
  }

  protected word(word: string): boolean {
    for (let i = 0; i < word.length; i++) if (this.#text[this.#pos++] !== word.charCodeAt(i)) return false
    return true
  }
}
