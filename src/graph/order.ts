import type { Awaitable } from '../model/async.ts'
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

/** A node with the properties that it is sorted by. */
export interface Placed<N> {
  readonly node: N
  readonly depth: number
  readonly order: number
}

/** Returns nodes sorted by their depth, the deepest first; one node, where given, before all others. */
export async function deepestFirst<N>(nodes: Iterable<N>, first: N | undefined, look: Look<N>): Promise<N[]> {
  const placed: Placed<N>[] = []
  for (const node of nodes) {
    const { depth, order } = await look(node)
    placed.push({ node, depth, order })
  }
  return byDepth(placed, first)
}

/** Returns nodes as `deepestFirst` does. Sorts the list that it is given. */
export function byDepth<N>(placed: Placed<N>[], first: N | undefined): N[] {
  placed.sort((a, b) => b.depth - a.depth || b.order - a.order)
  const nodes = placed.map(({ node }) => node)
  const at = first === undefined ? -1 : nodes.indexOf(first)
  return at < 0 ? nodes : [first as N, ...nodes.slice(0, at), ...nodes.slice(at + 1)]
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
  newness: (node: N) => Awaitable<number>,
): Promise<N[]> {
  const children = new Map<N, number>()
  const inside = async (node: N): Promise<N[]> => (await look(node)).parents.filter((p) => nodes.has(p))
  for (const node of nodes)
    for (const parent of await inside(node)) children.set(parent, (children.get(parent) ?? 0) + 1)
  const free = new Heap<Free<N>>((a, b) => b.newness - a.newness || b.order - a.order)
  const push = async (node: N): Promise<void> =>
    free.push({ node, newness: await newness(node), order: (await look(node)).order })
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

/** How new a node is, and a limit of that which is found with less work. */
export interface Newness<N> {
  readonly atMost: (node: N) => Awaitable<number>
  readonly of: (node: N) => Awaitable<number>
}

interface Waiting<N> extends Free<N> {
  readonly isExact: boolean
}

/**
 * Yields what tips reach in the order of `sortByNewness`. Looks only at what is yielded, at what parts from it, and at the
 * tips.
 */
export async function* newestFirst<N>(
  tips: Iterable<N>,
  look: Look<N>,
  newness: Newness<N>,
): AsyncGenerator<N> {
  const free = new Heap<Waiting<N>>(
    (a, b) => b.newness - a.newness || Number(a.isExact) - Number(b.isExact) || b.order - a.order,
  )
  const open = new Frontier(look)
  /** The number of known children of a node that were not yielded. */
  const children = new Map<N, number>()
  const met = new Set<N>()
  const yielded = new Set<N>()
  const meet = async (node: N): Promise<void> => {
    if (met.has(node)) return
    met.add(node)
    await open.push(node)
  }
  const wait = async (node: N): Promise<void> =>
    free.push({
      node,
      newness: await newness.atMost(node),
      order: (await look(node)).order,
      isExact: false,
    })
  for (const tip of new Set(tips)) {
    await meet(tip)
    await wait(tip)
  }
  let next = open.pop()
  /** Counts the children among all nodes from an order on, so that those of the nodes there are known. */
  const countDownTo = async (order: number): Promise<void> => {
    while (next && next.order >= order) {
      for (const parent of new Set(next.parents)) {
        children.set(parent, (children.get(parent) ?? 0) + 1)
        await meet(parent)
      }
      next = open.pop()
    }
  }
  for (let first = free.pop(); first !== undefined; first = free.pop()) {
    const { node, order, isExact } = first
    // It waits again once all of its children were yielded.
    if (yielded.has(node) || (children.get(node) ?? 0) > 0) continue
    // Counting may go far down: an old entry that a new branch parts from is to come after all that is newer.
    if (!isExact) {
      free.push({ node, order, newness: await newness.of(node), isExact: true })
      continue
    }
    await countDownTo(order)
    if ((children.get(node) ?? 0) > 0) continue
    yielded.add(node)
    children.delete(node)
    yield node
    for (const parent of new Set((await look(node)).parents)) {
      const left = (children.get(parent) as number) - 1
      children.set(parent, left)
      if (left === 0) await wait(parent)
    }
  }
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
