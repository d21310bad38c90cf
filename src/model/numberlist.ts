const BITS = 14
const SIZE = 2 ** BITS
/** Most lists are short: the first chunk starts with this capacity, and doubles. */
const FEW = 32

/**
 * A list of integers of 31 bits that grows without being copied beyond its first chunk, outside of the engine's heap. What
 * was not set is 0.
 */
export class NumberList {
  private readonly chunks: Int32Array[] = []
  private size = 0

  get length(): number {
    return this.size
  }

  /** Returns the number at an index below the length. */
  get(index: number): number {
    return (this.chunks[index >> BITS] as Int32Array)[index & (SIZE - 1)] as number
  }

  /** Returns the number at an index; undefined if the index is out of range. */
  at(index: number): number | undefined {
    return Number.isInteger(index) && index >= 0 && index < this.size ? this.get(index) : undefined
  }

  set(index: number, value: number): void {
    if (index >= this.size) {
      this.#reserve(index)
      this.size = index + 1
    }
    ;(this.chunks[index >> BITS] as Int32Array)[index & (SIZE - 1)] = value
  }

  #reserve(index: number): void {
    const first = this.chunks[0] ?? new Int32Array(FEW)
    let size = first.length
    while (size <= index && size < SIZE) size *= 2
    this.chunks[0] = size === first.length ? first : grown(first, new Int32Array(size))
    while (this.chunks.length <= index >> BITS) this.chunks.push(new Int32Array(SIZE))
  }

  /** Adds a number at the end and returns its index. */
  push(value: number): number {
    this.set(this.size, value)
    return this.size - 1
  }

  /** Removes the last number. */
  pop(): void {
    this.set(this.size - 1, 0)
    this.size--
  }
}

function grown(chunk: Int32Array, larger: Int32Array): Int32Array {
  larger.set(chunk)
  return larger
}
