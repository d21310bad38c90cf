import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { Gathered, gathered } from '../../src/ops/gathered.ts'

const read = async (pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> => {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return all
}

describe('Gathered', () => {
  test('gives texts as UTF-8 and bytes as they are, in their order', () => {
    const anyPiece = fc.oneof(fc.string({ unit: 'grapheme' }), fc.uint8Array())
    fc.assert(
      fc.property(fc.array(anyPiece), (pieces) => {
        const waiting = new Gathered()
        for (const piece of pieces) waiting.add(piece)
        const expected = Buffer.concat(pieces.map((piece) => Buffer.from(piece as string)))
        expect(waiting.isEmpty).toBe(expected.length === 0)
        expect(Buffer.from(waiting.take())).toEqual(expected)
        expect([waiting.isEmpty, waiting.take().length]).toEqual([true, 0])
      }),
    )
  })

  it('is enough once it is worth handing on', () => {
    const waiting = new Gathered()
    waiting.add('x'.repeat(65_535))
    expect(waiting.isEnough).toBe(false)
    waiting.add(Uint8Array.of(1))
    expect(waiting.isEnough).toBe(true)
  })
})

describe('gathered', () => {
  it('hands on what stands before damage, then throws', async () => {
    const given: number[] = []
    // oxlint-disable-next-line typescript/require-await -- pieces of any source are asynchronous
    async function* damaged(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(70_000)
      yield Uint8Array.of(1, 2)
      throw new Error('damaged')
    }
    const reading = async (): Promise<void> => {
      for await (const piece of gathered(damaged())) given.push(piece.length)
    }
    await expect(reading()).rejects.toThrow('damaged')
    expect(given).toEqual([70_000, 2])
  })

  it('gives nothing of nothing', async () => {
    // oxlint-disable-next-line typescript/require-await -- pieces of any source are asynchronous
    async function* none(): AsyncGenerator<Uint8Array> {
      yield new Uint8Array(0)
    }
    expect(await read(gathered(none()))).toEqual([])
  })
})
