import type { Look } from './graph.ts'
import { Heap } from './heap.ts'
import { NodeSet } from './nodeset.ts'

/**
 * Gives for each of some nodes the others that it reaches without passing one of them, the newest first: the graph with
 * all else left out. Looks at what lies between them once, and at nothing that is older than all of them.
 */
export async function simplified(
  nodes: readonly number[],
  look: Look,
): Promise<ReadonlyMap<number, readonly number[]>> {
  const shown = new NodeSet()
  let oldest = Number.POSITIVE_INFINITY
  for (const node of nodes) {
    shown.add(node)
    oldest = Math.min(oldest, node)
  }
  const edges = new Map<number, number[]>(nodes.map((node) => [node, []]))
  /** By node: those of `nodes` that reach it. One set is shared along a path. */
  const reached = new Map<number, ReadonlySet<number>>()
  const open = new Heap<number>((a, b) => b - a)
  const reach = (node: number, from: ReadonlySet<number>): void => {
    if (node < oldest) return
    const before = reached.get(node)
    if (!before) open.push(node)
    reached.set(node, before ? new Set([...before, ...from]) : from)
  }
  for (const node of edges.keys()) reach(node, new Set())
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const from = reached.get(node) as ReadonlySet<number>
    reached.delete(node)
    const isShown = shown.has(node)
    if (isShown) for (const above of from) edges.get(above)?.push(node)
    const on = isShown ? new Set([node]) : from
    for (const parent of (await look(node)).parents) reach(parent, on)
  }
  return edges
}
