import type { Awaitable } from '../model/async.ts'

/** The properties of a node that graph code uses. `N` is the type of node handles: compared with `===`, used as keys of a Map. */
export interface GraphNode<N> {
  readonly parents: readonly N[]
  /** Larger than the order of each ancestor: descending order has children before parents. */
  readonly order: number
  /** The number of its ancestors along first parents. */
  readonly depth: number
  /**
   * An ancestor along first parents, the node itself at a root and at the root of a graft. Unless a graft is on either
   * path its depth is a function of the node's depth alone, so that two nodes of equal depth jump equally far.
   */
  readonly jump: N
  /** The depth of that ancestor, so that it need not be read only to learn that it is too far. */
  readonly jumpDepth: number
  /** The nearest node with several parents, itself or along first parents. */
  readonly merge: N | undefined
}

/** Returns the graph properties of a node, synchronously if they are cached. */
export type Look<N> = (node: N) => Awaitable<GraphNode<N>>
