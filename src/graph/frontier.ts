import type { GraphNode, Look } from './graph.ts'
import { Heap } from './heap.ts'

/** A node that waits, with its place in the graph. */
export interface FrontierNode<N> extends GraphNode<N> {
  readonly node: N
}

/** Nodes that wait to be passed, in descending order: all children of the one that `pop` returns were passed before it. */
export class Frontier<N> {
  readonly #look: Look<N>
  readonly #heap = new Heap<FrontierNode<N>>((a, b) => b.order - a.order)

  constructor(look: Look<N>) {
    this.#look = look
  }

  /** Adds a node and returns its order. To be called once for each. */
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
