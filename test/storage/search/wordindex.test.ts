import { describe, expect, it } from 'vitest'
import { Counters } from '../../../src/storage/levelbackend/counters.ts'
import type { KeyValueStore } from '../../../src/storage/levelbackend/keyvaluestore.ts'
import { Objects } from '../../../src/storage/levelbackend/objects.ts'
import { readWords, WordIndexWriter, wordProblems } from '../../../src/storage/search/wordindex.ts'
import { encodeWords, WordSegment } from '../../../src/storage/search/wordsegment.ts'
import { GROUP, groupStart, type Units, WordCollector } from '../../../src/storage/search/wordtable.ts'
import { memoryKeyValues } from '../../support/keyvaluestore.ts'

const textOf = (row: number): string =>
  `row ${row} of group ${row >> 8}, ${row % 3 === 0 ? 'third' : 'other'}`

/** A database in memory with nothing but an word index. */
class Index {
  readonly store: KeyValueStore
  readonly counters = new Counters()

  constructor(store: KeyValueStore) {
    this.store = store
  }

  /** Changes the index and commits the changes. */
  async write(work: (packer: WordIndexWriter) => Promise<void>): Promise<void> {
    const packer = new WordIndexWriter(this.store, this.counters)
    await work(packer)
    for (const { key, value } of packer.puts()) this.store.put(key, value)
    await this.store.commit()
  }

  /** Indexes the rows up to another one. */
  upTo(to: number): Promise<void> {
    return this.write(async (packer) => {
      for (let row = packer.indexed; row < to; row++)
        packer.add(row, [{ place: row % 2 === 0 ? 'prompt' : 'tool', text: textOf(row) }])
      await packer.index(to)
    })
  }

  segments(): Promise<WordSegment[]> {
    return all(readWords(this.store))
  }

  problems(): Promise<string[]> {
    return all(wordProblems(this.store, new Objects(this.store), this.counters.indexed))
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** Returns the words of rows as they are told at once. */
function gathered(from: number, to: number): Units {
  const gatherer = new WordCollector()
  for (let row = from; row < to; row++)
    gatherer.add(row, [{ place: row % 2 === 0 ? 'prompt' : 'tool', text: textOf(row) }])
  return gatherer.take(from, to)
}

describe('words on their way into the index', () => {
  const place = 'tool'

  it('are taken by groups, and those of later ones stay', () => {
    const gatherer = new WordCollector()
    gatherer.add(0, [{ place, text: 'tide again' }])
    gatherer.add(GROUP, [{ place, text: 'again low' }])
    expect([...gatherer.take(0, GROUP)]).toEqual([
      ['tide', [2]],
      ['again', [2]],
    ])
    gatherer.add(GROUP + 1, [{ place: 'prompt', text: 'low' }])
    expect([...gatherer.take(GROUP, 2 * GROUP)]).toEqual([
      ['again', [5]],
      ['low', [5, 3]],
    ])
    expect([...gatherer.take(0, 2 * GROUP)]).toEqual([])
  })

  it('tell in each group that a long run is said', () => {
    const gatherer = new WordCollector()
    const run = 'f'.repeat(40)
    for (const row of [0, GROUP]) gatherer.add(row, [{ place, text: run }])
    expect([...gatherer.take(0, 2 * GROUP)]).toEqual([
      ['*', [2, 5]],
      [run, [2, 5]],
    ])
  })
})

describe('the word index', () => {
  it('is the same whether it was made at once or bit by bit, in few segments that never overlap', async () => {
    const index = new Index(await memoryKeyValues())
    const steps = [256, 768, 1024, 1030, 1536, 1536, 2048, 5000, 5632, 6144, 20_000, 20_480, 21_000]
    for (const to of steps) {
      await index.upTo(to)
      expect(index.counters.indexed).toBe(groupStart(to))
    }
    const segments = await index.segments()
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
    expect(await index.problems()).toEqual([])
  })

  it('is cleared and made again', async () => {
    const index = new Index(await memoryKeyValues())
    await index.upTo(512)
    await index.write(async (packer) => {
      await packer.clear()
      expect(packer.indexed).toBe(0)
      packer.add(3, [{ place: 'reply', text: 'anew' }])
      await packer.index(GROUP)
    })
    const segments = await index.segments()
    expect(segments.map(({ from, to }) => [from, to])).toEqual([[0, GROUP]])
    expect([...(segments[0]?.find('ane') ?? [])]).toEqual([2])
    expect([...(segments[0]?.find('row') ?? [])]).toEqual([0])
  })
})
