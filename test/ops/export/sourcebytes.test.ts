import { describe, expect, it } from 'vitest'
import { inChunks } from '../../../src/ops/export/sourcebytes.ts'

const read = async (pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> => {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

describe('inChunks', () => {
  it('hands on what stands before damage, then throws', async () => {
    const given: number[] = []
    // oxlint-disable-next-line typescript/require-await -- pieces of any source are asynchronous
    async function* damaged(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(70_000)
      yield Uint8Array.of(1, 2)
      throw new Error('damaged')
    }
    const reading = async (): Promise<void> => {
      for await (const piece of inChunks(damaged())) given.push(piece.length)
    }
    await expect(reading()).rejects.toThrow('damaged')
    expect(given).toEqual([70_000, 2])
  })

  it('gives pieces that are worth handing on, in their order', async () => {
    // oxlint-disable-next-line typescript/require-await -- pieces of any source are asynchronous
    async function* many(): AsyncGenerator<Uint8Array> {
      for (let i = 0; i < 3; i++) yield new Uint8Array(65_535).fill(i)
    }
    const given = await read(inChunks(many()))
    expect(given.map(({ length }) => length)).toEqual([131_070, 65_535])
    expect(given.map((piece) => [piece[0], piece.at(-1)])).toEqual([
      [0, 1],
      [2, 2],
    ])
  })

  it('gives nothing of nothing', async () => {
    // oxlint-disable-next-line typescript/require-await -- pieces of any source are asynchronous
    async function* none(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(0)
    }
    expect(await read(inChunks(none()))).toEqual([])
  })
})
