import { PLACES, type SaidText } from '../../model/said.ts'
import type { Row } from '../level/storedrecord.ts'
import { WordTable } from './wordtable.ts'

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
  #waiting: { readonly row: Row; readonly said: readonly SaidText[] }[] = []
  #size = 0
  /** Made for the first word: its arrays take 240 KB, and an append of one entry has no use for them. */
  #table: WordTable | undefined

  /** Takes the texts of an entry. */
  add(row: Row, said: readonly SaidText[]): void {
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
