import { Decompress } from 'fzstd'

/** Gives what chunks of Zstandard frames unpack to, in chunks. Throws an Error where they are damaged or end too early. */
export async function* unzstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = []
  let ended = false
  const unpack = new Decompress((chunk, last = false) => {
    ready.push(chunk)
    ended = last
  })
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += SLICE) {
      unpack.push(chunk.subarray(at, at + SLICE))
      yield* ready
      ready = []
    }
  }
  unpack.push(new Uint8Array(0), true)
  yield* ready
  if (!ended) throw new Error('unexpected end of the last frame')
}

/** What is unpacked at once stays bounded where a little stands for much. */
const SLICE = 4 << 10
