import { field, items, type Json } from './json.ts'

/** Counts values, and keeps the newest of them. */
export class Latest<T> {
  readonly #most: number
  #count = 0
  #kept: T[] = []

  constructor(most: number) {
    this.#most = most
  }

  /** How many there were. */
  get count(): number {
    return this.#count
  }

  add(value: T): void {
    this.#count++
    this.#kept.push(value)
    if (this.#kept.length > 2 * this.#most) this.#kept = this.#newest()
  }

  #newest(): T[] {
    return this.#kept.slice(-this.#most)
  }

  /** Returns a line for each item kept, with its number from 1; a first line counts the items dropped. */
  lines(line: (value: T, number: number) => string): string[] {
    const newest = this.#newest()
    const before = this.#count - newest.length
    return [
      ...(before > 0 ? [`(${before} before)`] : []),
      ...newest.map((value, at) => line(value, before + at + 1)),
    ]
  }

  /** Returns the number of items and those kept, as JSON. */
  json(of: (value: T) => Json): { readonly count: number; readonly last: readonly Json[] } {
    return { count: this.#count, last: this.#newest().map(of) }
  }

  /** Takes what `json` gave of others, which came before. What is none of its making counts nothing. */
  take(json: Json | undefined, read: (value: Json) => T | undefined): void {
    const before = items(field(json, 'last')).flatMap((value) => read(value) ?? [])
    const count = field(json, 'count')
    this.#count += Math.max(
      before.length,
      typeof count === 'number' && Number.isSafeInteger(count) ? count : 0,
    )
    this.#kept = [...before, ...this.#kept]
    this.#kept = this.#newest()
  }
}
