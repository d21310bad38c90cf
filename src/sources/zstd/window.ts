import { damaged } from './bits.ts'

/** Fewer bytes are copied one by one. */
const SHORT = 32

/** What was unpacked last of a frame, to which what follows refers: it takes no more memory than there is to keep. */
export class Window {
  readonly #size: number
  #bytes = new Uint8Array(0)
  #end = 0
  /** Where what is unpacked now began, and how far it may go. */
  #start = 0
  #limit = 0

  /** Keeps at least so many bytes. */
  constructor(size: number) {
    this.#size = size
  }

  /** Begins something that has at most so many bytes. */
  begin(most: number): void {
    if (this.#end + most > this.#bytes.length) this.#makeRoom(most)
    this.#start = this.#end
    this.#limit = this.#end + most
  }

  #makeRoom(most: number): void {
    const kept = this.#bytes.subarray(Math.max(0, this.#end - this.#size), this.#end)
    const enough = this.#size + Math.max(most, this.#size >> 2)
    const length = Math.min(enough, Math.max(2 * this.#bytes.length, kept.length + most))
    const bytes = length > this.#bytes.length ? new Uint8Array(length) : this.#bytes
    bytes.set(kept)
    this.#bytes = bytes
    this.#end = kept.length
  }

  #take(count: number): number {
    const at = this.#end
    this.#end += count
    if (this.#end > this.#limit) throw damaged('a block that is too long')
    return at
  }

  /** Adds bytes from a place up to another. */
  put(bytes: Uint8Array, from: number, to: number): void {
    const at = this.#take(to - from)
    if (to - from < SHORT) for (let i = from; i < to; i++) this.#bytes[at + i - from] = bytes[i] as number
    else this.#bytes.set(bytes.subarray(from, to), at)
  }

  fill(byte: number, count: number): void {
    const at = this.#take(count)
    this.#bytes.fill(byte, at, at + count)
  }

  /** Says again what was said so many bytes before; it may reach into itself. */
  copy(distance: number, count: number): void {
    const at = this.#take(count)
    const from = at - distance
    if (from < 0) throw damaged('a distance that is too far')
    const bytes = this.#bytes
    if (count >= SHORT && distance >= count) bytes.copyWithin(at, from, from + count)
    else for (let i = 0; i < count; i++) bytes[at + i] = bytes[from + i] as number
  }

  /** Gives what was unpacked since it began. */
  get unpacked(): Uint8Array {
    return this.#bytes.slice(this.#start, this.#end)
  }
}
