import type { EntryHandle } from './node.ts'

/** The number of handles in a page of bits. */
const PAGE = 2 ** 14

/**
 * A set of entries, for sources with millions of them: a bit for each handle that is a number, where a `Set` takes 40
 * bytes and has room for 16 million at most. Handles that are numbers come first when it is iterated, close ones in
 * ascending order.
 */
export class EntrySet implements Iterable<EntryHandle> {
  readonly #pages = new Map<number, Uint32Array>()
  readonly #others = new Set<EntryHandle>()
  #numbers = 0

  /** The number of entries. */
  get size(): number {
    return this.#numbers + this.#others.size
  }

  /** Adds an entry and returns whether it was not in the set. */
  add(entry: EntryHandle): boolean {
    if (!isIndex(entry)) {
      const before = this.#others.size
      return this.#others.add(entry).size > before
    }
    const number = Math.floor(entry / PAGE)
    let page = this.#pages.get(number)
    if (!page) {
      page = new Uint32Array(PAGE / 32)
      this.#pages.set(number, page)
    }
    const word = (entry % PAGE) >> 5
    const bit = 1 << (entry & 31)
    if ((page[word] as number) & bit) return false
    page[word] = (page[word] as number) | bit
    this.#numbers++
    return true
  }

  has(entry: EntryHandle): boolean {
    if (!isIndex(entry)) return this.#others.has(entry)
    const page = this.#pages.get(Math.floor(entry / PAGE))
    return page !== undefined && ((page[(entry % PAGE) >> 5] as number) & (1 << (entry & 31))) !== 0
  }

  *[Symbol.iterator](): Iterator<EntryHandle> {
    for (const [number, page] of this.#pages)
      for (let word = 0; word < page.length; word++)
        for (let rest = page[word] as number; rest !== 0; rest &= rest - 1) {
          const bit = 31 - Math.clz32(rest & -rest)
          yield (number * PAGE + 32 * word + bit) as EntryHandle
        }
    yield* this.#others
  }
}

const isIndex = (entry: EntryHandle): entry is EntryHandle & number =>
  Number.isSafeInteger(entry) && (entry as number) >= 0
