import { viewOf } from '../../model/bytes.ts'
import { type EntryText, PLACES } from '../../model/search/entrytext.ts'
import { folded, hashOf, isWord, runsIn, wordsOfRun } from '../../model/search/words.ts'
import type { Row } from '../levelbackend/rows.ts'

/** The number of rows in a group. The index maps words to groups, not to rows. */
export const GROUP = 128

/** Returns the first row of the group of a row. */
export const groupStart = (row: Row): Row => row - (row % GROUP)

/** The units that contain a word, by word, in no order. A unit is `group * PLACES.length + place`. */
export type Units = ReadonlyMap<string, readonly number[]>

/** The number of UTF-16 units of text that are collected before words are looked for in them. */
const WAITING = 64 << 10

/**
 * Collects the words of entries for the index. Short texts are split into words only when the words are needed, which
 * is seldom.
 */
export class WordCollector {
  #waiting: { readonly row: Row; readonly texts: readonly EntryText[] }[] = []
  #size = 0
  /** Created for the first word: its arrays take 240 KB, and an append of one entry does not need them. */
  #table: WordTable | undefined

  /** Adds the texts of an entry. */
  add(row: Row, texts: readonly EntryText[]): void {
    this.#waiting.push({ row, texts })
    for (const { text } of texts) this.#size += text.length
    if (this.#size >= WAITING) this.#collect()
  }

  get #words(): WordTable {
    return (this.#table ??= new WordTable())
  }

  #collect(): void {
    for (const { row, texts } of this.#waiting) {
      const group = Math.floor(row / GROUP)
      for (const { place, text } of texts)
        this.#words.add(text, group * PLACES.length + PLACES.indexOf(place))
    }
    this.#waiting = []
    this.#size = 0
  }

  /** Removes and returns the words of the groups in a range of rows, and drops those of earlier groups. */
  take(from: Row, to: Row): Map<string, readonly number[]> {
    this.#collect()
    const [first, end] = [from, to].map((row) => (row / GROUP) * PLACES.length) as [number, number]
    const words = this.#words
    const taken = new Map<string, readonly number[]>()
    this.#table = undefined
    for (let number = 0; number < words.length; number++) {
      const word = words.word(number)
      const units: number[] = []
      for (const unit of words.units(number))
        if (unit >= end) this.#words.addWord(word, unit)
        else if (unit >= first) units.push(unit)
      if (units.length > 0) taken.set(word, units)
    }
    return taken
  }
}

/** The initial capacities for words, their bytes, and their units. */
const WORDS = 2 ** 12
const BYTES = 2 ** 15
const UNITS = 2 ** 13

/** The initial size of the buffer for the UTF-8 of a text. */
const TEXT_BYTES = 64 << 10

/** A buffer larger than this is dropped after the text that needed it. */
const MAX_KEPT = 1 << 20

/** A buffer for a single word that is larger than this is dropped, too. */
const WORD_BYTES = 1024

/** The bytes of a word are read by fours, beyond its end. */
const BEYOND = 8

/** The numbers of a word, by their places in what the table has of it. */
const FIELDS = 8
/** The first eight bytes, padded with zeros. */
const LOW = 0
const HIGH = 1
const START = 2
const LENGTH = 3
/** The number of its newest posting, and one more. */
const NEWEST = 4
/** For each of PLACES the latest unit, and one more: words recur in the same unit most often. */
const LATEST = 5

/** A buffer for texts. */
interface TextBuffer {
  readonly bytes: Buffer
  readonly view: DataView
}

function textBuffer(size: number): TextBuffer {
  const bytes = Buffer.allocUnsafeSlow(size)
  return { bytes, view: viewOf(bytes) }
}

/**
 * Words, numbered from 0 in the order in which they were added, each with its units. What is known of all words is in a
 * few arrays, so that a known word costs no object.
 */
export class WordTable {
  /** The number of words. */
  length = 0
  /** The UTF-8 of all words. */
  #bytes = Buffer.alloc(BYTES)
  #used = 0
  #words = new Int32Array(FIELDS * WORDS)
  #hashes = new Int32Array(WORDS)
  /** The number of a word, and one more, in the slot of its hash or in one after that. */
  #slots = new Uint32Array(2 * WORDS)
  /** By posting the unit, and the number of the posting before it of the same word, and one more. */
  #units = new Uint32Array(UNITS)
  #before = new Uint32Array(UNITS)
  #postings = 0
  /** The present text, followed by a zero, and its unit. */
  #text = textBuffer(TEXT_BYTES)
  #unit = 0
  readonly #word = textBuffer(WORD_BYTES)
  /** One function for all texts: with a new one for each text the engine would compile the caller again and again. */
  readonly #addRun = (from: number, to: number, hash: number): void => {
    const text = this.#text
    if (isWord(to - from)) this.#post(this.#numberOf(text, from, to, hash), this.#unit)
    else for (const word of wordsOfRun(text.bytes.toString('utf8', from, to))) this.addWord(word, this.#unit)
  }

  /** Adds the words of a text in a unit. */
  add(text: string, unit: number): void {
    const most = 3 * text.length + BEYOND
    const buffer = this.#text
    const { length: size } = buffer.bytes
    if (most > size) this.#text = textBuffer(Math.max(most, 2 * size))
    const { bytes } = this.#text
    let length = bytes.write(text)
    if (length > text.length) length = bytes.write(folded(text))
    bytes[length] = 0
    this.#unit = unit
    runsIn(bytes, length, this.#addRun)
    if (bytes.length > MAX_KEPT) this.#text = buffer
  }

  /** Adds a word in a unit. */
  addWord(word: string, unit: number): void {
    const most = 3 * word.length + BEYOND
    const text = most > WORD_BYTES ? textBuffer(most) : this.#word
    const length = text.bytes.write(word)
    this.#post(this.#numberOf(text, 0, length, hashOf(text.bytes, 0, length)), unit)
  }

  /** Returns the number of a word, given by its bytes. Adds the word where it is new. */
  #numberOf({ bytes, view }: TextBuffer, from: number, to: number, hash: number): number {
    const length = to - from
    const low = beginningOf(view.getInt32(from, true), length)
    const high = length > 4 ? beginningOf(view.getInt32(from + 4, true), length - 4) : 0
    const [slots, words] = [this.#slots, this.#words]
    const last = slots.length - 1
    let slot = (hash ^ (hash >>> 15)) & last
    for (let known = slots[slot] as number; known > 0; known = slots[slot] as number) {
      const at = FIELDS * (known - 1)
      if (words[at + LOW] === low && words[at + HIGH] === high && words[at + LENGTH] === length)
        if (length <= 8 || this.#isAt(words[at + START] as number, bytes, from, to)) return known - 1
      slot = (slot + 1) & last
    }
    return this.#insert(slot, bytes.subarray(from, to), { low, high, hash })
  }

  /** Returns whether the word at a place is these bytes, of which the first eight are the same. */
  #isAt(start: number, utf8: Uint8Array, from: number, to: number): boolean {
    const bytes = this.#bytes
    for (let at = start + 8, i = from + 8; i < to; at++, i++) if (bytes[at] !== utf8[i]) return false
    return true
  }

  #insert(slot: number, word: Uint8Array, about: { low: number; high: number; hash: number }): number {
    const number = this.length++
    const start = this.#used
    this.#used += word.length
    if (this.#used > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], Math.max(this.#used, 2 * this.#bytes.length))
    this.#bytes.set(word, start)
    this.#slots[slot] = number + 1
    this.#hashes[number] = about.hash
    this.#words.set([about.low, about.high, start, word.length], FIELDS * number)
    if (this.length === this.#hashes.length) this.#grow()
    return number
  }

  #grow(): void {
    const size = 2 * this.#hashes.length
    this.#hashes = larger(this.#hashes, size)
    this.#words = larger(this.#words, FIELDS * size)
    const slots = new Uint32Array(2 * size)
    const last = slots.length - 1
    for (let number = 0; number < this.length; number++) {
      const hash = this.#hashes[number] as number
      let slot = (hash ^ (hash >>> 15)) & last
      while ((slots[slot] as number) > 0) slot = (slot + 1) & last
      slots[slot] = number + 1
    }
    this.#slots = slots
  }

  /** Adds a unit to a word unless it is the latest of its place. */
  #post(number: number, unit: number): void {
    const words = this.#words
    const at = FIELDS * number
    const latest = at + LATEST + (unit % PLACES.length)
    if (words[latest] === unit + 1) return
    words[latest] = unit + 1
    const next = this.#postings++
    if (next === this.#units.length) {
      this.#units = larger(this.#units, 2 * next)
      this.#before = larger(this.#before, 2 * next)
    }
    this.#units[next] = unit
    this.#before[next] = words[at + NEWEST] as number
    words[at + NEWEST] = next + 1
  }

  /** Returns a word by its number. */
  word(number: number): string {
    const start = this.#words[FIELDS * number + START] as number
    return this.#bytes.toString('utf8', start, start + (this.#words[FIELDS * number + LENGTH] as number))
  }

  /** Returns the units of a word in the order in which they were added, some perhaps repeated. */
  units(number: number): number[] {
    const units: number[] = []
    for (let posting = this.#words[FIELDS * number + NEWEST] as number; posting > 0; ) {
      units.push(this.#units[posting - 1] as number)
      posting = this.#before[posting - 1] as number
    }
    return units.reverse()
  }
}

/** Returns the first bytes of four, the others as zeros. */
const beginningOf = (four: number, count: number): number =>
  count < 4 ? four & (0xffffff >> (24 - 8 * count)) : four

/** Returns an array in one that is larger. */
function larger<T extends Int32Array | Uint32Array>(array: T, size: number): T {
  const copy = new (array.constructor as new (length: number) => T)(size)
  copy.set(array)
  return copy
}
