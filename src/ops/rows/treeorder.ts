import type { EntryHandle } from '../../model/node.ts'

const WIDTHS = [Int16Array, Int32Array, Float64Array] as const
const LARGEST = [0x7fff, 0x7fff_ffff, Number.POSITIVE_INFINITY] as const

/** Integers by consecutive keys from 0, in an array that grows, and that is as narrow as they allow. */
export class NumberTable {
  #numbers: Int16Array | Int32Array | Float64Array = new Int16Array(16)
  #width = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  get(key: number): number {
    return this.#numbers[key] as number
  }

  set(key: number, value: number): void {
    const capacity = this.#numbers.length
    if (Math.abs(value) > (LARGEST[this.#width] as number)) this.#widen(value)
    if (key >= capacity) this.#resize(Math.max(key + 1, capacity + (capacity >> 1)))
    this.#numbers[key] = value
    if (key >= this.#length) this.#length = key + 1
  }

  #widen(value: number): void {
    while (Math.abs(value) > (LARGEST[this.#width] as number)) this.#width++
    this.#resize(this.#numbers.length)
  }

  /** Releases the memory that was reserved for growth. */
  trim(): void {
    this.#resize(this.#length)
  }

  #resize(capacity: number): void {
    const numbers = new (WIDTHS[this.#width] as (typeof WIDTHS)[number])(capacity)
    numbers.set(this.#numbers.subarray(0, this.#length))
    this.#numbers = numbers
  }
}

/** Handles by consecutive keys from 0. Those that are integers take little memory. */
export class HandleTable {
  readonly #numbers = new NumberTable()
  /** All handles, once one of them is no integer. */
  #handles: EntryHandle[] | undefined

  get length(): number {
    return this.#handles?.length ?? this.#numbers.length
  }

  get(key: number): EntryHandle {
    return this.#handles ? (this.#handles[key] as EntryHandle) : (this.#numbers.get(key) as EntryHandle)
  }

  set(key: number, handle: EntryHandle): void {
    if (!this.#handles && !Number.isSafeInteger(handle))
      this.#handles = Array.from({ length: this.length }, (_, i) => this.get(i))
    if (this.#handles) this.#handles[key] = handle
    else this.#numbers.set(key, handle as number)
  }

  /** Releases the memory that was reserved for growth. */
  trim(): void {
    this.#numbers.trim()
  }
}

/** An order of pieces, which are numbers from 0. */
export class PieceOrder {
  #pieces: Int32Array
  #ranks: Int32Array

  constructor(pieces: Int32Array) {
    this.#pieces = pieces
    this.#ranks = new Int32Array(pieces.length)
    this.#rankFrom(0)
  }

  get length(): number {
    return this.#pieces.length
  }

  /** Returns the piece with a rank; undefined beyond the ends. */
  at(rank: number): number | undefined {
    return this.#pieces[rank]
  }

  rank(piece: number): number {
    return this.#ranks[piece] as number
  }

  /** Inserts the next new piece at a rank. Moves all that follow. */
  insert(rank: number): void {
    const { length } = this.#pieces
    const pieces = new Int32Array(length + 1)
    pieces.set(this.#pieces.subarray(0, rank))
    pieces[rank] = length
    pieces.set(this.#pieces.subarray(rank), rank + 1)
    const ranks = new Int32Array(length + 1)
    ranks.set(this.#ranks)
    ;[this.#pieces, this.#ranks] = [pieces, ranks]
    this.#rankFrom(rank)
  }

  #rankFrom(rank: number): void {
    const [pieces, ranks] = [this.#pieces, this.#ranks]
    for (let i = rank; i < pieces.length; i++) ranks[pieces[i] as number] = i
  }
}

/** Lengths by ranks, with their sums, as a Fenwick tree: reads and changes take logarithmic time. */
export class LengthSums {
  readonly #sums: Int32Array

  /** Begins with the length of each rank. */
  constructor(lengths: Int32Array) {
    const { length } = lengths
    const sums = new Int32Array(length + 1)
    sums.set(lengths, 1)
    for (let i = 1; i <= length; i++) {
      const above = i + (i & -i)
      if (above <= length) sums[above] = (sums[above] as number) + (sums[i] as number)
    }
    this.#sums = sums
  }

  get total(): number {
    return this.before(this.#sums.length - 1)
  }

  /** Returns the sum of the lengths before a rank. */
  before(rank: number): number {
    let sum = 0
    for (let i = rank; i > 0; i -= i & -i) sum += this.#sums[i] as number
    return sum
  }

  get(rank: number): number {
    return this.before(rank + 1) - this.before(rank)
  }

  set(rank: number, length: number): void {
    const step = length - this.get(rank)
    const sums = this.#sums
    if (step !== 0) for (let i = rank + 1; i < sums.length; i += i & -i) sums[i] = (sums[i] as number) + step
  }

  /** Returns the rank that holds a position, and the position within it. Beyond the end, the rank is the number of ranks. */
  find(position: number): readonly [rank: number, index: number] {
    const sums = this.#sums
    let [at, left] = [0, position]
    for (let step = 2 ** (31 - Math.clz32(sums.length)); step >= 1; step /= 2) {
      const sum = at + step < sums.length ? (sums[at + step] as number) : Number.POSITIVE_INFINITY
      if (sum > left) continue
      at += step
      left -= sum
    }
    return [at, left]
  }

  /** Returns all lengths, by ranks. */
  toLengths(): Int32Array {
    const lengths = this.#sums.slice(1)
    for (let i = lengths.length; i >= 1; i--) {
      const above = i + (i & -i)
      if (above <= lengths.length)
        lengths[above - 1] = (lengths[above - 1] as number) - (lengths[i - 1] as number)
    }
    return lengths
  }
}
