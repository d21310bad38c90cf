import { Frontier } from './frontier.ts'
import type { Look } from './graph.ts'

/**
 * Returns for each of some nodes the others that it reaches without passing one of them, the newest first: the graph
 * without all other nodes. Looks once at each of them, at the nodes between them and at the parents of these.
 */
export async function simplifyGraph<N>(
  nodes: readonly N[],
  look: Look<N>,
): Promise<ReadonlyMap<N, readonly N[]>> {
  const shown = new Set(nodes)
  const edges = new Map<N, N[]>(nodes.map((node) => [node, []]))
  /** By node: those of `nodes` that reach it. One set is shared along a path. */
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
