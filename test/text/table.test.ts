import { expect, it } from 'vitest'
import { tableRows } from '../../src/text/text.ts'
import { endOf } from '../../src/text/width.ts'

const COLUMNS = [
  ['FOLDER', '/home/ada/tides', '/home/ada/weather'],
  ['CALLS', '7', '12'],
  ['TOKENS', '940', '8.3k'],
  ['COST', '~$0.01', ''],
]

const table = (columns: number, spare: readonly string[] = []): string[] =>
  tableRows(COLUMNS, { columns, spare, shorten: endOf }).map((row) => row.join(''))

it('sets what follows the first column to the right', () => {
  expect(table(80)).toEqual([
    'FOLDER             CALLS  TOKENS    COST',
    '/home/ada/tides        7     940  ~$0.01',
    '/home/ada/weather     12    8.3k',
  ])
})

it('leaves out spare columns where it is too wide, then shortens the first one', () => {
  expect(table(34, ['CALLS', 'TOKENS'])).toEqual([
    'FOLDER             TOKENS    COST',
    '/home/ada/tides       940  ~$0.01',
    '/home/ada/weather    8.3k',
  ])
  expect(table(22, ['CALLS', 'TOKENS'])).toEqual([
    'FOLDER            COST',
    '…ome/ada/tides  ~$0.01',
    '…e/ada/weather',
  ])
})
