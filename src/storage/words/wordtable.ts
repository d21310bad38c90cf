/** What there is room for at first: words, and UTF-16 units of them. */
const WORDS = 2 ** 12
const UNITS = 2 ** 15

/**
 * Words by numbers, from 0 on in the order in which they came. They stand behind each other in one array, so that a run
 * of a text is told to be one of them without making a string of it: most runs are words that were said before.
 */
export class WordTable {
  /** How many words there are. */
  length = 0
  #units = new Uint16Array(UNITS)
  /** Where each word begins among the units; behind the last one where that ends. */
  #starts = new Uint32Array(WORDS)
  #hashes = new Int32Array(WORDS)
  /** The number of a word, and one more, in the slot of its hash or in one behind that. */
  #slots = new Uint32Array(2 * WORDS)

  /** Gives the number of the word that a text has between two places, whose hash is known; a new one where it has none. */
  numberOf(text: string, from: number, to: number, hash: number): number {
    const [slots, hashes] = [this.#slots, this.#hashes]
    const last = slots.length - 1
    let slot = (hash ^ (hash >>> 15)) & last
    for (let known = slots[slot] as number; known > 0; known = slots[slot] as number) {
      if (hashes[known - 1] === hash && this.#isAt(known - 1, text, from, to)) return known - 1
      slot = (slot + 1) & last
    }
    return this.#add(slot, text, from, to, hash)
  }

  #isAt(number: number, text: string, from: number, to: number): boolean {
    const [units, starts] = [this.#units, this.#starts]
    let at = starts[number] as number
    if ((starts[number + 1] as number) - at !== to - from) return false
    for (let i = from; i < to; i++) if (units[at++] !== text.charCodeAt(i)) return false
    return true
  }

  #add(slot: number, text: string, from: number, to: number, hash: number): number {
    const number = this.length++
    const start = this.#starts[number] as number
    const end = start + to - from
    if (end > this.#units.length) this.#units = larger(this.#units, Math.max(end, 2 * this.#units.length))
    for (let at = start, i = from; i < to; i++) this.#units[at++] = text.charCodeAt(i)
    this.#slots[slot] = number + 1
    this.#hashes[number] = hash
    this.#starts[number + 1] = end
    if (number + 2 === this.#starts.length) this.#grow()
    return number
  }

  #grow(): void {
    const size = 2 * this.#starts.length
    this.#starts = larger(this.#starts, size)
    this.#hashes = larger(this.#hashes, size)
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

  /** Gives a word by its number. */
  word(number: number): string {
    const units = this.#units.subarray(this.#starts[number], this.#starts[number + 1])
    return String.fromCharCode.apply(null, units as unknown as number[])
  }
}

/** Gives an array in one that is larger. */
function larger<T extends Uint16Array | Uint32Array | Int32Array>(array: T, size: number): T {
  const copy = new (array.constructor as new (size: number) => T)(size)
  copy.set(array)
  return copy
}
