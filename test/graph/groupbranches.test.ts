import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupBranches } from '../../src/graph/tree.ts'
import { anyDag, anyForest, type Parents } from '../support/dag.ts'

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

  it('handles a path of a million', () => {
    let count = 0
    for (const _ of groupBranches([0], (node) => (node < 999_999 ? [node + 1] : []))) count++
    expect(count).toBe(1_000_000)
  })
})
