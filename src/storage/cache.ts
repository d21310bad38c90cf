/** A cache that keeps what was used last, up to a total cost. */
export class Cache<K, V> {
  readonly #limit: number
  readonly #cost: (value: V) => number
  readonly #values = new Map<K, V>()
  #total = 0

  constructor(limit: number, cost: (value: V) => number) {
    this.#limit = limit
    this.#cost = cost
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key)
    if (value === undefined) return undefined
    this.#values.delete(key)
    this.#values.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.delete(key)
    this.#values.set(key, value)
    this.#total += this.#cost(value)
    for (const [oldest] of this.#values) {
      if (this.#total <= this.#limit || oldest === key) break
      this.delete(oldest)
    }
  }

  delete(key: K): void {
    const value = this.#values.get(key)
    if (value === undefined) return
    this.#values.delete(key)
    this.#total -= this.#cost(value)
  }
}
