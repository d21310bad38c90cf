/** Reads a stream of chunks in parts of any size. */
export class ChunkReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array(0)

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]()
  }

  /** Returns at most `most` of the next bytes; none at the end. */
  async #some(most: number): Promise<Uint8Array> {
    while (this.#chunk.length === 0) {
      const next = await this.#chunks.next()
      if (next.done) return this.#chunk
      this.#chunk = next.value
    }
    const part = this.#chunk.subarray(0, most)
    this.#chunk = this.#chunk.subarray(part.length)
    return part
  }

  /** Returns the next `count` bytes, or fewer at the end. */
  async take(count: number): Promise<Uint8Array> {
    const first = await this.#some(count)
    if (first.length === count || first.length === 0) return first
    const all = [first]
    let missing = count - first.length
    while (missing > 0) {
      const part = await this.#some(missing)
      if (part.length === 0) break
      all.push(part)
      missing -= part.length
    }
    return Buffer.concat(all)
  }

  /** Skips bytes. Returns how many were skipped. */
  async skip(count: number): Promise<number> {
    let left = count
    while (left > 0) {
      const part = await this.#some(left)
      if (part.length === 0) break
      left -= part.length
    }
    return count - left
  }

  /** Ends reading, and closes the stream. */
  async end(): Promise<void> {
    await this.#chunks.return?.()
  }
}
