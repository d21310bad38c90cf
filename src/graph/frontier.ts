import type { GraphNode, Look } from './graph.ts'
import { Heap } from './heap.ts'

/** A waiting node with its graph properties. */
export interface FrontierNode<N> extends GraphNode<N> {
  readonly node: N
}

/** Nodes waiting to be visited, in descending order: all children of the node that `pop` returns were visited before. */
export class Frontier<N> {
  readonly #look: Look<N>
  readonly #heap = new Heap<FrontierNode<N>>((a, b) => b.order - a.order)

  constructor(look: Look<N>) {
    this.#look = look
  }

  /** Adds a node and returns its order. Must be called once per node. */
  async push(node: N): Promise<number> {
    const found = this.#look(node)
    const { parents, order, depth, jump, merge } = found instanceof Promise ? await found : found
    this.#heap.push({ node, parents, order, depth, jump, merge })
    return order
  }

  /** Removes and returns the highest node; undefined where none waits. */
  pop(): FrontierNode<N> | undefined {
    return this.#heap.pop()
  }
}
