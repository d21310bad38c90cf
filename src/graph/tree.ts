import type { Look } from './graph.ts'
import { firstParentBase } from './mergebase.ts'
import { Frontier } from './order.ts'
import { ancestor } from './walk.ts'

/** A path along first parents to a tip, from a root or from the node after a fork point. */
export interface Chain<N> {
  readonly tip: N
  /** The oldest node. */
  readonly first: N
  /** The parent of the oldest node, or undefined where that is a root. */
  readonly from: N | undefined
  /** The marked nodes: the tip, the root, fork points and nodes that were added. */
  readonly stops: Set<N>
}

/**
 * The tree of the paths of some nodes, reduced to marked nodes: those between them are not read. Adding a node takes time
 * logarithmic in its depth, times the number of chains on its path, which is small if the deepest nodes are added first.
 */
export class Skeleton<N> {
  /** The chains, by their oldest nodes. */
  readonly #chains = new Map<N, Chain<N>>()
  /** The chains that begin at a root. */
  readonly #roots: Chain<N>[] = []
  readonly #look: Look<N>

  constructor(look: Look<N>) {
    this.#look = look
  }

  get chains(): Iterable<Chain<N>> {
    return this.#chains.values()
  }

  /** Marks a node and returns its chain: a new one where it continues none. */
  async add(node: N): Promise<Chain<N>> {
    // Most trees have one root: then it need not be looked for.
    const only = this.#roots.length === 1 ? this.#roots[0] : undefined
    for (let chain = only ?? (await this.#rooted(node)); ; ) {
      const at = await firstParentBase(node, chain.tip, this.#look)
      if (at === undefined) {
        if (chain !== only) throw new RangeError('the node does not share the root of its chain')
        chain = await this.#rooted(node)
        continue
      }
      chain.stops.add(at)
      if (at === node) return chain
      const steps = (await this.#look(node)).depth - (await this.#look(at)).depth
      const first = (await ancestor(node, steps - 1, this.#look)) as N
      chain = this.#chains.get(first) ?? this.#begin(first, at, node)
    }
  }

  /** Returns the chain that begins at a node's root. */
  async #rooted(node: N): Promise<Chain<N>> {
    const root = (await ancestor(node, (await this.#look(node)).depth, this.#look)) as N
    return this.#chains.get(root) ?? this.#begin(root, undefined, node)
  }

  #begin(first: N, from: N | undefined, tip: N): Chain<N> {
    const chain = { tip, first, from, stops: new Set(from === undefined ? [first, tip] : [tip]) }
    this.#chains.set(first, chain)
    if (from === undefined) this.#roots.push(chain)
    return chain
  }
}

/**
 * Yields nodes with children before parents, each branch in one block right before the node where it forks: the subtree of
 * the first child, then that of the next one, then the node. Begins with the first root. `children` returns the children
 * of a node, the one that continues its path first.
 */
export function* groupBranches<N>(roots: Iterable<N>, children: (node: N) => readonly N[]): Generator<N> {
  const met = new Set<N>()
  for (const root of roots) {
    const open = [{ node: root, next: 0 }]
    met.add(root)
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const child = children(top.node)[top.next++]
      if (child === undefined) {
        yield top.node
        open.pop()
      } else if (!met.has(child)) {
        met.add(child)
        open.push({ node: child, next: 0 })
      }
    }
  }
}

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
