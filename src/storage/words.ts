import { PLACES, type Said } from '../model/said.ts'
import { folded, runsIn, wordsOfRun } from '../model/words.ts'
import type { Row } from './record.ts'

/** The index tells in which groups of so many rows a word is said. */
export const GROUP = 128

/** Gives the row that the group of a row begins at. */
export const groupStart = (row: Row): Row => row - (row % GROUP)

/** By word: the units in which it is said, in no order. A unit is `group * PLACES.length + place`. */
export type Units = ReadonlyMap<string, readonly number[]>

/** Millions of them are in memory while a long source is read: a word that is said once is to take as little as can be. */
interface Word {
  readonly text: string
  units: number[]
}

/** A word is most often said again where it was just said: so many units are looked through for it. */
const LATEST = PLACES.length

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
      this.#take(folded(text), group * PLACES.length + at)
    }
  }

  #take(text: string, unit: number): void {
    runsIn(text, (from, to, hash) => {
      const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
      const known = this.#slots[slot]
      // Without making a string of it: most runs are words that were just said.
      if (known?.text.length === to - from && text.startsWith(known.text, from)) {
        add(known, unit)
        return
      }
      const run = text.slice(from, to)
      const words = wordsOfRun(run)
      for (const word of words) {
        const kept = this.#word(word)
        add(kept, unit)
        if (word === run) this.#slots[slot] = kept
      }
    })
  }

  #word(text: string): Word {
    const known = this.#words.get(text)
    if (known) return known
    // A part of a long text would keep all of it in memory.
    const own = Buffer.from(text, 'utf16le').toString('utf16le')
    const word = { text: own, units: [] }
    this.#words.set(own, word)
    return word
  }

  /** Gives the words of the groups from a row up to another, and forgets them. */
  take(from: Row, to: Row): Units {
    const [first, end] = [from, to].map((row) => (row / GROUP) * PLACES.length) as [number, number]
    const inside = (unit: number): boolean => unit >= first && unit < end
    const taken = new Map<string, readonly number[]>()
    const left = new Map<string, Word>()
    for (const [text, word] of this.#words) {
      const { units } = word
      // Most are taken whole, without a copy.
      const own = units.every(inside) ? units : units.filter(inside)
      if (own.length > 0) taken.set(text, own)
      if (own.length === units.length) continue
      word.units = units.filter((unit) => unit >= end)
      if (word.units.length > 0) left.set(text, word)
    }
    this.#words = left
    this.#slots.fill(undefined)
    return taken
  }
}

function add({ units }: Word, unit: number): void {
  for (let at = units.length - 1; at >= 0 && at >= units.length - LATEST; at--) if (units[at] === unit) return
  units.push(unit)
}
