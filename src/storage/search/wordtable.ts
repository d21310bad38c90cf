import { type EntryText, PLACES } from '../../model/search/entrytext.ts'
import { folded, hashOf, isWord, runsIn, wordsOfRun } from '../../model/search/words.ts'
import type { Row } from '../level/rows.ts'

/** The index tells in which groups of so many rows a word is said. */
export const GROUP = 128

/** Gives the row that the group of a row begins at. */
export const groupStart = (row: Row): Row => row - (row % GROUP)

/** By word: the units in which it is said, in no order. A unit is `group * PLACES.length + place`. */
export type Units = ReadonlyMap<string, readonly number[]>

/** So many UTF-16 units of text wait until words are looked for in them. */
const WAITING = 64 << 10

/** Gathers the words of entries on their way into the index: of little text once they are asked for, most often never. */
export class WordCollector {
  #waiting: { readonly row: Row; readonly said: readonly EntryText[] }[] = []
  #size = 0
  /** Made for the first word: its arrays take 240 KB, and an append of one entry has no use for them. */
  #table: WordTable | undefined

  /** Takes the texts of an entry. */
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

  /** Returns the words of the groups from a row up to another, and forgets them and those of earlier groups. */
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

/** What there is room for at first: words, bytes of them, and units in which they are said. */
const WORDS = 2 ** 12
const BYTES = 2 ** 15
const UNITS = 2 ** 13

/** The room for the UTF-8 of a text that is kept; a larger one is made for the text that needs it. */
const TEXT_BYTES = 64 << 10

/** A word is most often said again where it was just said: so many units are looked through for it. */
const LATEST = PLACES.length

/**
 * Words by numbers, from 0 on in the order in which they came, each with the units in which it is said. Their UTF-8
 * stands in one array and their units in another, so that a word that was said before costs no object.
 */
export class WordTable {
  /** How many words there are. */
  length = 0
  #bytes = Buffer.alloc(BYTES)
  /** Where each word begins among the bytes; after the last one where that ends. */
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
  /** The text that is looked through, a zero after it, and the unit in which it is said. */
  #text = Buffer.alloc(TEXT_BYTES)
  #unit = 0
  /** One function for all texts: of one for each the engine would compile what calls it again and again. */
  readonly #addRun = (from: number, to: number, hash: number): void => {
    if (isWord(to - from)) this.#post(this.#numberOf(this.#text, from, to, hash), this.#unit)
    else for (const word of wordsOfRun(this.#text.toString('utf8', from, to))) this.#addWord(word, this.#unit)
  }

  /** Adds the words of a text that is said in a unit. */
  add(text: string, unit: number): void {
    const most = 3 * text.length + 1
    const room = this.#text
    if (most > room.length) this.#text = Buffer.allocUnsafeSlow(most)
    const length = this.#text.write(folded(text))
    this.#text[length] = 0
    this.#unit = unit
    runsIn(this.#text, length, this.#addRun)
    this.#text = room
  }

  #addWord(word: string, unit: number): void {
    const utf8 = Buffer.from(word)
    this.#post(this.#numberOf(utf8, 0, utf8.length, hashOf(utf8, 0, utf8.length)), unit)
  }

  /** Returns the number of the word that some bytes are; a new one where there is none. */
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

  /** Returns the units in which a word is said, each perhaps more than once, in the order in which they came. */
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
