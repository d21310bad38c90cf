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
  #waiting: { readonly row: Row; readonly said: readonly EntryText[] }[] = []
  #size = 0
  /** Created for the first word: its arrays take 240 KB, and an append of one entry does not need them. */
  #table: WordTable | undefined

  /** Adds the texts of an entry. */
  add(row: Row, said: readonly EntryText[]): void {
    this.#waiting.push({ row, said })
    for (const { text } of said) this.#size += text.length
    if (this.#size >= WAITING) this.#collect()
  }

  get #words(): WordTable {
    return (this.#table ??= new WordTable())
  }

  #collect(): void {
    for (const { row, said } of this.#waiting) {
      const group = Math.floor(row / GROUP)
      for (const { place, text } of said) this.#words.add(text, group * PLACES.length + PLACES.indexOf(place))
    }
    this.#waiting = []
    this.#size = 0
  }

  /** Removes and returns the words of the groups in a range of rows, and drops those of earlier groups. */
  take(from: Row, to: Row): Units {
    this.#collect()
    const [first, end] = [from, to].map((row) => (row / GROUP) * PLACES.length) as [number, number]
    const words = this.#words
    this.#table = new WordTable()
    words.moveTo(this.#table, end)
    const taken = new Map<string, readonly number[]>()
    for (let number = 0; number < words.length; number++) {
      const units = words.units(number).filter((unit) => unit >= first && unit < end)
      if (units.length > 0) taken.set(words.word(number), units)
    }
    return taken
  }
}

/** The initial capacities for words, their bytes, and their units. */
const WORDS = 2 ** 12
const BYTES = 2 ** 15
const UNITS = 2 ** 13

/** The size of the buffer for the UTF-8 of a text. A longer text gets a buffer of its own. */
const TEXT_BYTES = 64 << 10

/** The number of latest units that are compared before a unit is added: words recur in the same unit most often. */
const LATEST = PLACES.length

/**
 * Words, numbered from 0 in the order in which they were added, each with its units. Their UTF-8 is in one array and
 * their units in another, so that a known word costs no object.
 */
export class WordTable {
  /** The number of words. */
  length = 0
  #bytes = Buffer.alloc(BYTES)
  /** The start of each word in the bytes, and the end of the last. */
  #starts = new Uint32Array(WORDS)
  #hashes = new Int32Array(WORDS)
  /** The number of a word, and one more, in the slot of its hash or in one after that. */
  #slots = new Uint32Array(2 * WORDS)
  /** By word the number of its newest posting, and one more. */
  #newest = new Uint32Array(WORDS)
  /** By posting the unit, and the number of the posting before it of the same word, and one more. */
  #units = new Uint32Array(UNITS)
  #before = new Uint32Array(UNITS)
  #postings = 0
  /** The present text, followed by a zero, and its unit. */
  #text = Buffer.alloc(TEXT_BYTES)
  #unit = 0
  /** One function for all texts: with a new one for each text the engine would compile the caller again and again. */
  readonly #addRun = (from: number, to: number, hash: number): void => {
    if (isWord(to - from)) this.#post(this.#numberOf(this.#text, from, to, hash), this.#unit)
    else for (const word of wordsOfRun(this.#text.toString('utf8', from, to))) this.#addWord(word, this.#unit)
  }

  /** Adds the words of a text in a unit. */
  add(text: string, unit: number): void {
    const most = 3 * text.length + 1
    const buffer = this.#text
    if (most > buffer.length) this.#text = Buffer.allocUnsafeSlow(most)
    const length = this.#text.write(folded(text))
    this.#text[length] = 0
    this.#unit = unit
    runsIn(this.#text, length, this.#addRun)
    this.#text = buffer
  }

  #addWord(word: string, unit: number): void {
    const utf8 = Buffer.from(word)
    this.#post(this.#numberOf(utf8, 0, utf8.length, hashOf(utf8, 0, utf8.length)), unit)
  }

  /** Returns the number of a word, given by its bytes. Adds the word where it is new. */
  #numberOf(utf8: Uint8Array, from: number, to: number, hash: number): number {
    const [slots, hashes] = [this.#slots, this.#hashes]
    const last = slots.length - 1
    let slot = (hash ^ (hash >>> 15)) & last
    for (let known = slots[slot] as number; known > 0; known = slots[slot] as number) {
      if (hashes[known - 1] === hash && this.#isAt(known - 1, utf8, from, to)) return known - 1
      slot = (slot + 1) & last
    }
    return this.#insert(slot, utf8.subarray(from, to), hash)
  }

  #isAt(number: number, utf8: Uint8Array, from: number, to: number): boolean {
    const bytes = this.#bytes
    let at = this.#starts[number] as number
    if ((this.#starts[number + 1] as number) - at !== to - from) return false
    for (let i = from; i < to; i++) if (bytes[at++] !== utf8[i]) return false
    return true
  }

  #insert(slot: number, word: Uint8Array, hash: number): number {
    const number = this.length++
    const start = this.#starts[number] as number
    const end = start + word.length
    if (end > this.#bytes.length)
      this.#bytes = Buffer.concat([this.#bytes], Math.max(end, 2 * this.#bytes.length))
    this.#bytes.set(word, start)
    this.#slots[slot] = number + 1
    this.#hashes[number] = hash
    this.#starts[number + 1] = end
    if (number + 2 === this.#starts.length) this.#grow()
    return number
  }

  #grow(): void {
    const size = 2 * this.#starts.length
    this.#starts = larger(this.#starts, size)
    this.#newest = larger(this.#newest, size)
    const hashes = new Int32Array(size)
    hashes.set(this.#hashes)
    this.#hashes = hashes
    const slots = new Uint32Array(2 * size)
    const last = slots.length - 1
    for (let number = 0; number < this.length; number++) {
      const hash = hashes[number] as number
      let slot = (hash ^ (hash >>> 15)) & last
      while ((slots[slot] as number) > 0) slot = (slot + 1) & last
      slots[slot] = number + 1
    }
    this.#slots = slots
  }

  /** Adds a unit to a word unless it is among the latest of it. */
  #post(number: number, unit: number): void {
    const newest = this.#newest[number] as number
    let posting = newest
    for (let looked = 0; posting > 0 && looked < LATEST; looked++) {
      if (this.#units[posting - 1] === unit) return
      posting = this.#before[posting - 1] as number
    }
    const next = this.#postings++
    if (next === this.#units.length) {
      this.#units = larger(this.#units, 2 * next)
      this.#before = larger(this.#before, 2 * next)
    }
    this.#units[next] = unit
    this.#before[next] = newest
    this.#newest[number] = next + 1
  }

  /** Returns a word by its number. */
  word(number: number): string {
    return this.#bytes.toString('utf8', this.#starts[number], this.#starts[number + 1])
  }

  /** Returns the units of a word in the order in which they were added, some perhaps repeated. */
  units(number: number): number[] {
    const units: number[] = []
    for (let posting = this.#newest[number] as number; posting > 0; ) {
      units.push(this.#units[posting - 1] as number)
      posting = this.#before[posting - 1] as number
    }
    return units.reverse()
  }

  /** Moves the words of units from one on to another table. */
  moveTo(other: WordTable, first: number): void {
    for (let number = 0; number < this.length; number++)
      for (const unit of this.units(number)) if (unit >= first) other.#addWord(this.word(number), unit)
  }
}

/** Returns an array in one that is larger. */
function larger(array: Uint32Array, size: number): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(size)
  copy.set(array)
  return copy
}
