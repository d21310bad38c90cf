import type { Awaitable } from '../model/awaitable.ts'

/** Lets one unit of work in at a time, in the order of asking. */
export class Mutex {
  readonly #waiting: ((unlock: () => void) => void)[] = []
  #taken = false

  /** Waits for its turn, if need be. Returns the function that ends it, to be called once. */
  lock(): Awaitable<() => void> {
    if (this.#taken) return new Promise((enter) => this.#waiting.push(enter))
    this.#taken = true
    return this.#unlock
  }

  readonly #unlock = (): void => {
    const next = this.#waiting.shift()
    if (next) next(this.#unlock)
    else this.#taken = false
  }
}
