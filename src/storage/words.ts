import { PLACES, type Said } from '../model/said.ts'
import { folded, runsIn, wordsOfRun } from '../model/words.ts'
import type { Row } from './record.ts'

/** The index tells in which groups of so many rows a word is said. */
export const GROUP = 128

/** Gives the row that the group of a row begins at. */
export const groupStart = (row: Row): Row => row - (row % GROUP)

/** By word: the units in which it is said, in no order. A unit is `group * PLACES.length + place`. */
export type Units = ReadonlyMap<string, readonly number[]>

interface Word {
  readonly text: string
  readonly units: number[]
  /** By place the unit that was added last: a word is most often said again where it was just said. */
  readonly last: Int32Array
}

/** Slots for words that were met last, by their hash. */
const SLOTS = 2 ** 14

/** Gathers the words of entries on their way into the index. */
export class WordGatherer {
  #words = new Map<string, Word>()
  readonly #slots: (Word | undefined)[] = new Array<undefined>(SLOTS).fill(undefined)

  /** Takes what an entry says. */
  tell(row: Row, said: readonly Said[]): void {
    const group = Math.floor(row / GROUP)
    for (const { place, text } of said) {
      const at = PLACES.indexOf(place)
      this.#take(folded(text), at, group * PLACES.length + at)
    }
  }

  #take(text: string, place: number, unit: number): void {
    runsIn(text, (from, to, hash) => {
      const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
      const known = this.#slots[slot]
      // Without making a string of it: most runs are words that were just said.
      if (known?.text.length === to - from && text.startsWith(known.text, from)) {
        add(known, place, unit)
        return
      }
      const run = text.slice(from, to)
      const words = wordsOfRun(run)
      for (const word of words) {
        const kept = this.#word(word)
        add(kept, place, unit)
        if (word === run) this.#slots[slot] = kept
      }
    })
  }

  #word(text: string): Word {
    const known = this.#words.get(text)
    if (known) return known
    // A part of a long text would keep all of it in memory.
    const own = Buffer.from(text, 'utf16le').toString('utf16le')
    const word = { text: own, units: [], last: new Int32Array(PLACES.length).fill(-1) }
    this.#words.set(own, word)
    return word
  }

  /** Gives the words of the groups from a row up to another, and forgets them. */
  take(from: Row, to: Row): Units {
    const [first, end] = [from, to].map((row) => (row / GROUP) * PLACES.length) as [number, number]
    const taken = new Map<string, number[]>()
    const left = new Map<string, Word>()
    for (const [text, word] of this.#words) {
      const units = word.units.filter((unit) => unit >= first && unit < end)
      if (units.length > 0) taken.set(text, units)
      const rest = word.units.filter((unit) => unit >= end)
      if (rest.length > 0) left.set(text, { ...word, units: rest })
    }
    this.#words = left
    this.#slots.fill(undefined)
    return taken
  }
}

function add({ units, last }: Word, place: number, unit: number): void {
  if (last[place] === unit) return
  last[place] = unit
  units.push(unit)
}
