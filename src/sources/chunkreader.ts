/** Chunks that are read in pieces of given sizes. */
export class ChunkReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Gives some of the bytes that come next, at most so many; none at the end. */
  async #some(most: number): Promise<Uint8Array> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next()
      if (next.done) return this.#chunk
      this.#chunk = next.value
    }
    const piece = this.#chunk.subarray(0, most)
    this.#chunk = this.#chunk.subarray(piece.length)
    return piece
  }

  /** Gives the next bytes: fewer where the chunks end before. */
  async take(count: number): Promise<Uint8Array> {
    const first = await this.#some(count)
    if (first.length === count || first.length === 0) return first
    const all = [first]
    let missing = count - first.length
    while (missing > 0) {
      const piece = await this.#some(missing)
      if (piece.length === 0) break
      all.push(piece)
      missing -= piece.length
    }
    return Buffer.concat(all)
  }

  /** Passes over bytes, and tells how many there were. */
  async skip(count: number): Promise<number> {
    let left = count
    while (left > 0) {
      const piece = await this.#some(left)
      if (piece.length === 0) break
      left -= piece.length
    }
    return count - left
  }

  /** Reads no more: whoever gives the chunks is told. */
  async end(): Promise<void> {
    await this.#chunks.return?.()
  }
}
