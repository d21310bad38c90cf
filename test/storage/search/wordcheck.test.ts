import { expect, it } from 'vitest'
import type { EntryText } from '../../../src/model/search/entrytext.ts'
import { Counters } from '../../../src/storage/levelbackend/counters.ts'
import { handleOf } from '../../../src/storage/levelbackend/rows.ts'
import { WordCheck } from '../../../src/storage/search/wordcheck.ts'
import { WordIndexWriter } from '../../../src/storage/search/wordindex.ts'
import { GROUP } from '../../../src/storage/search/wordtable.ts'
import { memoryKeyValues } from '../../support/keyvaluestore.ts'

const textOf = (row: number): EntryText => ({ place: 'prompt', text: `row ${row} says something` })

it('finds the words that an index lacks in the rows that it covers', async () => {
  const store = await memoryKeyValues()
  const counters = new Counters()
  const [indexed, rows] = [3 * GROUP, 3 * GROUP + 5]
  const writer = new WordIndexWriter(store, counters)
  for (let row = 0; row < indexed; row++) writer.add(row, [textOf(row)])
  await writer.index(indexed)
  for (const { key, value } of writer.puts()) store.put(key, value)
  await store.commit()
  const problems = async (more: Readonly<Record<number, EntryText>>): Promise<readonly string[]> => {
    const check = new WordCheck(store, counters.indexed)
    for (let row = 0; row < rows; row++) await check.add(handleOf(row), [textOf(row), more[row] ?? []].flat())
    return check.end()
  }
  expect(await problems({})).toEqual([])
  expect(await problems({ [indexed]: { place: 'prompt', text: 'not indexed yet' } })).toEqual([])
  for (const text of [
    { place: 'prompt', text: 'lantern' },
    { place: 'tool', text: 'says' },
  ] as const)
    expect(await problems({ [GROUP]: text })).toEqual(['the word index at 0 lacks 1 words of its entries'])
})
