import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChunkReader } from '../../src/sources/chunkreader.ts'

async function* chunksOf(
  chunks: readonly Uint8Array[],
  onEnd: () => void = () => undefined,
): AsyncGenerator<Uint8Array> {
  try {
    for (const chunk of chunks) yield await Promise.resolve(chunk)
  } finally {
    onEnd()
  }
}

it('reads and skips any numbers of bytes', async () => {
  const chunk = fc.uint8Array({ maxLength: 9 })
  const step = fc.tuple(fc.nat(20), fc.boolean())
  await fc.assert(
    fc.asyncProperty(fc.array(chunk), fc.array(step), async (chunks, steps) => {
      const all = Buffer.concat(chunks)
      const reader = new ChunkReader(chunksOf(chunks))
      let at = 0
      for (const [count, taken] of steps) {
        const there = all.subarray(at, at + count)
        if (taken) expect(Buffer.from(await reader.take(count))).toEqual(Buffer.from(there))
        else expect(await reader.skip(count)).toBe(there.length)
        at += there.length
      }
    }),
  )
})

it('closes the stream at the end', async () => {
  let ended = false
  const reader = new ChunkReader(
    chunksOf([Buffer.from('abc'), Buffer.from('d')], () => {
      ended = true
    }),
  )
  await reader.take(1)
  await reader.end()
  expect(ended).toBe(true)
})
