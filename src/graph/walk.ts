import type { Awaitable } from '../model/async.ts'
import type { Look } from './graph.ts'

/** The number of nodes that are remembered. */
const MAX_REMEMBERED = 1 << 16

/**
 * Returns a look that remembers what `pick` takes of the nodes that it read: for walks that come by the same nodes again
 * and again, such as those along jumps.
 */
export function rememberingLook<N, T>(
  look: (node: N) => Awaitable<T>,
  pick: (found: T) => T,
): (node: N) => Awaitable<T> {
  const known = new Map<N, T>()
  const keep = (node: N, found: T): T => {
    if (known.size >= MAX_REMEMBERED) known.clear()
    const kept = pick(found)
    known.set(node, kept)
    return kept
  }
  return (node) => {
    const before = known.get(node)
    if (before) return before
    const found = look(node)
    return found instanceof Promise ? found.then((one) => keep(node, one)) : keep(node, found)
  }
}

/** Yields a node and its ancestors along first parents, children first. */
export async function* path<N>(tip: N, look: Look<N>): AsyncGenerator<N> {
  for (let node: N | undefined = tip; node !== undefined; ) {
    yield node
    const found = look(node)
    node = (found instanceof Promise ? await found : found).parents[0]
  }
}

/** Returns the ancestor of a node that is `steps` first parents before it, or undefined past the root. */
export async function ancestor<N>(node: N, steps: number, look: Look<N>): Promise<N | undefined> {
  const tip = look(node)
  let here = tip instanceof Promise ? await tip : tip
  const depth = here.depth - steps
  if (depth < 0) return undefined
  let at = node
  while (here.depth > depth) {
    at = here.jumpDepth < depth || here.jump === at ? (here.parents[0] as N) : here.jump
    const next = look(at)
    here = next instanceof Promise ? await next : next
  }
  return here.depth === depth ? at : undefined
}

/** Returns whether a node is `tip` or precedes it along first parents. */
export async function isOnPath<N>(node: N, tip: N, look: Look<N>): Promise<boolean> {
  const steps = (await look(tip)).depth - (await look(node)).depth
  return steps >= 0 && (await ancestor(tip, steps, look)) === node
}

/** Returns all nodes that tips reach, the tips included, except for those that excluded tips reach. */
export async function reachable<N>(
  tips: Iterable<N>,
  look: Look<N>,
  excluded: Iterable<N> = [],
): Promise<Set<N>> {
  const hidden = new Set<N>()
  await collect(excluded, look, hidden)
  const found = new Set<N>()
  await collect(tips, look, found, hidden)
  return found
}

/** A set of nodes that grows. */
export interface NodeSet<N> {
  has(node: N): boolean
  add(node: N): unknown
}

/** Adds to a set the nodes and all their ancestors, but not those in another set and the ones that only these reach. */
export async function collect<N>(
  tips: Iterable<N>,
  look: Look<N>,
  into: NodeSet<N>,
  except?: NodeSet<N>,
): Promise<void> {
  const open = [...tips]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (into.has(node) || except?.has(node)) continue
    into.add(node)
    const found = look(node)
    for (const parent of (found instanceof Promise ? await found : found).parents) open.push(parent)
  }
}

/** Returns whether `older` is `newer` or one of its ancestors. */
export async function isAncestor<N>(older: N, newer: N, look: Look<N>): Promise<boolean> {
  const [{ order, depth }, tip] = [await look(older), await look(newer)]
  if (order > tip.order) return false
  if (tip.merge === undefined)
    return depth <= tip.depth && (await ancestor(newer, tip.depth - depth, look)) === older
  const seen = new Set<N>()
  const open = [newer]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node === older) return true
    if (seen.has(node)) continue
    seen.add(node)
    const { order: here, parents } = await look(node)
    if (here > order) open.push(...parents)
  }
  return false
}
