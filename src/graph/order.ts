import type { Look } from './graph.ts'
import { Heap } from './heap.ts'

interface Free<N> {
  readonly node: N
  readonly newness: number
  readonly order: number
}

/**
 * Sorts nodes with children before parents. Among nodes whose children are all sorted, the one with the highest `newness`
 * comes next; ties are broken by the nodes' own order.
 */
export async function sortByNewness<N>(
  nodes: ReadonlySet<N>,
  look: Look<N>,
  newness: (node: N) => number,
): Promise<N[]> {
  const children = new Map<N, number>()
  const inside = async (node: N): Promise<N[]> => (await look(node)).parents.filter((p) => nodes.has(p))
  for (const node of nodes)
    for (const parent of await inside(node)) children.set(parent, (children.get(parent) ?? 0) + 1)
  const free = new Heap<Free<N>>((a, b) => b.newness - a.newness || b.order - a.order)
  const push = async (node: N): Promise<void> =>
    free.push({ node, newness: newness(node), order: (await look(node)).order })
  for (const node of nodes) if (!children.has(node)) await push(node)
  const result: N[] = []
  for (let next = free.pop(); next !== undefined; next = free.pop()) {
    result.push(next.node)
    for (const parent of await inside(next.node)) {
      const left = (children.get(parent) as number) - 1
      children.set(parent, left)
      if (left === 0) await push(parent)
    }
  }
  return result
}
