/** The place of work that waits to start, or to start again. */
const NOWHERE: object = {}

/**
 * Keeps the order of the work that is begun through one handle. A number is drawn when work is begun. One unit of work
 * at a time passes, the smallest number first, and it may start at a place (this process's database, or another
 * process) only where all unfinished work with smaller numbers is at the same place: elsewhere that may still be lost
 * and repeated.
 */
export class FifoQueue {
  #numbers = 0
  #isTaken = false
  readonly #waiting: { readonly number: number; readonly enter: () => void }[] = []
  /** The places of unfinished work by number, in ascending order. */
  readonly #places = new Map<number, object>()
  /** All unfinished numbers below this one are at that place: with much in flight each is looked at once. */
  #known: { place: object | undefined; below: number } = { place: undefined, below: 0 }

  /** Draws a number for work, and starts it at a place, where one is given and nothing else comes before it. */
  join(place?: object): { readonly number: number; readonly isStarted: boolean } {
    const number = this.#numbers++
    return { number, isStarted: place !== undefined && !this.#isTaken && this.start(number, place) }
  }

  /** Waits for the number's turn. Returns the function that ends it. */
  async enter(number: number): Promise<() => void> {
    if (this.#isTaken)
      await new Promise<void>((enter) => {
        const before = this.#waiting.findLastIndex((other) => other.number < number)
        this.#waiting.splice(before + 1, 0, { number, enter })
      })
    this.#isTaken = true
    return () => {
      const next = this.#waiting.shift()
      if (next) next.enter()
      else this.#isTaken = false
    }
  }

  /** Records where work is: without a place, that it waits to start. */
  put(number: number, place: object = NOWHERE): void {
    this.#places.set(number, place)
    const { place: known, below } = this.#known
    if (number < below && place !== known) this.#known.below = number
  }

  /** Starts work at a place, unless other work must be done before it. */
  start(number: number, place: object): boolean {
    if (!this.isAfterAll(number, place)) return false
    this.put(number, place)
    return true
  }

  /** Returns whether all unfinished work with a smaller number is at a place. */
  isAfterAll(number: number, place: object): boolean {
    if (this.#known.place !== place) {
      const [oldest = number] = this.#places.keys()
      this.#known = { place, below: oldest }
    }
    const known = this.#known
    // Finished work is everywhere.
    while (known.below < number && (this.#places.get(known.below) ?? place) === place) known.below++
    return known.below >= number
  }

  /** Forgets finished work. */
  leave(number: number): void {
    this.#places.delete(number)
  }
}
