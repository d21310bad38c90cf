import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Ancestry } from '../../../src/formats/claude/ancestry.ts'

/** A forest: the parent of the entry at each place, chosen among those before it. */
const forest = fc
  .array(fc.double({ min: -0.2, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1, maxLength: 60 })
  .map((picks) => picks.map((pick, i) => (pick < 0 || i === 0 ? null : Math.floor(pick * i) + 0)))

function pathOf(parents: readonly (number | null)[], tip: number): number[] {
  const path: number[] = []
  for (let at: number | null = tip; at !== null; at = parents[at] ?? null) path.unshift(at)
  return path
}

describe('Ancestry', () => {
  it('tells what stands on a path, as a walk does', () => {
    fc.assert(
      fc.property(forest, (parents) => {
        const ancestry = new Ancestry()
        for (const [entry, parent] of parents.entries()) ancestry.add(entry, parent)
        for (const tip of parents.keys()) {
          const path = pathOf(parents, tip)
          const found = [...parents.keys()].filter((entry) => ancestry.isOnPath(entry, tip))
          expect(found).toEqual([...path].sort((a, b) => a - b))
          expect(ancestry.between(path[0] as number, tip)).toEqual(path)
        }
      }),
    )
  })

  it('takes a path of a million entries', () => {
    const ancestry = new Ancestry()
    for (let i = 0; i < 1_000_000; i++) ancestry.add(i, i === 0 ? null : i - 1)
    expect(ancestry.isOnPath(1, 999_999)).toBe(true)
    expect(ancestry.isOnPath(999_999, 1)).toBe(false)
    expect(ancestry.between(999_998, 999_999)).toEqual([999_998, 999_999])
  })
})
