/** Says that bytes are no Zstandard. */
export const damaged = (what: string): Error => new Error(`they are damaged: ${what}`)

/** Gives the number that three bytes from a place on are, the low ones first; what is behind the end is 0. */
const threeAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16)

/** Gives the place of a number's highest bit that is set, from 0 on; -1 for 0. */
export const highest = (number: number): number => 31 - Math.clz32(number)

/** Bits from the first one on, the low ones of each byte first. */
export class Bits {
  readonly #bytes: Uint8Array
  #at: number

  /** Begins at a byte. */
  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes
    this.#at = 8 * start
  }

  /** Reads so many bits, at most 16. */
  read(count: number): number {
    const value = (threeAt(this.#bytes, this.#at >> 3) >> (this.#at & 7)) & ((1 << count) - 1)
    this.#at += count
    return value
  }

  /** Has the last bit be read again. */
  back(): void {
    this.#at--
  }

  /** The first byte of which nothing was read. */
  get end(): number {
    return (this.#at + 7) >> 3
  }
}

/** Bits from the last one on: what stands before the highest bit that is set in the last byte. */
export class BackBits {
  readonly #bytes: Uint8Array
  readonly #start: number
  /** How many are left: less than 0 where more were read than there were, the others as 0. */
  left: number

  constructor(bytes: Uint8Array, start: number, end: number) {
    const last = end > start ? (bytes[end - 1] ?? 0) : 0
    if (last === 0) throw damaged('bits without an end')
    this.#bytes = bytes
    this.#start = start
    this.left = 8 * (end - 1 - start) + highest(last)
  }

  /** Gives the next so many bits, at most 16, and leaves them. */
  peek(count: number): number {
    const at = this.left - count
    const mask = (1 << count) - 1
    if (at >= 0) return (threeAt(this.#bytes, this.#start + (at >> 3)) >> (at & 7)) & mask
    if (this.left <= 0) return 0
    return (threeAt(this.#bytes, this.#start) & ((1 << this.left) - 1)) << -at
  }

  /** Reads so many bits, at most 16. */
  read(count: number): number {
    const value = this.peek(count)
    this.left -= count
    return value
  }

  /** Reads so many bits, at most 31. */
  long(count: number): number {
    return count > 16 ? this.read(count - 16) * 65_536 + this.read(16) : this.read(count)
  }
}
