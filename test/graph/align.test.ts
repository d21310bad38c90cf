import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignLists, type IndexPair, matchByScore, matchKeys } from '../../src/graph/align.ts'

/** Lists that are equal in places. */
const lists = fc.array(fc.constantFrom(...'abcdefgh'), { maxLength: 24 })

const isInOrder = (matches: readonly IndexPair[]): boolean =>
  matches.every(
    ([l, r], i) => i === 0 || ((matches[i - 1] as IndexPair)[0] < l && (matches[i - 1] as IndexPair)[1] < r),
  )

const longest = (left: readonly string[], right: readonly string[]): number => {
  const row = new Array<number>(right.length + 1).fill(0)
  for (const one of left)
    for (let j = 0, diagonal = 0; j < right.length; j++) {
      const above = row[j + 1] as number
      row[j + 1] = one === right[j] ? diagonal + 1 : Math.max(above, row[j] as number)
      diagonal = above
    }
  return row.at(-1) as number
}

describe('matchKeys', () => {
  it('returns pairs with equal keys, in order on both sides', () => {
    fc.assert(
      fc.property(lists, lists, (left, right) => {
        const found = matchKeys(left, right)
        expect(found.every(([l, r]) => left[l] === right[r])).toBe(true)
        expect(isInOrder(found)).toBe(true)
        expect(found.length > 0).toBe(longest(left, right) > 0)
      }),
    )
  })

  it('matches all of a list with itself, and with a longer list', () => {
    fc.assert(
      fc.property(lists, fc.array(fc.nat(40)), (left, places) => {
        expect(matchKeys(left, left)).toEqual(left.map((_, i) => [i, i]))
        const right = [...left]
        for (const place of places) right.splice(place % (right.length + 1), 0, `new ${place}`)
        expect(matchKeys(left, right)).toHaveLength(left.length)
      }),
    )
  })

  it('finds the longest common subsequence of short lists, and most of that of long ones', () => {
    const [left, right] = [
      ['x', 'x', 'A', 'x', 'B', 'x'],
      ['B', 'x', 'x', 'A', 'x', 'x', 'x'],
    ] as const
    expect(matchKeys(left, right)).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
      [5, 6],
    ])
    fc.assert(
      fc.property(lists, lists, (one, other) => {
        expect(matchKeys(one, other)).toHaveLength(longest(one, other))
      }),
    )
    const long = Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? 'again' : `${i}`))
    const moved = [...long.slice(1500), ...long.slice(0, 1400), ...long.slice(1450, 1500)]
    expect(matchKeys(long, moved).length).toBeGreaterThanOrEqual(1500)
  })

  it('is fast on long lists, equal, shuffled and of one key', () => {
    const many = Array.from({ length: 100_000 }, (_, i) => `${i}`)
    expect(matchKeys(many, many.slice(10, -10))).toHaveLength(99_980)
    expect(matchKeys(many, many.toReversed())).toHaveLength(1)
    const same = many.map(() => 'x')
    expect(matchKeys(same, same.slice(1))).toHaveLength(99_999)
    expect(matchKeys(['a', ...same, 'b'], ['c', ...same, 'd'])).toEqual([])
  })
})

describe('matchByScore', () => {
  it('adds the best scoring pairs between existing pairs', () => {
    const score = (l: number, r: number): number => (l === 0 && r === 1 ? 5 : l === 3 && r === 3 ? 0 : 1)
    expect(matchByScore([[2, 2]], [4, 4], score)).toEqual([
      [0, 1],
      [2, 2],
    ])
    expect(matchByScore([], [2, 2], () => 1)).toEqual([
      [0, 0],
      [1, 1],
    ])
    const long = matchByScore([], [1000, 900], (l, r) => Number(l === r))
    expect(long).toHaveLength(900)
    expect(isInOrder(long)).toBe(true)
  })
})

describe('alignLists', () => {
  it('returns each item of both lists once, in order', () => {
    expect(alignLists(['a', 'b', 'c'], ['B', 'x', 'C'], matchKeys(['1', '2', '3'], ['2', '4', '3']))).toEqual(
      [{ left: 'a' }, { left: 'b', right: 'B' }, { right: 'x' }, { left: 'c', right: 'C' }],
    )
    fc.assert(
      fc.property(lists, lists, (left, right) => {
        const all = alignLists(left, right, matchKeys(left, right))
        expect(all.flatMap((one) => one.left ?? [])).toEqual(left)
        expect(all.flatMap((one) => one.right ?? [])).toEqual(right)
      }),
    )
  })
})
