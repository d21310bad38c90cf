import { expect, it } from 'vitest'
import { minute } from '../../src/text/time.ts'

it('is local time to the minute', () => {
  expect(minute('2026-03-29T23:59:59.999Z', () => 0)).toBe('2026-03-29 23:59')
  expect(minute('2026-03-29T23:59:59.999Z', () => 120)).toBe('2026-03-30 01:59')
  expect(minute('2026-03-29T00:10:00.000Z', () => -300)).toBe('2026-03-28 19:10')
  expect(minute(null, () => 0)).toBe('-               ')
})
