import fc from 'fast-check'
import { expect, it } from 'vitest'
import { NumberList } from '../../src/model/numberlist.ts'

it('is a list of integers of 31 bits', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })), (values) => {
      const numbers = new NumberList()
      expect(values.map((value) => numbers.push(value))).toEqual(values.map((_, i) => i))
      expect(Array.from({ length: numbers.length }, (_, i) => numbers.get(i))).toEqual(values)
    }),
  )
})

it('reads 0 wherever nothing was set, however far it was set in a go', () => {
  const index = fc.oneof(fc.nat(100), fc.nat(40_000))
  fc.assert(
    fc.property(fc.array(fc.tuple(index, fc.nat()), { maxLength: 20 }), index, (sets, at) => {
      const numbers = new NumberList()
      for (const [i, value] of sets) numbers.set(i, value)
      const length = Math.max(0, ...sets.map(([i]) => i + 1))
      expect(numbers.length).toBe(length)
      expect(numbers.at(at)).toBe(at < length ? (sets.findLast(([i]) => i === at)?.[1] ?? 0) : undefined)
    }),
  )
})

it('has nothing at an index that is none', () => {
  const numbers = new NumberList()
  numbers.push(7)
  expect([-1, 0, 0.5, 1, Number.NaN, 2 ** 40].map((index) => numbers.at(index))).toEqual([
    undefined,
    7,
    undefined,
    undefined,
    undefined,
    undefined,
  ])
})

it('forgets what was taken away', () => {
  const numbers = new NumberList()
  numbers.push(1)
  numbers.push(2)
  numbers.pop()
  expect([numbers.length, numbers.at(1)]).toEqual([1, undefined])
  numbers.set(2, 3)
  expect([numbers.length, numbers.get(1)]).toEqual([3, 0])
})
