import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simplifyGraph } from '../../src/graph/tree.ts'
import { anyDag, lookInto, nodesOf, type Parents } from '../support/dag.ts'

/** Follows every path from a node up to the first that is shown. */
function reached(parents: Parents, node: number, shown: ReadonlySet<number>): number[] {
  const found = new Set<number>()
  const open = [...(parents[node] ?? [])]
  for (let at = open.pop(); at !== undefined; at = open.pop())
    if (shown.has(at)) found.add(at)
    else open.push(...(parents[at] ?? []))
  return [...found].toSorted((a, b) => b - a)
}

const someOf = (parents: Parents, picks: readonly number[]): number[] =>
  [...new Set(picks.map((pick) => pick % parents.length))].toSorted((a, b) => b - a)

describe('simplifyGraph', () => {
  it('connects nodes across those that are left out', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyDag,
        fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
        async (parents, picks) => {
          const nodes = someOf(parents, picks)
          const found = await simplifyGraph(nodes, lookInto(nodesOf(parents)).look)
          const expected = nodes.map((node) => [node, reached(parents, node, new Set(nodes))])
          expect([...found]).toEqual(expected)
        },
      ),
    )
  })

  it('reads each node at most once, and none older than the parents of the oldest', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyDag,
        fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
        async (parents, picks) => {
          const nodes = someOf(parents, picks)
          const { look } = lookInto(nodesOf(parents))
          const looked: number[] = []
          await simplifyGraph(nodes, (node) => {
            looked.push(node)
            return look(node)
          })
          const oldest = nodes.at(-1) as number
          const between = looked.filter((node) => node >= oldest)
          const next = new Set(between.flatMap((node) => parents[node] as readonly number[]))
          expect(new Set(looked).size).toBe(looked.length)
          expect(looked.filter((node) => node < oldest && !next.has(node))).toEqual([])
        },
      ),
    )
  })
})
