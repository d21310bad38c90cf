import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holds, type Ranges, united } from '../../src/model/ranges.ts'

const ranges = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 9 })), { maxLength: 8 }).map(
  (list): Ranges =>
    united(
      list.map(([from, size]) => [from, from + size]),
      [],
    ),
)

const numbersOf = (all: Ranges): number[] =>
  all.flatMap(([from, to]) => Array.from({ length: to - from }, (_, i) => from + i))

describe('ranges', () => {
  it('are united as sets are, in order and apart', () => {
    fc.assert(
      fc.property(ranges, ranges, (a, b) => {
        const all = new Set([...numbersOf(a), ...numbersOf(b)])
        expect(numbersOf(united(a, b))).toEqual([...all].sort((x, y) => x - y))
        united(a, b).forEach(([from], i, list) => expect(from).toBeGreaterThan(list[i - 1]?.[1] ?? -1))
      }),
    )
  })

  it('hold the numbers that they are of, and no others', () => {
    fc.assert(
      fc.property(ranges, fc.nat(80), (all, number) => {
        expect(holds(all, number)).toBe(numbersOf(all).includes(number))
      }),
    )
  })

  it('are few however many ranges are apart', () => {
    const apart: Ranges = Array.from({ length: 200_000 }, (_, i) => [3 * i + (i % 7), 3 * i + (i % 7) + 1])
    const few = united(apart, [[9_000_000, 9_000_001]], 2)
    expect(few).toEqual([
      [0, apart.at(-1)?.[1]],
      [9_000_000, 9_000_001],
    ])
  })

  it('are few where that is asked for, and lose nothing', () => {
    expect(
      united(
        [
          [0, 1],
          [5, 6],
          [8, 9],
        ],
        [[20, 21]],
        2,
      ),
    ).toEqual([
      [0, 9],
      [20, 21],
    ])
    fc.assert(
      fc.property(ranges, ranges, fc.integer({ min: 1, max: 4 }), (a, b, most) => {
        const few = united(a, b, most)
        expect(few.length).toBeLessThanOrEqual(most)
        expect(numbersOf(few)).toEqual(expect.arrayContaining(numbersOf(united(a, b))))
      }),
    )
  })
})
