import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Look } from '../../src/graph/graph.ts'
import { type Chain, groupBranches, Skeleton, simplifyGraph } from '../../src/graph/tree.ts'
import { anyDag, anyForest, LONG, longPath, lookInto, nodesOf, type Parents } from '../support/dag.ts'

const pathOf = (parents: Parents, node: number): number[] => {
  const path = [node]
  for (let at = parents[node]?.[0]; at !== undefined; at = parents[at]?.[0]) path.push(at)
  return path
}

async function chainsOf(look: Look<number>, nodes: readonly number[]): Promise<Chain<number>[]> {
  const skeleton = new Skeleton(look)
  for (const node of nodes) expect((await skeleton.add(node)).stops.has(node)).toBe(true)
  return [...skeleton.chains]
}

describe('a skeleton', () => {
  it('marks roots, tips and fork points only', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyForest,
        fc.array(fc.nat(), { minLength: 1, maxLength: 12 }),
        async (parents, picks) => {
          const tips = [...new Set(picks.map((pick) => pick % parents.length))]
          const paths = tips.map((tip) => pathOf(parents, tip))
          const expected = new Set([...tips, ...paths.map((path) => path.at(-1) as number)])
          for (const a of paths)
            for (const b of paths) {
              const base = a.find((node) => b.includes(node))
              if (base !== undefined) expected.add(base)
            }
          const chains = await chainsOf(lookInto(nodesOf(parents)).look, tips)
          const stops = chains.flatMap((chain) => [...chain.stops])
          expect(stops.toSorted((a, b) => a - b)).toEqual([...expected].toSorted((a, b) => a - b))
        },
      ),
    )
  })

  it('splits paths into chains that each continue a marked node of another', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyForest,
        fc.array(fc.nat(), { minLength: 1, maxLength: 12 }),
        async (parents, picks) => {
          const tips = picks.map((pick) => pick % parents.length)
          const chains = await chainsOf(lookInto(nodesOf(parents)).look, tips)
          for (const { tip, first, from, stops } of chains) {
            const path = pathOf(parents, tip)
            const own = path.slice(0, path.indexOf(first) + 1)
            expect(path[own.length]).toBe(from)
            for (const stop of stops) expect(own).toContain(stop)
            if (from !== undefined) expect(chains.filter((other) => other.stops.has(from))).toHaveLength(1)
          }
        },
      ),
    )
  })

  it('reads a few nodes for each of many branches of a long path', async () => {
    const length = 100_000
    const nodes = [...longPath(length)]
    const sides: number[] = []
    for (let node = 0; node < length; node += 100) {
      sides.push(nodes.length)
      const { depth } = nodes[node] as { depth: number }
      nodes.push({
        parents: [node],
        depth: depth + 1,
        jump: node,
        jumpDepth: depth,
        order: sides.at(-1) as number,
        merge: undefined,
      })
    }
    // A jump's length depends on the depth alone: where the long path has this depth, its jump has it too.
    for (const side of sides) {
      const { depth, parents } = nodes[side] as { depth: number; parents: readonly number[] }
      if (depth >= length) continue
      nodes[side] = { ...(nodes[depth] as (typeof nodes)[number]), parents, depth, order: side }
    }
    const { look, looks } = lookInto(nodes)
    const chains = await chainsOf(look, [length - 1, ...sides])
    expect(chains).toHaveLength(1 + sides.length)
    expect(looks() / sides.length).toBeLessThan(400)
  })
})

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

const childrenOf = (parents: Parents): number[][] =>
  parents.map((_, node) => parents.flatMap((of, child) => (of.includes(node) ? [child] : [])))

function orderOf(parents: Parents): number[] {
  const children = childrenOf(parents)
  const roots = parents.flatMap((of, node) => (of.length === 0 ? [node] : []))
  return [...groupBranches(roots, (node) => children[node] ?? [])]
}

describe('groupBranches', () => {
  it('yields each node once, children before parents', () => {
    fc.assert(
      fc.property(anyDag, (parents) => {
        const order = orderOf(parents)
        expect(order.toSorted((a, b) => a - b)).toEqual(parents.map((_, node) => node))
        const place = new Map(order.map((node, i) => [node, i]))
        for (const [node, of] of parents.entries())
          for (const parent of of) expect(place.get(node)).toBeLessThan(place.get(parent) as number)
      }),
    )
  })

  it('keeps each branch together, the first child first', () => {
    fc.assert(
      fc.property(anyForest, (parents) => {
        const children = childrenOf(parents)
        const below = (node: number): number[] => [...(children[node] ?? []).flatMap(below), node]
        const roots = parents.flatMap((of, node) => (of.length === 0 ? [node] : []))
        expect(orderOf(parents)).toEqual(roots.flatMap(below))
      }),
    )
  })

  it('handles a very long path', () => {
    let count = 0
    for (const _ of groupBranches([0], (node) => (node < LONG - 1 ? [node + 1] : []))) count++
    expect(count).toBe(LONG)
  })
})
