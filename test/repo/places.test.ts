import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Places } from '../../src/repo/places.ts'

const HERE = { place: 'here' }
const THERE = { place: 'there' }
const ALL = [HERE, THERE] as const

describe('places of what was begun in an order', () => {
  it('let one begin where all before it are, or are done', () => {
    const places = new Places()
    for (const number of [0, 1, 2]) places.put(number, HERE)
    expect(places.isAfterAll(3, HERE)).toBe(true)
    expect(places.isAfterAll(3, THERE)).toBe(false)
    places.put(1, THERE)
    expect(places.isAfterAll(1, HERE)).toBe(true)
    expect(places.isAfterAll(3, HERE)).toBe(false)
    places.leave(1)
    expect(places.isAfterAll(3, HERE)).toBe(true)
  })

  it('tell the same as looking at each', () => {
    const step = fc.record({ kind: fc.nat(3), of: fc.nat(), place: fc.constantFrom(...ALL) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const places = new Places()
        const plain = new Map<number, object>()
        let numbers = 0
        for (const { kind, of, place } of steps) {
          const number = kind === 0 || numbers === 0 ? numbers++ : of % numbers
          if (kind === 1) {
            plain.delete(number)
            places.leave(number)
          } else if (kind === 0 || plain.has(number)) {
            plain.set(number, place)
            places.put(number, place)
          }
          const told = [...plain].every(([other, at]) => other >= number || at === place)
          expect(places.isAfterAll(number, place)).toBe(told)
        }
      }),
    )
  })
})
