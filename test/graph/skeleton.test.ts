import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Look } from '../../src/graph/graph.ts'
import { type Chain, Skeleton } from '../../src/graph/tree.ts'
import { anyForest, longPath, lookInto, nodesOf, type Parents } from '../support/dag.ts'

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
