import type { Awaitable } from '../model/awaitable.ts'

/**
 * What graph code knows of a node. Nodes are numbers, and a node's parents are smaller than the node: descending
 * order is an order with children before parents.
 */
export interface GraphNode {
  readonly parents: readonly number[]
  /** How many nodes precede it along first parents. */
  readonly depth: number
  /**
   * An ancestor along first parents, the node itself at a root and at what a graft joins. Unless a graft is on either
   * path its depth is a function of the node's depth alone, so that two nodes of equal depth jump equally far.
   */
  readonly jump: number
  /** Whether any node up to and including it has several parents. */
  readonly merged: boolean
}

/** Gives a node's place in the graph, at once where it is at hand. */
export type Look = (node: number) => Awaitable<GraphNode>
