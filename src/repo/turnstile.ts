/** Lets one at a time in, of those that wait the one with the smallest number first. */
export class Turnstile {
  readonly #waiting: { readonly number: number; readonly enter: () => void }[] = []
  #taken = false

  /** Waits for its turn, and gives what ends it. */
  async enter(number: number): Promise<() => void> {
    if (this.#taken)
      await new Promise<void>((enter) => {
        const before = this.#waiting.findLastIndex((other) => other.number < number)
        this.#waiting.splice(before + 1, 0, { number, enter })
      })
    this.#taken = true
    return () => {
      const next = this.#waiting.shift()
      if (next) next.enter()
      else this.#taken = false
    }
  }

  /** Whether anybody is in or waits. */
  get isBusy(): boolean {
    return this.#taken
  }
}
