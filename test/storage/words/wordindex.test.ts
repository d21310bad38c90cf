import { describe, expect, it, vi } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import { LevelBackend } from '../../../src/storage/level.ts'
import { GROUP, groupStart, type Units, WordGatherer } from '../../../src/storage/words/words.ts'
import { encodeWords, WordSegment } from '../../../src/storage/words/wordsegment.ts'
import { expectFailure } from '../../support/errors.ts'
import { memory } from '../../support/memory.ts'

const textOf = (row: number): string =>
  `row ${row} of group ${row >> 8}, ${row % 3 === 0 ? 'third' : 'other'}`

const openBackend = async (): Promise<LevelBackend> => new LevelBackend(await memory(), { durable: false })

async function problemsOf(backend: LevelBackend): Promise<string[]> {
  const problems: string[] = []
  for await (const problem of backend.verify()) problems.push(problem)
  return problems
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

/** Gives the words of rows as they are told at once. */
function gathered(from: number, to: number): Units {
  const gatherer = new WordGatherer()
  for (let row = from; row < to; row++)
    gatherer.tell(row, [{ place: row % 2 === 0 ? 'prompt' : 'tool', text: textOf(row) }])
  return gatherer.take(from, to)
}

describe('words on their way into the index', () => {
  const place = 'tool'

  it('are taken by groups, and those of later ones stay', () => {
    const gatherer = new WordGatherer()
    gatherer.tell(0, [{ place, text: 'tide again' }])
    gatherer.tell(GROUP, [{ place, text: 'again low' }])
    expect([...gatherer.take(0, GROUP)]).toEqual([
      ['tide', [2]],
      ['again', [2]],
    ])
    gatherer.tell(GROUP + 1, [{ place: 'prompt', text: 'low' }])
    expect([...gatherer.take(GROUP, 2 * GROUP)]).toEqual([
      ['again', [5]],
      ['low', [5, 3]],
    ])
    expect([...gatherer.take(0, 2 * GROUP)]).toEqual([])
  })

  it('tell in each group that a long run is said', () => {
    const gatherer = new WordGatherer()
    const run = 'f'.repeat(40)
    for (const row of [0, GROUP]) gatherer.tell(row, [{ place, text: run }])
    expect([...gatherer.take(0, 2 * GROUP)]).toEqual([
      ['*', [2, 5]],
      [run, [2, 5]],
    ])
  })
})

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
      const whole = new WordSegment(from, encodeWords(from, to, gathered(from, to)))
      expect({ ...segment }).toEqual({})
      expect(segments.find((other) => other.from === from)?.units()).toEqual(whole.units())
    }
    expect(await problemsOf(backend)).toEqual([])
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

  it('goes as far as before where a commit fails, and says all of it once it is opened again', async () => {
    const level = await memory()
    const backend = new LevelBackend(level, { durable: false })
    await index(backend, 512)
    const batch = vi.spyOn(level, 'batch').mockRejectedValue(new Error('IO error: no space left'))
    await expectFailure('no-space', () => index(backend, 1536))
    expect(backend.failed).toBe(true)
    batch.mockRestore()
    const again = new LevelBackend(level, { durable: false, existing: true })
    expect(again.indexed()).toBe(512)
    expect(await problemsOf(again)).toEqual([])
    await index(again, 1536)
    expect(again.indexed()).toBe(1536)
    expect(await problemsOf(again)).toEqual([])
    for (const segment of await segmentsOf(again)) {
      const { from, to } = segment
      const whole = new WordSegment(from, encodeWords(from, to, gathered(from, to)))
      expect(segment.units()).toEqual(whole.units())
    }
  })

  it('goes as far as before where a transaction is refused', async () => {
    const backend = await openBackend()
    await index(backend, 512)
    const name = 'sessions/s/branches/main' as RefName
    const refused = backend.begin()
    for (let row = 512; row < 1024; row++) refused.tell(row, [{ place: 'prompt', text: 'never' }])
    await refused.index(1024)
    refused.move([{ name, old: 'something', new: 'else' }])
    await expectFailure('conflict', () => refused.commit())
    refused.abandon()
    expect(backend.indexed()).toBe(512)
    await index(backend, 1024)
    expect(await problemsOf(backend)).toEqual([])
    const found = (await segmentsOf(backend)).map((segment) => [
      segment.find('never').some((bits) => bits > 0),
      segment.find('group').every((bits) => bits > 0),
    ])
    expect(found.every(([never, all]) => !never && all)).toBe(true)
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
