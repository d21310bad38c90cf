/** A cache of the most recently used values, up to a total cost. */
export class LruCache<K, V> {
  readonly #limit: number
  readonly #cost: (value: V) => number
  readonly #values = new Map<K, V>()
  #total = 0
  /** The key that was used last, which is at the end already. */
  #last: K | undefined

  constructor(limit: number, cost: (value: V) => number) {
    this.#limit = limit
    this.#cost = cost
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key)
    if (value === undefined || key === this.#last) return value
    this.#values.delete(key)
    this.#values.set(key, value)
    this.#last = key
    return value
  }

  set(key: K, value: V): void {
    this.delete(key)
    this.#values.set(key, value)
    this.#last = key
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
