import { MemoryLevel } from 'memory-level'
import { describe, expect, it } from 'vitest'
import { LevelBackend } from '../../src/storage/level.ts'
import { GROUP, groupStart, WordGatherer } from '../../src/storage/words.ts'
import { encodeWords, WordSegment } from '../../src/storage/wordsegment.ts'

const textOf = (row: number): string =>
  `row ${row} of group ${row >> 8}, ${row % 3 === 0 ? 'third' : 'other'}`

async function openBackend(): Promise<LevelBackend> {
  const level: MemoryLevel<Uint8Array, Uint8Array> = new MemoryLevel({
    keyEncoding: 'view',
    valueEncoding: 'view',
    storeEncoding: 'view',
  })
  await level.open()
  return new LevelBackend(level, { durable: false })
}

/** Indexes the rows up to another in one transaction. */
async function index(backend: LevelBackend, to: number): Promise<void> {
  const transaction = backend.begin()
  for (let row = transaction.indexed; row < to; row++)
    transaction.tell(row, [{ place: row % 2 === 0 ? 'prompt' : 'tool', text: textOf(row) }])
  await transaction.index(to)
  await transaction.commit()
}

async function segmentsOf(backend: LevelBackend): Promise<WordSegment[]> {
  const segments: WordSegment[] = []
  for await (const segment of backend.words()) segments.push(segment)
  return segments
}

describe('the index of words', () => {
  it('is the same whether it was made at once or bit by bit, in few segments that never overlap', async () => {
    const backend = await openBackend()
    const steps = [256, 768, 1024, 1030, 1536, 1536, 2048, 5000, 5632, 6144, 20_000, 20_480, 21_000]
    for (const to of steps) {
      await index(backend, to)
      expect(backend.indexed()).toBe(groupStart(to))
    }
    const segments = await segmentsOf(backend)
    expect(segments.map(({ from, to }) => [from, to])).toMatchInlineSnapshot(`
      [
        [
          0,
          19968,
        ],
        [
          19968,
          20992,
        ],
      ]
    `)
    for (const { from, to, ...segment } of segments) {
      const gatherer = new WordGatherer()
      for (let row = from; row < to; row++)
        gatherer.tell(row, [{ place: row % 2 === 0 ? 'prompt' : 'tool', text: textOf(row) }])
      const whole = new WordSegment(from, encodeWords(from, to, gatherer.take(from, to)))
      expect({ ...segment }).toEqual({})
      expect(segments.find((other) => other.from === from)?.units()).toEqual(whole.units())
    }
    const problems: string[] = []
    for await (const problem of backend.verify()) problems.push(problem)
    expect(problems).toEqual([])
  })

  it('says nothing of a transaction that was given up', async () => {
    const backend = await openBackend()
    await index(backend, 512)
    const transaction = backend.begin()
    transaction.tell(600, [{ place: 'reply', text: 'never' }])
    await transaction.index(1024)
    expect(transaction.indexed).toBe(1024)
    transaction.abandon()
    expect(backend.indexed()).toBe(512)
    expect((await segmentsOf(backend)).map(({ to }) => to)).toEqual([512])
  })

  it('is forgotten and made anew', async () => {
    const backend = await openBackend()
    await index(backend, 512)
    const transaction = backend.begin()
    await transaction.forgetIndex()
    expect(transaction.indexed).toBe(0)
    transaction.tell(3, [{ place: 'reply', text: 'anew' }])
    await transaction.index(GROUP)
    await transaction.commit()
    const segments = await segmentsOf(backend)
    expect(segments.map(({ from, to }) => [from, to])).toEqual([[0, GROUP]])
    expect([...(segments[0]?.find('ane') ?? [])]).toEqual([2])
    expect([...(segments[0]?.find('row') ?? [])]).toEqual([0])
  })
})
