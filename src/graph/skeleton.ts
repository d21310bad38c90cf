import type { Look } from './graph.ts'
import { meeting } from './mergebase.ts'
import { ancestor } from './walk.ts'

/** A path along first parents from a root, or from the node after a fork point, to a tip. */
export interface Chain<N> {
  readonly tip: N
  /** Its oldest node. */
  readonly first: N
  /** The node that its oldest one continues; undefined where that is a root. */
  readonly from: N | undefined
  /** Its nodes that matter: its tip, its root, fork points, whatever else was marked on it. */
  readonly stops: Set<N>
}

/**
 * The tree that the paths of some nodes make, by the nodes that matter alone: those between them are never looked at. A node is added in logarithmic time in its depth, times the chains below each other on its path; these are
 * few where the deepest nodes are added first.
 */
export class Skeleton<N> {
  /** By their oldest nodes. */
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
