/** What `encode` writes: the first three bits of a value, and values that are one byte or begin with one. */
export const KIND = { whole: 0, negative: 1, text: 3, list: 4, map: 5 } as const
export const FALSE = 0xf4
export const TRUE = 0xf5
export const NULL = 0xf6
export const DOUBLE = 0xfb
/** Tag 40321, and a list of two. */
const PLACE_MARK = [0xd9, 0x9d, 0x81, 0x82] as const
export const PLACE = PLACE_MARK[0]

/** Reads the parts of stored values from the front of bytes. Once it met what is not common, what it gives is of no meaning. */
export class StoredSource {
  protected readonly bytes: Uint8Array
  protected at = 0
  protected isOdd = false
  #view: DataView | undefined

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** Whether all was read, and nothing was odd. */
  get isWhole(): boolean {
    return !this.isOdd && this.at === this.bytes.length
  }

  protected odd(): number {
    this.isOdd = true
    return 0
  }

  /** Gives the next byte. */
  protected first(): number {
    return this.bytes[this.at++] ?? this.odd()
  }

  /** Gives the number that a first byte holds or announces. */
  protected number(first: number): number {
    const told = first & 31
    if (told < 24) return told
    if (told > 26) return this.odd()
    let number = 0
    for (let left = 1 << (told - 24); left > 0; left--)
      number = number * 256 + (this.bytes[this.at++] ?? this.odd())
    return number
  }

  protected double(): number {
    const { buffer, byteOffset, length } = this.bytes
    if (this.at + 8 > length) return this.odd()
    this.#view ??= new DataView(buffer, byteOffset, length)
    this.at += 8
    return this.#view.getFloat64(this.at - 8)
  }

  /** Goes past the rest of the mark of a place. */
  protected marked(): void {
    for (let i = 1; i < PLACE_MARK.length; i++) if (this.bytes[this.at++] !== PLACE_MARK[i]) this.odd()
  }

  /** Gives a number that is a part of a place. */
  protected part(): number {
    const first = this.first()
    if (first === DOUBLE) return this.double()
    return first >> 5 === KIND.whole ? this.number(first) : this.odd()
  }

  /** Goes past so many bytes and gives where they begin. */
  protected pass(length: number): number {
    const from = this.at
    this.at += length
    if (this.at > this.bytes.length) this.odd()
    return from
  }
}
