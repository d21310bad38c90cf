import { expect, it } from 'vitest'
import { timeOf } from '../../../src/formats/claude-code/fields.ts'

it.each([
  ['1970-01-01T00:00:01.500Z', 1500],
  ['1970-01-01T00:00:01Z', 1000],
  ['1970-01-01T01:00:00+01:00', 0],
  ['1970-01-01', undefined],
  ['1970-01-01T00:00:00', undefined],
  ['1970-13-41T00:00:00Z', undefined],
  ['yesterday', undefined],
  [1500, undefined],
  [1_762_074_000_000, 1_762_074_000_000],
  [null, undefined],
])('the time of %j is %s', (timestamp, time) => {
  expect(timeOf({ timestamp })).toBe(time)
})
