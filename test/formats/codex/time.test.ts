import { expect, test } from 'vitest'
import { timeOf } from '../../../src/formats/codex/fields.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'

test.each([
  ['2026-01-02T03:04:05.678Z', 1767323045678],
  ['2026-01-02T03:04:05Z', 1767323045000],
  ['2026-01-02T03:04:05.678901Z', 1767323045678],
  ['2026-01-02T05:04:05+02:00', 1767323045000],
  [1767323045.678, 1767323045678],
  [1767323045678, 1767323045678],
])('%j is %d', (value, time) => expect(timeOf(value)).toBe(time))

test('a time without a zone is UTC on every machine', () => {
  expect(timeOf('2026-01-02T03:04:05')).toBe(1767323045000)
})

test.each([
  ['REDACTED'],
  ['1'],
  ['2026-13-40T99:00:00Z'],
  [1e300],
  [-5],
  [null],
  [true],
  [new Verbatim('-0')],
  [undefined],
])('%j is no time', (value) => expect(timeOf(value)).toBeUndefined())
