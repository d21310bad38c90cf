import type { GraphNode, Look } from './graph.ts'

/** Returns nodes sorted by their order, the lowest first: parents before children. */
export async function inOrder<N>(nodes: Iterable<N>, look: Look<N>): Promise<N[]> {
  const placed: (readonly [node: N, order: number])[] = []
  for (const node of nodes) {
    const found = look(node)
    placed.push([node, (found instanceof Promise ? await found : found).order])
  }
  return placed.sort(([, a], [, b]) => a - b).map(([node]) => node)
}

/** Returns nodes sorted by their depth, the deepest first; one node, where given, before all others. */
export async function deepestFirst<N>(nodes: Iterable<N>, first: N | undefined, look: Look<N>): Promise<N[]> {
  const placed: { readonly node: N; readonly depth: number; readonly order: number }[] = []
  for (const node of nodes) {
    const { depth, order } = await look(node)
    placed.push({ node, depth: node === first ? Number.POSITIVE_INFINITY : depth, order })
  }
  return placed.sort((a, b) => b.depth - a.depth || b.order - a.order).map(({ node }) => node)
}

interface Free<N> {
  readonly node: N
  readonly newness: number
  readonly order: number
}

/**
 * Sorts nodes with children before parents. Among nodes whose children are all sorted, the one with the highest `newness`
 * comes next; ties are broken by the nodes' own order.
 */
export async function sortByNewness<N>(
  nodes: ReadonlySet<N>,
  look: Look<N>,
  newness: (node: N) => number,
): Promise<N[]> {
  const children = new Map<N, number>()
  const inside = async (node: N): Promise<N[]> => (await look(node)).parents.filter((p) => nodes.has(p))
  for (const node of nodes)
    for (const parent of await inside(node)) children.set(parent, (children.get(parent) ?? 0) + 1)
  const free = new Heap<Free<N>>((a, b) => b.newness - a.newness || b.order - a.order)
  const push = async (node: N): Promise<void> =>
    free.push({ node, newness: newness(node), order: (await look(node)).order })
  for (const node of nodes) if (!children.has(node)) await push(node)
  const result: N[] = []
  for (let next = free.pop(); next !== undefined; next = free.pop()) {
    result.push(next.node)
    for (const parent of await inside(next.node)) {
      const left = (children.get(parent) as number) - 1
      children.set(parent, left)
      if (left === 0) await push(parent)
    }
  }
  return result
}

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
    const { parents, order, depth, jump, jumpDepth, merge } = found instanceof Promise ? await found : found
    this.#heap.push({ node, parents, order, depth, jump, jumpDepth, merge })
    return order
  }

  /** Removes and returns the highest node; undefined where none waits. */
  pop(): FrontierNode<N> | undefined {
    return this.#heap.pop()
  }
}

/** A priority queue: `pop` removes and returns the item that the comparison sorts first. */
export class Heap<T> {
  readonly #items: T[] = []
  readonly #compare: (a: T, b: T) => number

  constructor(compare: (a: T, b: T) => number) {
    this.#compare = compare
  }

  push(item: T): void {
    const items = this.#items
    let at = items.push(item) - 1
    while (at > 0) {
      const up = (at - 1) >> 1
      if (this.#compare(items[up] as T, item) <= 0) break
      items[at] = items[up] as T
      at = up
    }
    items[at] = item
  }

  pop(): T | undefined {
    const items = this.#items
    const first = items[0]
    const last = items.pop()
    if (items.length === 0 || last === undefined) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= items.length) break
      if (child + 1 < items.length && this.#compare(items[child + 1] as T, items[child] as T) < 0) child++
      if (this.#compare(items[child] as T, last) >= 0) break
      items[at] = items[child] as T
      at = child
    }
    items[at] = last
    return first
  }
}
