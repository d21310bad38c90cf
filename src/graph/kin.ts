import type { Look } from './graph.ts'
import { NodeSet } from './nodeset.ts'
import { range } from './range.ts'

/** Gathers nodes as they come. */
export async function gathered(nodes: AsyncIterable<number>): Promise<NodeSet> {
  const found = new NodeSet()
  for await (const node of nodes) found.add(node)
  return found
}

/** Gives what some nodes continue directly. */
export async function parentsOf(nodes: Iterable<number>, look: Look): Promise<NodeSet> {
  const found = new NodeSet()
  for (const node of nodes) for (const parent of (await look(node)).parents) found.add(parent)
  return found
}

/** Gives some nodes and their ancestors: so many generations, the nodes' own the first. */
export async function generationsOf(nodes: NodeSet, count: number, look: Look): Promise<NodeSet> {
  const found = new NodeSet()
  let generation: Iterable<number> = nodes
  for (let left = count; left > 0; left--) {
    const next = new Set<number>()
    for (const node of generation)
      if (found.add(node)) for (const parent of (await look(node)).parents) next.add(parent)
    if (next.size === 0) break
    generation = next
  }
  return found
}

/** Gives those of all nodes that continue some nodes directly. */
export async function childrenOf(nodes: NodeSet, all: NodeSet, look: Look): Promise<NodeSet> {
  const found = new NodeSet()
  for (const node of all) if ((await look(node)).parents.some((parent) => nodes.has(parent))) found.add(node)
  return found
}

/** Gives some nodes and those of all nodes that continue them. */
export async function descendantsOf(nodes: NodeSet, all: NodeSet, look: Look): Promise<NodeSet> {
  // What lies between a node and one that continues it is among all where the node is.
  const between = isPart(nodes, all) ? all : await gathered(range(all, [], look))
  const below = new NodeSet(nodes)
  const found = new NodeSet(nodes)
  // Parents come before their children.
  for (const node of between)
    if ((await look(node)).parents.some((parent) => below.has(parent)) && below.add(node) && all.has(node))
      found.add(node)
  return found
}

function isPart(nodes: NodeSet, all: NodeSet): boolean {
  for (const node of nodes) if (!all.has(node)) return false
  return true
}

/** Gives those of some nodes that no other of them continues. */
export async function headsOf(nodes: NodeSet, look: Look): Promise<NodeSet> {
  const continued = await gathered(range(await parentsOf(nodes, look), [], look))
  const found = new NodeSet()
  for (const node of nodes) if (!continued.has(node)) found.add(node)
  return found
}

/** Gives those of some nodes that continue no other of them. */
export async function rootsOf(nodes: NodeSet, look: Look): Promise<NodeSet> {
  const found = new NodeSet()
  const below = new NodeSet()
  // Parents come before their children.
  for (const node of await gathered(range(nodes, [], look)))
    if ((await look(node)).parents.some((parent) => nodes.has(parent) || below.has(parent))) below.add(node)
    else if (nodes.has(node)) found.add(node)
  return found
}

/** Gives those of all nodes that several others of them continue directly. */
export async function forksOf(all: NodeSet, look: Look): Promise<NodeSet> {
  const found = new NodeSet()
  const continued = new NodeSet()
  for (const node of all)
    for (const parent of new Set((await look(node)).parents))
      if (all.has(parent) && !continued.add(parent)) found.add(parent)
  return found
}
