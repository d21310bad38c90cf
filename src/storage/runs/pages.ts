import { SessError } from '../../model/errors.ts'
import { Cache } from '../cache.ts'
import { wellFormed } from '../fault.ts'
import { type Key, pageKey } from '../keys.ts'
import { isUnsealed, seal, unseal } from '../seal.ts'
import type { Table } from '../table.ts'
import {
  decodePage,
  encodePage,
  firstFrom,
  headOf,
  type Item,
  itemsOf,
  numbersAt,
  type Page,
} from './indexpage.ts'

/** About so many items share a page. */
const ITEMS = 256

/** A page holds what begins with the same bits, so many at most: keys of an index that begin alike so far share 4 digits. */
const BITS = 16

/** The bytes of pages that are kept as they were read: eight for each number. */
const CACHED_BYTES = 1 << 20

/** What an index finds things by, and how much it says of each. */
export interface PageForm {
  /** The first byte of its keys. */
  readonly space: number
  /** How many bytes of a hash it keeps, 4 or more. */
  readonly width: number
  readonly columns: number
}

const pageOf = (head: number, bits: number): number => (bits === 0 ? 0 : head >>> (32 - bits))

/** Gives the pairs of an index as gc writes it, all at once and in the order of their keys: its header, then its pages. */
export function* pagesOf({ space, width }: PageForm, items: readonly Item[]): Generator<[Key, Uint8Array]> {
  if (items.length === 0) return
  const bits = Math.min(BITS, Math.max(0, Math.ceil(Math.log2(items.length / ITEMS))))
  const header = Uint8Array.of(space)
  yield [header, seal(header, Uint8Array.of(bits))]
  const sorted = items.toSorted((a, b) => Buffer.compare(a.hash, b.hash))
  for (let from = 0, to = 0; from < sorted.length; from = to) {
    const page = pageOf(headOf((sorted[from] as Item).hash), bits)
    while (to < sorted.length && pageOf(headOf((sorted[to] as Item).hash), bits) === page) to++
    const key = pageKey(space, page)
    yield [key, seal(key, encodePage(sorted.slice(from, to), width))]
  }
}

const PAGE = 'a page of an index'
const HEADER = 'the header of an index'
const NO_PAGE = `${PAGE} is missing`
const NO_HEADER = `${HEADER} is missing`

const readPage = ({ width, columns }: PageForm, key: Key, value: Uint8Array): Page =>
  wellFormed(PAGE, () => decodePage(unseal(key, value, PAGE), width, columns))

/** Gives all items of an index that stand in pages, but for those of pages that are damaged. */
export async function* allPaged(table: Table, form: PageForm): AsyncGenerator<Item> {
  for await (const [key, value] of table.scan(Uint8Array.of(form.space)))
    if (key.length > 1 && !isUnsealed(key, value)) yield* itemsOf(readPage(form, key, value), form.width)
}

/** Tells what of the pages of an index is missing, a line each. */
export function* missingPages(table: Table, { space }: PageForm): Generator<string> {
  const key = Uint8Array.of(space)
  const header = table.get(key)
  if (!header && table.get(pageKey(space, 0))) yield NO_HEADER
  if (!header || isUnsealed(key, header)) return
  const count = 2 ** Math.min(BITS, unseal(key, header, HEADER)[0] ?? 0)
  for (let number = 0; number < count; number++) if (!table.get(pageKey(space, number))) yield NO_PAGE
}

/**
 * The pages of an index. They never change: what was added since they were written is found by keys of its own. Where a
 * page is damaged or missing nobody can say that something is not there, and all of these throw `corrupt`: who takes what is there
 * for new would store it twice.
 */
export class Pages {
  readonly #table: Table
  readonly #form: PageForm
  readonly #pages = new Cache<number, Page>(
    CACHED_BYTES,
    ({ heads, numbers }) => 8 * heads.length * (1 + numbers.length),
  )
  #bits: number | undefined

  constructor(table: Table, form: PageForm) {
    this.#table = table
    this.#form = form
  }

  /** Gives the numbers of all items whose hashes begin with the bytes that the index keeps. */
  find(hash: Uint8Array): number[][] {
    const head = headOf(hash)
    const page = this.#at(head)
    if (!page) return []
    const found: number[][] = []
    const rest = this.#form.width - 4
    for (let i = firstFrom(page, head); page.heads[i] === head; i++)
      if (
        Buffer.compare(page.rests.subarray(i * rest, (i + 1) * rest), hash.subarray(4, this.#form.width)) ===
        0
      )
        found.push(numbersAt(page, i))
    return found
  }

  /** Gives the numbers of the items whose heads lie from one up to another, both included. */
  *between(low: number, high: number): Generator<number[]> {
    const bits = this.#bitsOf()
    if (bits === undefined) return
    for (let number = pageOf(low, bits); number <= pageOf(high, bits); number++) {
      const page = this.#page(number)
      for (let i = firstFrom(page, low); (page.heads[i] ?? high + 1) <= high; i++) yield numbersAt(page, i)
    }
  }

  /** Gives the numbers of the items next to a hash in its page, and of those whose heads are its own. */
  around(hash: Uint8Array): number[][] {
    const head = headOf(hash)
    const page = this.#at(head)
    if (!page) return []
    const from = Math.max(0, firstFrom(page, head) - 1)
    const to = firstFrom(page, head + 1) + 1
    return page.heads.slice(from, to).map((_, i) => numbersAt(page, from + i))
  }

  #at(head: number): Page | undefined {
    const bits = this.#bitsOf()
    return bits === undefined ? undefined : this.#page(pageOf(head, bits))
  }

  /** How many bits tell pages apart; undefined where there is none. */
  #bitsOf(): number | undefined {
    if (this.#bits === undefined) {
      const header = this.#table.content(Uint8Array.of(this.#form.space), HEADER)
      if (!header && this.#table.get(pageKey(this.#form.space, 0))) throw new SessError('corrupt', NO_HEADER)
      if (header && !((header[0] ?? BITS + 1) <= BITS))
        throw new SessError('corrupt', `${HEADER} has a wrong form`)
      this.#bits = header?.[0] ?? -1
    }
    return this.#bits === -1 ? undefined : this.#bits
  }

  #page(number: number): Page {
    const known = this.#pages.get(number)
    if (known) return known
    const key = pageKey(this.#form.space, number)
    const value = this.#table.get(key)
    // Each has some 200 items: hashes that leave one empty nobody will ever see.
    if (value === undefined) throw new SessError('corrupt', NO_PAGE)
    const page = readPage(this.#form, key, value)
    this.#pages.set(number, page)
    return page
  }
}
