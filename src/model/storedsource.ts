import type { Slice } from './bytes.ts'

/** What `encode` writes: the first three bits of a value, and values that are one byte or begin with one. */
export const KIND = { whole: 0, negative: 1, text: 3, list: 4, map: 5 } as const
const FALSE = 0xf4
const TRUE = 0xf5
const NULL = 0xf6
const DOUBLE = 0xfb
/** Tag 40321, and a list of two. */
const PLACE_MARK = [0xd9, 0x9d, 0x81, 0x82] as const
const PLACE = PLACE_MARK[0]

/**
 * Reads stored values from the front of bytes; what is made of them who extends it says. Once it met what is not common,
 * what it gives is of no meaning.
 */
export abstract class StoredSource<T> {
  /** All bytes among which those that are read stand, and a view of these. */
  protected readonly bytes: Uint8Array
  protected readonly view: DataView
  protected at: number
  readonly #end: number
  protected isOdd = false

  constructor({ all, view, from, to }: Slice) {
    this.bytes = all
    this.view = view
    this.at = from
    this.#end = to
  }

  /** Whether all was read, and nothing was odd. */
  get isWhole(): boolean {
    return !this.isOdd && this.at === this.#end
  }

  protected abstract numeral(value: number): T
  protected abstract constant(value: boolean | null): T
  protected abstract blob(block: number, index: number): T
  /** Takes a text of so many bytes, or a list or an object of so many items, that come next. */
  protected abstract text(length: number): T
  protected abstract list(count: number): T
  protected abstract object(count: number): T

  /** Takes the next value. */
  value(): T {
    const first = this.first()
    switch (first >> 5) {
      case KIND.whole:
        return this.numeral(this.number(first))
      case KIND.negative:
        return this.numeral(-1 - this.number(first))
      case KIND.text:
        return this.text(this.number(first))
      case KIND.list:
        return this.list(this.number(first))
      case KIND.map:
        return this.object(this.number(first))
      default:
        return this.#other(first)
    }
  }

  #other(first: number): T {
    if (first === DOUBLE) return this.numeral(this.#double())
    if (first === PLACE) return this.#place()
    if (first !== NULL && first !== TRUE && first !== FALSE) this.odd()
    return this.constant(first === NULL ? null : first === TRUE)
  }

  #place(): T {
    for (let i = 1; i < PLACE_MARK.length; i++) if (this.bytes[this.at++] !== PLACE_MARK[i]) this.odd()
    const [block, index] = [this.#part(), this.#part()]
    return this.isOdd ? this.constant(null) : this.blob(block, index)
  }

  protected odd(): number {
    this.isOdd = true
    return 0
  }

  /** Gives the next byte. */
  protected first(): number {
    return this.at < this.#end ? (this.bytes[this.at++] as number) : this.odd()
  }

  /** Gives the number that a first byte holds or announces. */
  protected number(first: number): number {
    const told = first & 31
    if (told < 24) return told
    if (told > 26) return this.odd()
    let number = 0
    for (let left = 1 << (told - 24); left > 0; left--) number = number * 256 + this.first()
    return number
  }

  #double(): number {
    if (this.at + 8 > this.#end) return this.odd()
    this.at += 8
    return this.view.getFloat64(this.at - 8)
  }

  /** Gives a number that is a part of a place. */
  #part(): number {
    const first = this.first()
    if (first === DOUBLE) return this.#double()
    return first >> 5 === KIND.whole ? this.number(first) : this.odd()
  }

  /** Goes past so many bytes and gives where they begin. */
  protected pass(length: number): number {
    const from = this.at
    this.at += length
    if (this.at > this.#end) this.odd()
    return from
  }
}
