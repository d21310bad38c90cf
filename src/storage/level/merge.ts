import type { Pair } from './keyvalue.ts'
import type { Put } from './put.ts'

/** Merges what is not in its place yet with what is, either in the order in which it is read. */
export class PendingMerge {
  readonly #over: readonly Put[]
  readonly #sign: number
  #next = 0

  constructor(over: readonly Put[], reverse: boolean) {
    this.#over = over
    this.#sign = reverse ? -1 : 1
  }

  /** Gives pairs with what stands before them and between them. */
  with(pairs: Pair[]): Pair[] {
    if (this.#next === this.#over.length) return pairs
    const merged: Pair[] = []
    for (const pair of pairs) {
      let order = 1
      for (; this.#next < this.#over.length; this.#next++) {
        const put = this.#over[this.#next] as Put
        order = this.#sign * Buffer.compare(pair[0], put.key)
        if (order < 0) break
        if (put.value !== undefined) merged.push([put.key, put.value])
        if (order === 0) {
          this.#next++
          break
        }
      }
      if (order !== 0) merged.push(pair)
    }
    return merged
  }

  /** Gives what stands behind all of them. */
  rest(): Pair[] {
    const rest = this.#over.slice(this.#next)
    return rest.flatMap(({ key, value }) => (value === undefined ? [] : [[key, value] as Pair]))
  }
}
