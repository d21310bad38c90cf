import type { Look } from './graph.ts'
import { meeting } from './mergebase.ts'
import { ancestor } from './walk.ts'

/** A path along first parents from a root, or from the node after a fork point, to a tip. */
export interface Chain {
  readonly tip: number
  /** Its oldest node. */
  readonly first: number
  /** The node that its oldest one continues; undefined where that is a root. */
  readonly from: number | undefined
  /** Its nodes that matter: its tip, its root, fork points, whatever else was marked on it. */
  readonly stops: Set<number>
}

/**
 * The tree that the paths of some nodes make, told by the nodes that matter alone: what lies between them is never
 * looked at. A node is added in logarithmic time in its depth, times the chains below each other on its path; these are
 * few where the deepest nodes are added first.
 */
export class Skeleton {
  /** By their oldest nodes. */
  readonly #chains = new Map<number, Chain>()
  readonly #look: Look

  constructor(look: Look) {
    this.#look = look
  }

  get chains(): Iterable<Chain> {
    return this.#chains.values()
  }

  /** Marks a node and gives the chain that it lies on: a new one where it continues none. */
  async add(node: number): Promise<Chain> {
    for (let chain = await this.#rooted(node); ; ) {
      const at = await meeting(node, chain.tip, this.#look)
      if (at === undefined) throw new RangeError(`${node} does not share ${chain.first}`)
      chain.stops.add(at)
      if (at === node) return chain
      const steps = (await this.#look(node)).depth - (await this.#look(at)).depth
      const first = (await ancestor(node, steps - 1, this.#look)) as number
      chain = this.#chains.get(first) ?? this.#begin(first, at, node)
    }
  }

  /** Gives the chain that begins at a node's root. */
  async #rooted(node: number): Promise<Chain> {
    const root = (await ancestor(node, (await this.#look(node)).depth, this.#look)) as number
    return this.#chains.get(root) ?? this.#begin(root, undefined, node)
  }

  #begin(first: number, from: number | undefined, tip: number): Chain {
    const chain = { tip, first, from, stops: new Set(from === undefined ? [first, tip] : [tip]) }
    this.#chains.set(first, chain)
    return chain
  }
}
