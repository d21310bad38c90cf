import { Frontier } from './frontier.ts'
import type { Look } from './graph.ts'

/**
 * Returns the graph of some nodes without all others: for each node, those that it reaches without passing another one,
 * the newest first. Reads each of the nodes, the nodes between them and the parents of these once.
 */
export async function simplifyGraph<N>(
  nodes: readonly N[],
  look: Look<N>,
): Promise<ReadonlyMap<N, readonly N[]>> {
  const shown = new Set(nodes)
  const edges = new Map<N, N[]>(nodes.map((node) => [node, []]))
  /** The nodes that reach a node directly. One set is shared along a path. */
  const reached = new Map<N, ReadonlySet<N>>()
  const open = new Frontier(look)
  const reach = async (node: N, from: ReadonlySet<N>): Promise<void> => {
    const before = reached.get(node)
    if (!before) await open.push(node)
    reached.set(node, before ? new Set([...before, ...from]) : from)
  }
  let oldest = Number.POSITIVE_INFINITY
  for (const node of shown) {
    reached.set(node, new Set())
    oldest = Math.min(oldest, await open.push(node))
  }
  for (let next = open.pop(); next !== undefined && next.order >= oldest; next = open.pop()) {
    const { node, parents } = next
    const from = reached.get(node) as ReadonlySet<N>
    reached.delete(node)
    const isShown = shown.has(node)
    if (isShown) for (const above of from) edges.get(above)?.push(node)
    const on = isShown ? new Set([node]) : from
    for (const parent of parents) await reach(parent, on)
  }
  return edges
}
