import { joined } from '../model/bytes.ts'

/** Pieces are handed on this many bytes at a time: to hand on a single line costs as much as to make it. */
const ENOUGH = 64 << 10

const utf8 = new TextEncoder()

/** Bytes, and texts as UTF-8, that wait until they are worth handing on. */
export class Gathered {
  #pieces: Uint8Array[] = []
  /** What follows the pieces. */
  #text = ''
  #size = 0

  add(piece: Uint8Array | string): void {
    this.#size += piece.length
    if (typeof piece === 'string') {
      this.#text += piece
      return
    }
    this.#close()
    this.#pieces.push(piece)
  }

  get isEmpty(): boolean {
    return this.#size === 0
  }

  get isEnough(): boolean {
    return this.#size >= ENOUGH
  }

  /** Gives what was gathered. */
  take(): Uint8Array {
    this.#close()
    const [first] = this.#pieces
    const bytes = first && this.#pieces.length === 1 ? first : joined(this.#pieces)
    this.#pieces = []
    this.#size = 0
    return bytes
  }

  #close(): void {
    if (this.#text !== '') this.#pieces.push(utf8.encode(this.#text))
    this.#text = ''
  }
}

/** Gives bytes in pieces that are worth handing on; what stands before damage is given all the same. */
export async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const waiting = new Gathered()
  try {
    for await (const piece of pieces) {
      waiting.add(piece)
      if (waiting.isEnough) yield waiting.take()
    }
  } catch (error) {
    if (!waiting.isEmpty) yield waiting.take()
    throw error
  }
  if (!waiting.isEmpty) yield waiting.take()
}
