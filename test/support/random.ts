/** Random choices that a number repeats. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns an integer from 0 up to and without a limit (mulberry32). */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let x = this.#state
    x = Math.imul(x ^ (x >>> 15), x | 1)
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61)
    return Math.floor((((x ^ (x >>> 14)) >>> 0) / 2 ** 32) * limit)
  }

  /** Returns true once in so many times. */
  once(times: number): boolean {
    return this.below(times) === 0
  }

  /** Returns one of some values. */
  pick<T>(values: readonly T[]): T {
    return values[this.below(values.length)] as T
  }
}
