import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdMap } from '../../../src/formats/core/idmap.ts'

const id = fc.oneof(fc.string(), fc.constantFrom('', 'a', 'b', '__proto__', '\ud800', '\ud801'), fc.uuid())

it('returns what a Map returns', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(id, fc.nat(2 ** 31 - 1)), { maxLength: 300 }), id, (pairs, other) => {
      const ids = new IdMap()
      const map = new Map<string, number>()
      for (const [key, value] of pairs) {
        expect(ids.has(key)).toBe(map.has(key))
        ids.set(key, value)
        map.set(key, value)
      }
      for (const [key, value] of map) expect(ids.get(key)).toBe(value)
      expect(ids.get(other)).toBe(map.get(other))
    }),
  )
})

it('finds each of many', () => {
  const ids = new IdMap()
  for (let i = 0; i < 20_000; i++) ids.set(`id-${i}`, i)
  for (let i = 0; i < 20_000; i++) expect(ids.get(`id-${i}`)).toBe(i)
  expect(ids.get('id-20000')).toBe(undefined)
})
