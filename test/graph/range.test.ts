import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { range } from '../../src/graph/range.ts'
import { ancestries, anyDag, LONG, longPath, lookInto, nodesOf } from '../support/dag.ts'

async function list(nodes: AsyncIterable<number>): Promise<number[]> {
  const all: number[] = []
  for await (const node of nodes) all.push(node)
  return all
}

const anyEnds = fc.tuple(anyDag, fc.array(fc.nat(), { maxLength: 3 }), fc.array(fc.nat(), { maxLength: 3 }))

describe('range', () => {
  it('yields what the tips reach and the hidden do not, the highest first', async () => {
    await fc.assert(
      fc.asyncProperty(anyEnds, async ([parents, some, others]) => {
        const [tips, hidden] = [some, others].map((nodes) => nodes.map((n) => n % parents.length))
        const sets = ancestries(parents)
        const reach = (nodes: readonly number[]): Set<number> => new Set(nodes.flatMap((n) => [...sets[n]!]))
        const without = reach(hidden!)
        const expected = [...reach(tips!)].filter((n) => !without.has(n)).sort((a, b) => b - a)
        expect(await list(range(tips!, hidden!, lookInto(nodesOf(parents)).look))).toEqual(expected)
      }),
    )
  })

  it('follows only first parents of yielded nodes, all parents of hidden ones', async () => {
    const { look } = lookInto(nodesOf([[], [0], [0], [1, 2], [3]]))
    expect(await list(range([4], [], look, { firstParent: true }))).toEqual([4, 3, 1, 0])
    expect(await list(range([4], [2], look, { firstParent: true }))).toEqual([4, 3, 1])
  })

  it('reads no further than needed', async () => {
    const { look, looks } = lookInto(longPath(LONG))
    expect(await list(range([LONG - 1], [LONG - 10], look))).toHaveLength(9)
    for await (const node of range([LONG - 1], [], look)) if (node === LONG - 10) break
    expect(looks()).toBeLessThan(30)
  })

  it('accepts promises, and walks a very long path', async () => {
    const nodes = longPath(LONG)
    const few = await list(range([3], [], (node) => Promise.resolve(nodes[node]!)))
    expect(few).toEqual([3, 2, 1, 0])
    expect(await list(range([LONG - 1], [], (node) => nodes[node]!))).toHaveLength(LONG)
  })
})
