import type { Awaitable } from '../model/awaitable.ts'
import { inOrder, type Look } from './graph.ts'
import { every, type NodeTest, negated, some } from './nodetest.ts'
import { range } from './range.ts'
import {
  childrenOf,
  collectNodes,
  descendantsOf,
  forksOf,
  generationsOf,
  headsOf,
  parentsOf,
  rootsOf,
} from './relatives.ts'

/** A set of nodes, told by how it is made. */
export type Selector<N> =
  | { readonly op: 'all' | 'forks' }
  | { readonly op: 'nodes'; readonly nodes: Iterable<N> }
  | { readonly op: 'test'; readonly test: NodeTest<N> }
  /** All that some nodes reach, themselves included, without what others reach. */
  | { readonly op: 'reach'; readonly of: Selector<N>; readonly without?: Selector<N> }
  | { readonly op: 'generations' | 'newest' | 'oldest'; readonly of: Selector<N>; readonly count: number }
  | {
      readonly op: 'descendants' | 'parents' | 'children' | 'heads' | 'roots' | 'not'
      readonly of: Selector<N>
    }
  | { readonly op: 'and' | 'or'; readonly of: readonly Selector<N>[] }

/** The graph, and the part of it that is meant where a set names no nodes. */
export interface Universe<N> {
  readonly look: Look<N>
  /** Returns the nodes that reach all of the part, and those that reach what does not belong to it. Called only where it matters. */
  readonly ends: () => Awaitable<{ readonly tips: Iterable<N>; readonly hidden: Iterable<N> }>
  /** Returns how new each node is. Without it the highest node is the newest. */
  readonly newness?: () => Awaitable<(node: N) => number>
}

/**
 * Yields the nodes of a set, children before parents, else the newest first. Does only what it must for what is taken:
 * tests are asked in that order, and without `newness` a history is looked at only so far down.
 */
export async function* select<N>(selector: Selector<N>, universe: Universe<N>): AsyncGenerator<N> {
  const selection = new Selection(universe)
  yield* selection.stream(await selection.lot(selector))
}

/** Nodes that can be gathered, and gone through in order without that. */
interface Pool<N> {
  readonly nodes: () => Promise<ReadonlySet<N>>
  readonly inOrder: () => AsyncIterable<N>
}

/** A set on its way: those of a pool, or without one of all nodes whatever, for which the test holds. */
interface Lot<N> {
  readonly pool?: Pool<N>
  readonly test?: NodeTest<N>
}

type Ends<N> = readonly [tips: Iterable<N>, hidden: Iterable<N>]

class Selection<N> {
  readonly #universe: Universe<N>
  readonly #all: Pool<N>
  readonly #order: () => Promise<Order<N>>

  constructor(universe: Universe<N>) {
    this.#universe = universe
    this.#order = once(() => this.#makeOrder())
    this.#all = this.#reach(async () => {
      const { tips, hidden } = await universe.ends()
      return [tips, hidden]
    })
  }

  async *stream({ pool = this.#all, test }: Lot<N>): AsyncGenerator<N> {
    for await (const node of pool.inOrder()) if (!test || (await test.holds(node))) yield node
  }

  /** Calls itself: selectors lie in each other only as deep as brackets do. */
  async lot(selector: Selector<N>): Promise<Lot<N>> {
    const { look } = this.#universe
    const { op } = selector
    switch (op) {
      case 'all':
        return { pool: this.#all }
      case 'forks':
        return this.#these(await forksOf(await this.#all.nodes(), look))
      case 'nodes':
        return this.#these(new Set(selector.nodes))
      case 'test':
        return { test: selector.test }
      case 'reach': {
        const ends: Ends<N> = [
          await this.#gather(selector.of),
          selector.without ? await this.#gather(selector.without) : [],
        ]
        return { pool: this.#reach(() => Promise.resolve(ends)) }
      }
      case 'generations':
        return this.#these(await generationsOf(await this.#gather(selector.of), selector.count, look))
      case 'newest':
      case 'oldest':
        return this.#these(await this.#outermost(await this.lot(selector.of), op, selector.count))
      case 'descendants':
        return this.#these(
          await descendantsOf(await this.#gather(selector.of), await this.#all.nodes(), look),
        )
      case 'children':
        return this.#these(await childrenOf(await this.#gather(selector.of), await this.#all.nodes(), look))
      case 'parents':
        return this.#these(await parentsOf(await this.#gather(selector.of), look))
      case 'heads':
        return this.#these(await headsOf(await this.#gather(selector.of), look))
      case 'roots':
        return this.#these(await rootsOf(await this.#gather(selector.of), look))
      case 'not':
        return { test: negated(member(await this.lot(selector.of))) }
      case 'and':
        return this.#both(await Promise.all(selector.of.map((one) => this.lot(one))))
      case 'or':
        return this.#either(await Promise.all(selector.of.map((one) => this.lot(one))))
    }
  }

  #these(nodes: ReadonlySet<N>): Lot<N> {
    return { pool: this.#pool(() => Promise.resolve(nodes)) }
  }

  #pool(nodes: () => Promise<ReadonlySet<N>>): Pool<N> {
    const order = this.#order
    return {
      nodes,
      async *inOrder() {
        yield* await (await order())(await nodes())
      },
    }
  }

  #reach(ends: () => Promise<Ends<N>>): Pool<N> {
    const { look, newness } = this.#universe
    const down = async function* (): AsyncGenerator<N> {
      yield* range(...(await ends()), look)
    }
    const pool = this.#pool(once(() => collectNodes(down())))
    return newness ? pool : { ...pool, inOrder: down }
  }

  async #makeOrder(): Promise<Order<N>> {
    const { look, newness } = this.#universe
    const descending: Order<N> = async (nodes) => (await inOrder(nodes, look)).reverse()
    if (!newness) return descending
    const [all, newnessOf] = [await this.#all.nodes(), await newness()]
    const ranks = new Map<N, { readonly rank: number; readonly order: number }>()
    // A child counts for no older than its parents: so children come before parents.
    for (const node of await inOrder(all, look)) {
      const { order, parents } = await look(node)
      let rank = newnessOf(node)
      for (const parent of parents) rank = Math.max(rank, ranks.get(parent)?.rank ?? rank)
      ranks.set(node, { rank, order })
    }
    return (nodes) => {
      const placed: { readonly node: N; readonly rank: number; readonly order: number }[] = []
      for (const node of nodes) {
        const place = ranks.get(node)
        if (!place) return descending(nodes)
        placed.push({ node, ...place })
      }
      return placed.sort((a, b) => b.rank - a.rank || b.order - a.order).map(({ node }) => node)
    }
  }

  async #gather(selector: Selector<N>): Promise<ReadonlySet<N>> {
    const { pool = this.#all, test } = await this.lot(selector)
    const nodes = await pool.nodes()
    if (!test) return nodes
    const found = new Set<N>()
    for (const node of nodes) if (await test.holds(node)) found.add(node)
    return found
  }

  #both(lots: readonly Lot<N>[]): Lot<N> {
    const pools = lots.flatMap(({ pool }) => (pool ? [pool] : []))
    // What names its nodes has fewer than all, and may have others.
    const pool = pools.find((one) => one !== this.#all) ?? pools[0]
    const tests = lots.map((lot) => (lot.pool === pool && pool ? lot.test : member(lot)))
    const asked = tests.filter((test) => test !== undefined)
    return { ...(pool ? { pool } : {}), ...(asked.length > 0 ? { test: every(asked) } : {}) }
  }

  #either(lots: readonly Lot<N>[]): Lot<N> {
    if (lots.every(({ pool }) => !pool)) return { test: some(lots.map(member)) }
    const test = some(lots.map(({ pool = this.#all, ...lot }) => member({ pool, ...lot })))
    const nodes = once(async () => {
      const found = new Set<N>()
      for (const { pool = this.#all } of lots) for (const node of await pool.nodes()) found.add(node)
      return found
    })
    return { pool: this.#pool(nodes), ...(lots.some((lot) => lot.test) ? { test } : {}) }
  }

  async #outermost(
    { pool = this.#all, test }: Lot<N>,
    op: 'newest' | 'oldest',
    count: number,
  ): Promise<ReadonlySet<N>> {
    const found = new Set<N>()
    if (count === 0) return found
    const nodes = op === 'newest' ? pool.inOrder() : (await listed(pool.inOrder())).reverse()
    for await (const node of nodes)
      if (!test || (await test.holds(node))) {
        found.add(node)
        if (found.size === count) break
      }
    return found
  }
}

/** Puts nodes in order, the newest first. */
type Order<N> = (nodes: ReadonlySet<N>) => Awaitable<readonly N[]>

/** Gives the test whether a node is of a set. */
function member<N>({ pool, test = ALWAYS }: Lot<N>): NodeTest<N> {
  if (!pool) return test
  const within: NodeTest<N> = { cost: 0, holds: async (node) => (await pool.nodes()).has(node) }
  return every([within, test])
}

const ALWAYS: NodeTest<unknown> = { cost: 0, holds: () => true }

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

async function listed<N>(nodes: AsyncIterable<N>): Promise<N[]> {
  const found: N[] = []
  for await (const node of nodes) found.push(node)
  return found
}
