import type { Look } from './graph.ts'
import { meeting } from './mergebase.ts'
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
  readonly #look: Look<N>

  constructor(look: Look<N>) {
    this.#look = look
  }

  get chains(): Iterable<Chain<N>> {
    return this.#chains.values()
  }

  /** Marks a node and returns its chain: a new one where it continues none. */
  async add(node: N): Promise<Chain<N>> {
    for (let chain = await this.#rooted(node); ; ) {
      const at = await meeting(node, chain.tip, this.#look)
      if (at === undefined) throw new RangeError('the node does not share the root of its chain')
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
    return chain
  }
}
