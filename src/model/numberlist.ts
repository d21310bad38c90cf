const BITS = 14
const SIZE = 2 ** BITS
/** Most lists are short: the first chunk starts with this capacity, and doubles. */
const FEW = 32

type Chunk = Int32Array | Float64Array

/**
 * A list of numbers that grows without being copied beyond its first chunk, outside of the engine's heap: integers of 31 bits in four bytes each,
 * or, where it is made of `Float64Array`, those of 53 bits in eight. What was not set is 0.
 */
export class NumberList {
  readonly #chunks: Chunk[] = []
  readonly #of: new (
    size: number,
  ) => Chunk
  #length = 0

  constructor(of: new (size: number) => Chunk = Int32Array) {
    this.#of = of
  }

  get length(): number {
    return this.#length
  }

  /** Returns the number at an index below the length. */
  get(index: number): number {
    return (this.#chunks[index >> BITS] as Chunk)[index & (SIZE - 1)] as number
  }

  /** Returns the number at an index; undefined if the index is out of range. */
  at(index: number): number | undefined {
    return Number.isInteger(index) && index >= 0 && index < this.#length ? this.get(index) : undefined
  }

  set(index: number, value: number): void {
    if (index >= this.#length) {
      this.#makeRoom(index)
      this.#length = index + 1
    }
    ;(this.#chunks[index >> BITS] as Chunk)[index & (SIZE - 1)] = value
  }

  #makeRoom(index: number): void {
    const first = this.#chunks[0] ?? new this.#of(FEW)
    let size = first.length
    while (size <= index && size < SIZE) size *= 2
    this.#chunks[0] = size === first.length ? first : grown(first, new this.#of(size))
    while (this.#chunks.length <= index >> BITS) this.#chunks.push(new this.#of(SIZE))
  }

  /** Adds a number at the end and returns its index. */
  push(value: number): number {
    this.set(this.#length, value)
    return this.#length - 1
  }

  /** Removes the last number. */
  pop(): void {
    this.set(this.#length - 1, 0)
    this.#length--
  }
}

function grown(chunk: Chunk, larger: Chunk): Chunk {
  larger.set(chunk)
  return larger
}
