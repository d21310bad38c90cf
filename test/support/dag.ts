import fc from 'fast-check'
import type { GraphNode, Look } from '../../src/graph/graph.ts'
import { ALL } from './amount.ts'

/** A graph by the parents of its nodes, each smaller than the node. */
export type Parents = readonly (readonly number[])[]

/** Random graphs: mostly paths, some forks, roots and merges. */
export const anyDag: fc.Arbitrary<Parents> = fc
  .array(fc.tuple(fc.nat(19), fc.nat(), fc.nat()), { minLength: 1, maxLength: 60 })
  .map((steps) =>
    steps.map(([kind, a, b], node) => {
      if (node === 0 || kind === 0) return []
      if (kind < 5) return [a % node]
      if (kind < 8) return [...new Set([node - 1, b % node])]
      return [node - 1]
    }),
  )

/** The same without merges. */
export const anyForest: fc.Arbitrary<Parents> = anyDag.map((parents) => parents.map((of) => of.slice(0, 1)))

/** Returns a graph's nodes with the jump pointers that storage computes for them. */
export function nodesOf(parents: Parents): GraphNode<number>[] {
  const nodes: GraphNode<number>[] = []
  for (const [node, of] of parents.entries()) {
    const parent = of[0] === undefined ? undefined : (nodes[of[0]] as GraphNode<number>)
    const merge = of.length > 1 ? node : parent?.merge
    const jump = jumpOf(nodes, node, of[0])
    nodes.push({
      parents: of,
      depth: parent ? parent.depth + 1 : 0,
      jump,
      jumpDepth: nodes[jump]?.depth ?? 0,
      order: node,
      merge,
    })
  }
  return nodes
}

function jumpOf(nodes: readonly GraphNode<number>[], node: number, parent: number | undefined): number {
  if (parent === undefined) return node
  const { depth, jump } = nodes[parent] as GraphNode<number>
  const far = nodes[jump] as GraphNode<number>
  const farther = nodes[far.jump] as GraphNode<number>
  return depth - far.depth === far.depth - farther.depth ? far.jump : parent
}

/** Provides access to nodes, and counts it. */
export function lookInto(nodes: readonly GraphNode<number>[]): { look: Look<number>; looks: () => number } {
  let count = 0
  return {
    look: (node) => {
      count++
      return nodes[node] as GraphNode<number>
    },
    looks: () => count,
  }
}

/** Returns by node the set of it and all its ancestors. */
export function ancestries(parents: Parents): Set<number>[] {
  const sets: Set<number>[] = []
  for (const [node, of] of parents.entries())
    sets.push(new Set([node, ...of.flatMap((parent) => [...(sets[parent] as Set<number>)])]))
  return sets
}

/**
 * The nodes of a very long path: a million with volume, else still many times what calls can nest, and so many that work
 * in the square of them would not end.
 */
export const LONG = ALL ? 1_000_000 : 100_000

/** Returns a path of many nodes, node 0 its root. */
export const longPath = (count: number): GraphNode<number>[] =>
  nodesOf(Array.from({ length: count }, (_, i) => (i === 0 ? [] : [i - 1])))
