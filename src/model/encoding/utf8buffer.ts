/** The initial size of the buffer; a larger one is dropped after the text that needed it. */
const ROOM = 128 << 10

/** The number of bytes and characters up to which they are copied one by one: a call of the platform takes longer. */
const SHORT = 48

/** Longer texts are measured before they are written: each unit may take three bytes. */
const LONG = 4 << 10

/** A growing buffer of UTF-8 text. */
export class Utf8Buffer {
  readonly #size: number
  #room: Buffer
  #at = 0

  constructor(size = ROOM) {
    this.#size = size
    this.#room = Buffer.allocUnsafeSlow(size)
  }

  /** How many bytes were added. */
  get length(): number {
    return this.#at
  }

  /** Returns the bytes added, and clears the buffer. */
  take(): Uint8Array {
    const bytes = this.#room.subarray(0, this.#at)
    this.#at = 0
    if (this.#room.length === this.#size) return new Uint8Array(bytes)
    this.#room = Buffer.allocUnsafeSlow(this.#size)
    return bytes
  }

  /** Returns the bytes added, valid until the next addition, and clears the buffer. */
  lend(): Buffer {
    const bytes = this.#room.subarray(0, this.#at)
    this.#at = 0
    if (this.#room.length > this.#size) this.#room = Buffer.allocUnsafeSlow(this.#size)
    return bytes
  }

  #makeRoom(count: number): Buffer {
    if (this.#at + count > this.#room.length) {
      const written = this.#room
      this.#room = Buffer.allocUnsafeSlow(Math.max(2 * written.length, this.#at + count))
      written.copy(this.#room, 0, 0, this.#at)
    }
    return this.#room
  }

  /** Adds bytes as they are. */
  bytes(bytes: Uint8Array): void {
    const { length } = bytes
    const room = this.#makeRoom(length)
    if (length > SHORT) room.set(bytes, this.#at)
    else for (let i = 0; i < length; i++) room[this.#at + i] = bytes[i] as number
    this.#at += length
  }

  /** Adds a text; half a surrogate pair becomes the character for what is none. */
  text(text: string): void {
    const { length } = text
    const room = this.#makeRoom(length > LONG ? Buffer.byteLength(text) : 3 * length)
    const from = this.#at
    if (length > SHORT) this.#at += room.write(text, from)
    else
      for (let i = 0; i < length; i++) {
        const code = text.charCodeAt(i)
        if (code >= 128) {
          this.#at = from + room.write(text, from)
          return
        }
        room[this.#at++] = code
      }
  }
}
