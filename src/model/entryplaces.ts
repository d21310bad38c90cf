import type { EntryHandle } from './node.ts'

/**
 * The place of each of some entries in a list, for lists with millions of them: 12 bytes for each handle that is a number,
 * where a `Map` takes 45 and has room for 16 million at most.
 */
export class EntryPlaces {
  /** The handles that are numbers, in ascending order, and the place of each. */
  readonly #numbers: Float64Array
  readonly #places: Int32Array
  readonly #others = new Map<EntryHandle, number>()

  constructor(handles: readonly EntryHandle[]) {
    let count = 0
    for (const [place, handle] of handles.entries())
      if (typeof handle === 'number') count++
      else this.#others.set(handle, place)
    this.#places = new Int32Array(count)
    let at = 0
    for (const [place, handle] of handles.entries())
      if (typeof handle === 'number') this.#places[at++] = place
    // Handles are mostly in ascending order already: sorting then compares each with the next one.
    this.#places.sort((one, other) => (handles[one] as number) - (handles[other] as number))
    this.#numbers = Float64Array.from(this.#places, (place) => handles[place] as number)
  }

  has(handle: EntryHandle): boolean {
    return this.get(handle) !== undefined
  }

  /** Returns the place of an entry; undefined of one that the list does not have. */
  get(handle: EntryHandle): number | undefined {
    if (typeof handle !== 'number') return this.#others.get(handle)
    let [low, high] = [0, this.#numbers.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#numbers[middle] as number) < handle) low = middle + 1
      else high = middle
    }
    return this.#numbers[low] === handle ? this.#places[low] : undefined
  }
}
