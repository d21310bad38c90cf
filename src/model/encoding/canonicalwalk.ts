import { viewOf } from '../bytes.ts'

/** The kinds of CBOR items that JSON has, as the three high bits of the first byte name them. */
const UNSIGNED = 0
const NEGATIVE = 1
const TEXT = 3
const LIST = 4
const MAP = 5
const SIMPLE = 7

/** The first bytes of the simple items. */
const FALSE = 0xf4
const TRUE = 0xf5
const FLOAT = 0xfb

/** Reads canonical bytes item by item. Each method takes one item and returns whether to go on. */
export abstract class CanonicalWalk {
  protected readonly view: DataView
  /** The position of the next byte: after the header of an item, when one of the methods is called for it. */
  protected at = 0

  constructor(bytes: Uint8Array) {
    this.view = viewOf(bytes)
  }

  protected abstract number(value: number): boolean
  /** Takes a text of a number of bytes, and moves behind it. */
  protected abstract text(size: number): boolean
  protected abstract list(size: number): boolean
  protected abstract map(size: number): boolean
  /** Takes `false`, `true` or `null`. */
  protected abstract word(word: string): boolean

  /** Reads the next item. Returns false for a kind that JSON does not have. */
  protected item(): boolean {
    const first = this.view.getUint8(this.at++)
    const kind = first >> 5
    if (kind === SIMPLE) return this.#simple(first)
    const size = this.#size(first & 31)
    switch (kind) {
      case UNSIGNED:
        return this.number(size)
      case NEGATIVE:
        return this.number(-1 - size)
      case TEXT:
        return this.text(size)
      case LIST:
        return this.list(size)
      case MAP:
        return this.map(size)
      default:
        return false
    }
  }

  #size(low: number): number {
    const { view, at } = this
    if (low < 24) return low
    if (low === 24) {
      this.at += 1
      return view.getUint8(at)
    }
    if (low === 25) {
      this.at += 2
      return view.getUint16(at)
    }
    this.at += 4
    return view.getUint32(at)
  }

  #simple(first: number): boolean {
    if (first === FLOAT) {
      this.at += 8
      return this.number(this.view.getFloat64(this.at - 8))
    }
    return this.word(first === FALSE ? 'false' : first === TRUE ? 'true' : 'null')
  }
}
