import type { GraphNode, Look } from './graph.ts'
import { Frontier } from './order.ts'
import { range } from './range.ts'
import { ancestor, isAncestor, path } from './walk.ts'

/**
 * Returns the best common ancestor of two nodes: the newest node that both reach, or undefined where there is none.
 * Logarithmic in the depth of histories without merges.
 */
export async function mergeBase<N>(a: N, b: N, look: Look<N>): Promise<N | undefined> {
  const [left, right] = [await look(a), await look(b)]
  if (hasMerges(left, right)) {
    for await (const base of painted(a, b, look)) return base
    return undefined
  }
  return firstParentBase(a, b, look)
}

/** Returns the newest node that all of some nodes reach, or undefined where there is none. */
export async function commonBase<N>(nodes: readonly N[], look: Look<N>): Promise<N | undefined> {
  let base = nodes[0]
  for (const node of nodes.slice(1)) {
    if (base === undefined) return undefined
    base = await mergeBase(base, node, look)
  }
  return base
}

/**
 * Returns the newest node that the paths of two nodes along first parents share, or undefined where they share none.
 * Logarithmic in their depth.
 */
export async function firstParentBase<N>(a: N, b: N, look: Look<N>): Promise<N | undefined> {
  const [left, right] = [await look(a), await look(b)]
  const depth = Math.min(left.depth, right.depth)
  let x = (await ancestor(a, left.depth - depth, look)) as N
  let y = (await ancestor(b, right.depth - depth, look)) as N
  while (x !== y) {
    const [nx, ny] = [await look(x), await look(y)]
    // Roots have the same depth: x is a root exactly if y is.
    if (nx.parents.length === 0) return undefined
    const next = nx.jump === ny.jump || ny.jump === y ? undefined : await jumpTargets(nx, ny, look)
    ;[x, y] = next ?? [nx.parents[0] as N, ny.parents[0] as N]
  }
  return x
}

/** Returns the nodes at which the jumps of two nodes of equal depth end; undefined where these are the same one. */
async function jumpTargets<N>(
  left: GraphNode<N>,
  right: GraphNode<N>,
  look: Look<N>,
): Promise<[N, N] | undefined> {
  const depth = right.jumpDepth
  // Below a graft jumps have other lengths: the left node then climbs as far as the right one jumps.
  if (left.jumpDepth === depth) return [left.jump, right.jump]
  const other = (await ancestor(left.parents[0] as N, left.depth - 1 - depth, look)) as N
  return other === right.jump ? undefined : [other, right.jump]
}

/** Returns all best common ancestors of two nodes: those that both reach and that no other of them reaches. */
export async function mergeBases<N>(a: N, b: N, look: Look<N>): Promise<N[]> {
  const [left, right] = [await look(a), await look(b)]
  const bases: N[] = []
  if (hasMerges(left, right)) for await (const base of painted(a, b, look)) bases.push(base)
  else bases.push(...[await mergeBase(a, b, look)].filter((base) => base !== undefined))
  return bases
}

const LEFT = 1
const RIGHT = 2
const BOTH = LEFT | RIGHT
/** Reached by a common ancestor that was yielded already. */
const STALE = 4

/**
 * Walks both histories from the newest node down, marks nodes by the sides that reach them, and yields those that both
 * sides reach.
 */
async function* painted<N>(a: N, b: N, look: Look<N>): AsyncGenerator<N> {
  const colour = new Map<N, number>()
  const open = new Frontier(look)
  let fresh = 0
  const paint = async (node: N, bits: number): Promise<void> => {
    const known = colour.get(node)
    if (known === undefined) await open.push(node)
    const now = (known ?? 0) | bits
    fresh += Number(now < STALE) - Number(known !== undefined && known < STALE)
    colour.set(node, now)
  }
  await paint(a, LEFT)
  await paint(b, RIGHT)
  for (let next = open.pop(); next !== undefined && fresh > 0; next = open.pop()) {
    const { node, parents } = next
    const bits = colour.get(node) as number
    colour.delete(node)
    if (bits < STALE) fresh--
    if (bits === BOTH) yield node
    const passed = bits >= BOTH ? BOTH | STALE : bits
    for (const parent of parents) await paint(parent, passed)
  }
}

const hasMerges = <N>(a: GraphNode<N>, b: GraphNode<N>): boolean =>
  a.merge !== undefined || b.merge !== undefined

/**
 * Returns the newest node on the path of a tip that another node reaches, or undefined where they share nothing. If the
 * histories merged each other and have several best common ancestors, it is the one on that path.
 */
export async function baseOnPath<N>(tip: N, other: N, look: Look<N>): Promise<N | undefined> {
  if (await isAncestor(tip, other, look)) return tip
  if ((await look(other)).merge === undefined) return firstParentBase(other, tip, look)
  let last: N | undefined = tip
  for await (const node of range([tip], [other], look, { firstParent: true }))
    last = (await look(node)).parents[0]
  return last
}

/** Returns the nodes on the path of a tip that another node does not reach, the oldest first; the whole path without one. */
export async function pathSince<N>(tip: N, other: N | undefined, look: Look<N>): Promise<N[]> {
  const end = other === undefined ? undefined : await baseOnPath(tip, other, look)
  const nodes: N[] = []
  for await (const node of path(tip, look)) {
    if (node === end) break
    nodes.push(node)
  }
  return nodes.reverse()
}
