/** The places, in a database here or in another process, where what was begun in an order was begun last, until it is done. */
export class Places {
  /** In the order of their numbers, for each is put when its number is given. */
  readonly #of = new Map<number, object>()
  /** All numbers below this one that are not done are at that place: who has many on their way looks at each once. */
  #known: { place: object | undefined; below: number } = { place: undefined, below: 0 }

  put(number: number, place: object): void {
    this.#of.set(number, place)
    const { place: known, below } = this.#known
    if (number < below && place !== known) this.#known.below = number
  }

  /** Forgets what is done. */
  leave(number: number): void {
    this.#of.delete(number)
  }

  /** Tells whether all that has a smaller number and is not done is at a place. */
  isAfterAll(number: number, place: object): boolean {
    if (this.#known.place !== place) {
      const [oldest = number] = this.#of.keys()
      this.#known = { place, below: oldest }
    }
    const known = this.#known
    while (known.below < number && (this.#of.get(known.below) ?? place) === place) known.below++
    return known.below >= number
  }
}
