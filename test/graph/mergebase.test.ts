import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeBase, mergeBases } from '../../src/graph/mergebase.ts'
import { runs } from '../support/amount.ts'
import {
  ancestries,
  anyDag,
  anyForest,
  LONG,
  longPath,
  lookInto,
  nodesOf,
  type Parents,
} from '../support/dag.ts'

/** The newest node that both reach: no other common ancestor descends from it, as parents are smaller. */
const bestOf = (sets: readonly Set<number>[], a: number, b: number): number | undefined =>
  [...sets[a]!].filter((node) => sets[b]!.has(node)).sort((x, y) => y - x)[0]

async function checkAll(parents: Parents): Promise<void> {
  const sets = ancestries(parents)
  const { look } = lookInto(nodesOf(parents))
  for (const a of parents.keys())
    for (const b of parents.keys()) expect(await mergeBase(a, b, look)).toBe(bestOf(sets, a, b))
}

describe('mergeBase', () => {
  it('is the best common ancestor in histories with merges', async () => {
    await fc.assert(fc.asyncProperty(anyDag, checkAll), { numRuns: runs(40) })
  })

  it('is the best common ancestor in histories without merges', async () => {
    await fc.assert(fc.asyncProperty(anyForest, checkAll), { numRuns: runs(40) })
  })

  it('is an ancestor of all other common ancestors in no history', async () => {
    await fc.assert(
      fc.asyncProperty(anyDag, fc.nat(), fc.nat(), async (parents, n, m) => {
        const [a, b] = [n % parents.length, m % parents.length]
        const sets = ancestries(parents)
        const base = await mergeBase(a, b, lookInto(nodesOf(parents)).look)
        const common = [...sets[a]!].filter((node) => sets[b]!.has(node))
        expect(common.filter((node) => node !== base && sets[node]!.has(base ?? -1))).toEqual([])
      }),
    )
  })

  it('is undefined for histories without a common ancestor', async () => {
    const { look } = lookInto(nodesOf([[], [0], [], [2], [1, 3]]))
    expect(await mergeBase(1, 3, look)).toBeUndefined()
    expect(await mergeBase(0, 2, look)).toBeUndefined()
    expect(await mergeBase(4, 3, look)).toBe(3)
  })

  it('reads a few nodes of two very long branches', async () => {
    const [half, base] = [LONG / 2, LONG * 0.3]
    const parents: number[][] = longPath(half).map(({ parents: of }) => [...of])
    for (let i = 0; i < LONG * 0.4; i++) parents.push([i === 0 ? base : parents.length - 1])
    const { look, looks } = lookInto(nodesOf(parents))
    expect(await mergeBase(half - 1, parents.length - 1, look)).toBe(base)
    expect(looks()).toBeLessThan(400)
  })

  it('walks a very long path where there is a merge', async () => {
    const parents: number[][] = longPath(LONG).map(({ parents: of }) => [...of])
    parents[2] = [1, 0]
    parents.push([LONG / 2])
    expect(await mergeBase(LONG - 1, LONG, lookInto(nodesOf(parents)).look)).toBe(LONG / 2)
  })
})

describe('mergeBases', () => {
  it('are the common ancestors that no other of them reaches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anyDag, anyForest), fc.nat(), fc.nat(), async (parents, n, m) => {
        const [a, b] = [n % parents.length, m % parents.length]
        const sets = ancestries(parents)
        const common = [...sets[a]!].filter((node) => sets[b]!.has(node))
        const best = common.filter(
          (node) => !common.some((other) => other !== node && sets[other]!.has(node)),
        )
        const found = await mergeBases(a, b, lookInto(nodesOf(parents)).look)
        expect(found).toEqual(best.sort((x, y) => y - x))
      }),
    )
  })

  it('are two in a criss-cross history', async () => {
    const { look } = lookInto(nodesOf([[], [0], [0], [1, 2], [2, 1]]))
    expect(await mergeBases(3, 4, look)).toEqual([2, 1])
  })
})
