import { PLACES, type Said } from '../../model/said.ts'
import { folded, hashOf, isWord, runsIn, wordsOfRun } from '../../model/words.ts'
import type { Row } from '../record.ts'
import { WordTable } from './wordtable.ts'

/** The index tells in which groups of so many rows a word is said. */
export const GROUP = 128

/** Gives the row that the group of a row begins at. */
export const groupStart = (row: Row): Row => row - (row % GROUP)

/** By word: the units in which it is said, in no order. A unit is `group * PLACES.length + place`. */
export type Units = ReadonlyMap<string, readonly number[]>

/** A word is most often said again where it was just said: so many units are looked through for it. */
const LATEST = PLACES.length

/** So many UTF-16 units of text wait until words are looked for in them. */
const WAITING = 2 << 20

/** Gathers the words of entries on their way into the index: of little text once they are asked for, most often never. */
export class WordGatherer {
  #waiting: { readonly row: Row; readonly said: readonly Said[] }[] = []
  #size = 0
  #words = new WordTable()
  /** By the number of a word: the units in which it is said. */
  #units: number[][] = []
  /** The text that is being taken, and the unit in which it is said. */
  #text = ''
  #unit = 0
  /** One function for all texts: of one for each the engine would compile what calls it again and again. */
  readonly #takeRun = (from: number, to: number, hash: number): void => {
    const [text, unit] = [this.#text, this.#unit]
    if (isWord(text, from, to)) this.#add(this.#words.numberOf(text, from, to, hash), unit)
    else for (const word of wordsOfRun(text.slice(from, to))) this.#addWord(word, unit)
  }

  /** Takes what an entry says. */
  tell(row: Row, said: readonly Said[]): void {
    this.#waiting.push({ row, said })
    for (const { text } of said) this.#size += text.length
    if (this.#size >= WAITING) this.#lookThrough()
  }

  #lookThrough(): void {
    for (const { row, said } of this.#waiting) this.#look(row, said)
    this.#waiting = []
    this.#size = 0
  }

  #look(row: Row, said: readonly Said[]): void {
    const group = Math.floor(row / GROUP)
    for (const { place, text } of said) {
      this.#text = folded(text)
      this.#unit = group * PLACES.length + PLACES.indexOf(place)
      runsIn(this.#text, this.#takeRun)
    }
    this.#text = ''
  }

  #addWord(word: string, unit: number): void {
    this.#add(this.#words.numberOf(word, 0, word.length, hashOf(word)), unit)
  }

  #add(number: number, unit: number): void {
    if (number === this.#units.length) this.#units.push([unit])
    else addTo(this.#units[number] as number[], unit)
  }

  /** Gives the words of the groups from a row up to another, and forgets them. */
  take(from: Row, to: Row): Units {
    this.#lookThrough()
    const [first, end] = [from, to].map((row) => (row / GROUP) * PLACES.length) as [number, number]
    const inside = (unit: number): boolean => unit >= first && unit < end
    const taken = new Map<string, readonly number[]>()
    const [words, lists] = [this.#words, this.#units]
    this.#words = new WordTable()
    this.#units = []
    for (const [number, units] of lists.entries()) {
      const word = words.word(number)
      // Most are taken whole, without a copy.
      const own = units.every(inside) ? units : units.filter(inside)
      if (own.length > 0) taken.set(word, own)
      if (own.length < units.length) for (const unit of units) if (unit >= end) this.#addWord(word, unit)
    }
    return taken
  }
}

function addTo(units: number[], unit: number): void {
  for (let at = units.length - 1; at >= 0 && at >= units.length - LATEST; at--) if (units[at] === unit) return
  units.push(unit)
}
