import { expect, it } from 'vitest'
import { PLACES } from '../../../src/model/said.ts'
import { GROUP, WordCollector } from '../../../src/storage/search/wordcollector.ts'

it.each([
  ['little', 1],
  ['much', 20_000],
])('gathers %s text, once', (_, often) => {
  const gatherer = new WordCollector()
  const rows = 2 * GROUP
  for (let row = 0; row < rows; row++) gatherer.add(row, [{ place: 'prompt', text: 'ebb '.repeat(often) }])
  gatherer.add(rows, [{ place: 'prompt', text: 'flow' }])
  const units = [0, 1, 2].map((group) => group * PLACES.length + PLACES.indexOf('prompt'))
  expect(gatherer.take(0, rows)).toEqual(new Map([['ebb', units.slice(0, 2)]]))
  expect(gatherer.take(rows, rows + GROUP)).toEqual(new Map([['flow', units.slice(2)]]))
})
