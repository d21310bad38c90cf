import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ancestor, isAncestor, path, reachable } from '../../src/graph/walk.ts'
import { runs } from '../support/amount.ts'
import { ancestries, anyDag, LONG, longPath, lookInto, nodesOf, type Parents } from '../support/dag.ts'

async function list(nodes: AsyncIterable<number>): Promise<number[]> {
  const all: number[] = []
  for await (const node of nodes) all.push(node)
  return all
}

function firstParents(parents: Parents, tip: number): number[] {
  const nodes: number[] = []
  for (let node: number | undefined = tip; node !== undefined; node = parents[node]?.[0]) nodes.push(node)
  return nodes
}

const sorted = (nodes: Iterable<number>): number[] => [...nodes].sort((a, b) => a - b)

const anyTip = fc.tuple(anyDag, fc.nat(), fc.nat(), fc.nat())

describe('path', () => {
  it('follows first parents from the tip to the root', async () => {
    await fc.assert(
      fc.asyncProperty(anyTip, async ([parents, n]) => {
        const tip = n % parents.length
        expect(await list(path(tip, lookInto(nodesOf(parents)).look))).toEqual(firstParents(parents, tip))
      }),
    )
  })

  it('accepts promises', async () => {
    const nodes = nodesOf([[], [0], [1]])
    expect(await list(path(2, (node) => Promise.resolve(nodes[node]!)))).toEqual([2, 1, 0])
  })

  it('walks a very long path', async () => {
    const { look } = lookInto(longPath(LONG))
    let count = 0
    for await (const node of path(LONG - 1, look)) {
      if (node !== LONG - 1 - count) throw new Error(`${node} stands at ${count}`)
      count++
    }
    expect(count).toBe(LONG)
  })
})

describe('ancestor', () => {
  it('is the node a number of steps up the path', async () => {
    await fc.assert(
      fc.asyncProperty(anyTip, async ([parents, n]) => {
        const tip = n % parents.length
        const way = firstParents(parents, tip)
        const { look } = lookInto(nodesOf(parents))
        for (let steps = 0; steps <= way.length + 1; steps++)
          expect(await ancestor(tip, steps, look)).toBe(way[steps])
      }),
    )
  })

  it('finds any of a very long path with a few reads', async () => {
    const nodes = longPath(LONG)
    for (const steps of [
      1,
      2,
      1000,
      LONG / 2 - 1,
      2 ** Math.floor(Math.log2(LONG)) - 1,
      LONG - 2,
      LONG - 1,
    ]) {
      const { look, looks } = lookInto(nodes)
      expect(await ancestor(LONG - 1, steps, look)).toBe(LONG - 1 - steps)
      expect(looks()).toBeLessThan(80)
    }
    expect(await ancestor(LONG - 1, LONG, lookInto(nodes).look)).toBeUndefined()
  })

  it('reads nothing that is before the ancestor', async () => {
    const { look } = lookInto(longPath(10_000))
    for (let steps = 0; steps < 10_000; steps += 37) {
      const goal = 9999 - steps
      const lookNoFarther: typeof look = (node) => {
        expect(node).toBeGreaterThanOrEqual(goal)
        return look(node)
      }
      expect(await ancestor(9999, steps, lookNoFarther)).toBe(goal)
    }
  })
})

describe('reachable', () => {
  it('is everything that tips reach and excluded tips do not', async () => {
    await fc.assert(
      fc.asyncProperty(anyTip, async ([parents, a, b, c]) => {
        const sets = ancestries(parents)
        const [x, y, z] = [a % parents.length, b % parents.length, c % parents.length]
        const { look } = lookInto(nodesOf(parents))
        const both = new Set([...sets[x]!, ...sets[y]!])
        expect(sorted(await reachable([x, y], look))).toEqual(sorted(both))
        expect(sorted(await reachable([x, y], look, [z]))).toEqual(
          sorted(both).filter((node) => !sets[z]!.has(node)),
        )
      }),
    )
  })

  it('reads each node once, however many paths lead to it', async () => {
    const parents = Array.from({ length: 2000 }, (_, i) => (i < 2 ? [] : [i - 1, i - 2]))
    const { look, looks } = lookInto(nodesOf(parents))
    expect((await reachable([1999], look)).size).toBe(2000)
    expect(looks()).toBe(2000)
  })

  it('reaches all of a very long path', async () => {
    const { look } = lookInto(longPath(LONG))
    expect((await reachable([LONG - 1], look, [9])).size).toBe(LONG - 10)
  })
})

describe('isAncestor', () => {
  it('agrees with the sets of ancestors', async () => {
    await fc.assert(
      fc.asyncProperty(anyDag, async (parents) => {
        const sets = ancestries(parents)
        const { look } = lookInto(nodesOf(parents))
        for (const [newer, set] of sets.entries())
          for (const older of parents.keys())
            expect(await isAncestor(older, newer, look)).toBe(set.has(older))
      }),
      { numRuns: runs(30) },
    )
  })

  it('jumps where there are no merges', async () => {
    const { look, looks } = lookInto(longPath(LONG))
    expect(await isAncestor(3, LONG - 1, look)).toBe(true)
    expect(await isAncestor(LONG - 1, 3, look)).toBe(false)
    expect(looks()).toBeLessThan(80)
  })
})
