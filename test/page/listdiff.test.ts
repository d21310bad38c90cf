import { diffArrays } from 'diff'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listDiff } from '../../src/page/listdiff.ts'

const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 24 })

const editsIn = (pieces: readonly { readonly of: string; readonly items: readonly string[] }[]): number =>
  pieces.reduce((sum, { of, items }) => sum + (of === 'both' ? 0 : items.length), 0)

describe('the difference of two lists', () => {
  it('gives both back, with as few edits as a library finds, removed items before added ones', () => {
    fc.assert(
      fc.property(list, list, (before, after) => {
        const pieces = listDiff(before, after) ?? []
        const without = (one: string) => pieces.filter(({ of }) => of !== one).flatMap(({ items }) => items)
        expect(without('after')).toEqual(before)
        expect(without('before')).toEqual(after)
        const least = diffArrays(before, after)
          .filter(({ added, removed }) => added || removed)
          .reduce((sum, { count }) => sum + count, 0)
        expect(editsIn(pieces)).toBe(least)
        for (const [i, { of, items }] of pieces.entries()) {
          expect(items.length).toBeGreaterThan(0)
          const former = pieces[i - 1]?.of
          expect(former === of || (former === 'after' && of === 'before')).toBe(false)
        }
        expect(listDiff(before, after, least)).toEqual(pieces)
        if (least > 0) expect(listDiff(before, after, least - 1)).toBeUndefined()
      }),
    )
  })

  it('of long lists that have nothing in common takes no time that grows with more than their product', () => {
    const many = Array.from({ length: 2000 }, (_, i) => i)
    const pieces = listDiff(
      many,
      many.map((i) => -1 - i),
    )
    expect(pieces?.map(({ of, items }) => [of, items.length])).toEqual([
      ['before', 2000],
      ['after', 2000],
    ])
  })
})
