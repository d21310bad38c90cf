import type { Look } from './graph.ts'
import { inOrder } from './order.ts'
import { range } from './range.ts'

/** Collects nodes into a set. */
export async function collectNodes<N>(nodes: AsyncIterable<N>): Promise<Set<N>> {
  const found = new Set<N>()
  for await (const node of nodes) found.add(node)
  return found
}

/** Returns the parents of some nodes. */
export async function parentsOf<N>(nodes: Iterable<N>, look: Look<N>): Promise<Set<N>> {
  const found = new Set<N>()
  for (const node of nodes) for (const parent of (await look(node)).parents) found.add(parent)
  return found
}

/** Returns some nodes and their ancestors up to a number of generations; the nodes themselves are the first one. */
export async function generationsOf<N>(nodes: Iterable<N>, count: number, look: Look<N>): Promise<Set<N>> {
  const found = new Set<N>()
  let generation = nodes
  for (let left = count; left > 0; left--) {
    const next = new Set<N>()
    for (const node of generation) {
      if (found.has(node)) continue
      found.add(node)
      for (const parent of (await look(node)).parents) next.add(parent)
    }
    if (next.size === 0) break
    generation = next
  }
  return found
}

/** Returns those of all nodes that have a parent among some nodes. */
export async function childrenOf<N>(
  nodes: ReadonlySet<N>,
  all: ReadonlySet<N>,
  look: Look<N>,
): Promise<Set<N>> {
  const found = new Set<N>()
  for (const node of all) if ((await look(node)).parents.some((parent) => nodes.has(parent))) found.add(node)
  return found
}

/** Returns some nodes and those of all nodes that descend from them. */
export async function descendantsOf<N>(
  nodes: ReadonlySet<N>,
  all: ReadonlySet<N>,
  look: Look<N>,
): Promise<Set<N>> {
  // If the nodes belong to `all`, then so do the nodes between them and their descendants.
  const between = isPart(nodes, all) ? all : await collectNodes(range(all, [], look))
  const below = new Set(nodes)
  const found = new Set(nodes)
  for (const node of await inOrder(between, look))
    if ((await look(node)).parents.some((parent) => below.has(parent))) {
      below.add(node)
      if (all.has(node)) found.add(node)
    }
  return found
}

function isPart<N>(nodes: ReadonlySet<N>, all: ReadonlySet<N>): boolean {
  for (const node of nodes) if (!all.has(node)) return false
  return true
}

/** Returns those of some nodes that are no ancestor of another of them. */
export async function headsOf<N>(nodes: ReadonlySet<N>, look: Look<N>): Promise<Set<N>> {
  const continued = await collectNodes(range(await parentsOf(nodes, look), [], look))
  const found = new Set<N>()
  for (const node of nodes) if (!continued.has(node)) found.add(node)
  return found
}

/** Returns those of some nodes that descend from no other of them. */
export async function rootsOf<N>(nodes: ReadonlySet<N>, look: Look<N>): Promise<Set<N>> {
  const found = new Set<N>()
  const below = new Set<N>()
  for (const node of await inOrder(await collectNodes(range(nodes, [], look)), look))
    if ((await look(node)).parents.some((parent) => nodes.has(parent) || below.has(parent))) below.add(node)
    else if (nodes.has(node)) found.add(node)
  return found
}

/** Returns those of all nodes that are the parent of several others of them. */
export async function forksOf<N>(all: ReadonlySet<N>, look: Look<N>): Promise<Set<N>> {
  const found = new Set<N>()
  const continued = new Set<N>()
  for (const node of all)
    for (const parent of new Set((await look(node)).parents)) {
      if (!all.has(parent)) continue
      if (continued.has(parent)) found.add(parent)
      continued.add(parent)
    }
  return found
}
