import { readNumbers, writeNumbers } from '../columns/ints.ts'
import { ByteSink, ByteSource } from '../columns/varint.ts'

/** What is found by the first bytes of a hash: as many numbers for each as in all that stand with it. */
export interface Item {
  readonly hash: Uint8Array
  readonly numbers: readonly number[]
}

/** The bytes of a hash that a page is in the order of. */
const HEAD = 4

/** A page of an index, by columns: of each hash the first bytes as a number, and those behind them. */
export interface Page {
  readonly heads: readonly number[]
  readonly rests: Uint8Array
  readonly numbers: readonly (readonly number[])[]
}

/** Gives the first four bytes of a hash as a number. */
export const headOf = (hash: Uint8Array): number =>
  (((hash[0] as number) << 24) |
    ((hash[1] as number) << 16) |
    ((hash[2] as number) << 8) |
    (hash[3] as number)) >>>
  0

/**
 * Lays items out that are in the order of their hashes, of which so many bytes are kept: steps from head to head, the
 * bytes behind them, numbers.
 */
export function encodePage(items: readonly Item[], width: number): Uint8Array {
  const sink = new ByteSink()
  sink.varint(items.length)
  let before = 0
  for (const { hash } of items) {
    const head = headOf(hash)
    sink.varint(head - before)
    before = head
  }
  for (const { hash } of items) sink.bytes(hash.subarray(HEAD, width))
  for (const [n] of (items[0]?.numbers ?? []).entries())
    writeNumbers(
      sink,
      items.map(({ numbers }) => numbers[n] as number),
    )
  return sink.view()
}

/** Reads a page of hashes of so many bytes, with so many numbers each. Throws a RangeError on bytes that are none. */
export function decodePage(bytes: Uint8Array, width: number, columns: number): Page {
  const source = new ByteSource(bytes)
  const count = source.varint()
  if (count > source.left) throw new RangeError('a page has absurdly many items')
  const heads: number[] = []
  for (let head = 0; heads.length < count; heads.push(head)) head += source.varint()
  const rests = source.bytes(count * (width - HEAD))
  return { heads, rests, numbers: Array.from({ length: columns }, () => readNumbers(source, count)) }
}

/** Gives where the items of a page begin whose heads are a number or more. */
export function firstFrom({ heads }: Page, head: number): number {
  let [from, to] = [0, heads.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((heads[middle] as number) < head) from = middle + 1
    else to = middle
  }
  return from
}

/** Gives the numbers of an item of a page. */
export const numbersAt = ({ numbers }: Page, i: number): number[] =>
  numbers.map((column) => column[i] as number)

/** Gives the items of a page, of whose hashes it keeps so many bytes. */
export function itemsOf(page: Page, width: number): Item[] {
  const rest = width - HEAD
  return page.heads.map((head, i) => {
    const hash = new Uint8Array(width)
    new DataView(hash.buffer).setUint32(0, head)
    hash.set(page.rests.subarray(i * rest, (i + 1) * rest), HEAD)
    return { hash, numbers: numbersAt(page, i) }
  })
}
