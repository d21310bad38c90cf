import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { newlines, rawUnits } from '../../../src/formats/core/splitter.ts'
import { runs } from '../../support/amount.ts'

const MIB = 1024 * 1024

test('returns units of 1 MiB and the rest as the tail, whatever the chunks', () => {
  const source = new Uint8Array(2 * MIB + 5).map((_, i) => (i * 7) % 251)
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 3 * MIB }), (chunk) => {
      const splitter = rawUnits()
      const units = []
      for (let at = 0; at < source.length; at += chunk)
        units.push(...splitter.push(source.slice(at, at + chunk)))
      const end = splitter.end()
      expect(units.map((unit) => [unit.bytes.length, unit.value, unit.warning])).toEqual([
        [MIB, undefined, undefined],
        [MIB, undefined, undefined],
      ])
      expect([end.units, end.tail.map((part) => part.length)]).toEqual([[], [5]])
      const all = Buffer.concat([...units.map((unit) => unit.bytes), ...end.tail])
      expect(all.equals(source)).toBe(true)
    }),
    { numRuns: runs(20) },
  )
})

it('returns no tail where nothing is left', () => {
  const splitter = rawUnits()
  expect(splitter.push(new Uint8Array(MIB)).length).toBe(1)
  expect(splitter.end()).toEqual({ units: [], tail: [] })
})

it('counts lines', () => {
  const splitter = rawUnits()
  const source = new Uint8Array(2 * MIB)
  source[0] = source[9] = 10
  expect(splitter.push(source).map((unit) => unit.line)).toEqual([1, 3])
  expect(newlines(source)).toBe(2)
})
