import { expect, it } from 'vitest'
import { minute, shortAgeOf } from '../../src/text/time.ts'

it('is local time to the minute', () => {
  expect(minute('2026-03-29T23:59:59.999Z', () => 0)).toBe('2026-03-29 23:59')
  expect(minute('2026-03-29T23:59:59.999Z', () => 120)).toBe('2026-03-30 01:59')
  expect(minute('2026-03-29T00:10:00.000Z', () => -300)).toBe('2026-03-28 19:10')
  expect(minute(null, () => 0)).toBe('-               ')
})

it.each([
  [-5000, 'now'],
  [59_999, 'now'],
  [60_000, '1m'],
  [3_600_000, '1h'],
  [86_400_000 * 6.9, '6d'],
  [86_400_000 * 364, '52w'],
  [86_400_000 * 366, '1y'],
  [Number.MAX_SAFE_INTEGER, '999y'],
])('is an age in four columns: %s ms', (ago, shown) => {
  expect(shortAgeOf(1e12 - ago, 1e12)).toBe(shown)
})
