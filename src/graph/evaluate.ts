import type { Awaitable } from '../model/async.ts'
import type { Look } from './graph.ts'
import { inOrder } from './order.ts'
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

/** An expression for a set of nodes. */
export type Selector<N> =
  | { readonly op: 'all' | 'forks' }
  | { readonly op: 'nodes'; readonly nodes: Iterable<N> }
  | { readonly op: 'test'; readonly test: NodeTest<N> }
  /** The nodes that some nodes reach, including themselves, except those that others reach. */
  | { readonly op: 'reach'; readonly of: Selector<N>; readonly without?: Selector<N> }
  | { readonly op: 'generations' | 'newest' | 'oldest'; readonly of: Selector<N>; readonly count: number }
  | {
      readonly op: 'descendants' | 'parents' | 'children' | 'heads' | 'roots' | 'not'
      readonly of: Selector<N>
    }
  | { readonly op: 'and' | 'or'; readonly of: readonly Selector<N>[] }

/** The graph, and the part of it that `all` and negations refer to. */
export interface Universe<N> {
  readonly look: Look<N>
  /** Returns the tips of the part, and the nodes that are excluded from it with their ancestors. Called only if needed. */
  readonly ends: () => Awaitable<{ readonly tips: Iterable<N>; readonly hidden: Iterable<N> }>
  /** Returns how new each node is. Without it the node with the highest order is the newest. */
  readonly newness?: () => Awaitable<(node: N) => number>
}

/**
 * Yields the nodes of a set, children before parents and otherwise the newest first. Works lazily: tests run in the order
 * of the nodes, and without `newness` the graph is read only as far as nodes are consumed.
 */
export async function* select<N>(selector: Selector<N>, universe: Universe<N>): AsyncGenerator<N> {
  const selection = new Evaluation(universe)
  yield* selection.stream(await selection.subset(selector))
}

/** A set of nodes that can be collected, or iterated in order without collecting it. */
interface Pool<N> {
  readonly nodes: () => Promise<ReadonlySet<N>>
  readonly inOrder: () => AsyncIterable<N>
}

/** The nodes of a pool, or without a pool any node, for which the test holds. */
interface Subset<N> {
  readonly pool?: Pool<N>
  readonly test?: NodeTest<N>
}

type RangeEnds<N> = readonly [tips: Iterable<N>, hidden: Iterable<N>]

class Evaluation<N> {
  readonly #universe: Universe<N>
  readonly #all: Pool<N>
  readonly #order: () => Promise<NodeOrder<N>>

  constructor(universe: Universe<N>) {
    this.#universe = universe
    this.#order = once(() => this.#makeOrder())
    this.#all = this.#reach(async () => {
      const { tips, hidden } = await universe.ends()
      return [tips, hidden]
    })
  }

  async *stream({ pool = this.#all, test }: Subset<N>): AsyncGenerator<N> {
    for await (const node of pool.inOrder()) if (!test || (await test.holds(node))) yield node
  }

  /** Recursive: selectors are nested only as deep as the parentheses of an expression. */
  async subset(selector: Selector<N>): Promise<Subset<N>> {
    const { look } = this.#universe
    const { op } = selector
    switch (op) {
      case 'all':
        return { pool: this.#all }
      case 'forks':
        return this.#poolOf(await forksOf(await this.#all.nodes(), look))
      case 'nodes':
        return this.#poolOf(new Set(selector.nodes))
      case 'test':
        return { test: selector.test }
      case 'reach': {
        const ends: RangeEnds<N> = [
          await this.#collect(selector.of),
          selector.without ? await this.#collect(selector.without) : [],
        ]
        return { pool: this.#reach(() => Promise.resolve(ends)) }
      }
      case 'generations':
        return this.#poolOf(await generationsOf(await this.#collect(selector.of), selector.count, look))
      case 'newest':
      case 'oldest':
        return this.#poolOf(await this.#outermost(await this.subset(selector.of), op, selector.count))
      case 'descendants':
        return this.#poolOf(
          await descendantsOf(await this.#collect(selector.of), await this.#all.nodes(), look),
        )
      case 'children':
        return this.#poolOf(await childrenOf(await this.#collect(selector.of), await this.#all.nodes(), look))
      case 'parents':
        return this.#poolOf(await parentsOf(await this.#collect(selector.of), look))
      case 'heads':
        return this.#poolOf(await headsOf(await this.#collect(selector.of), look))
      case 'roots':
        return this.#poolOf(await rootsOf(await this.#collect(selector.of), look))
      case 'not':
        return { test: negated(member(await this.subset(selector.of))) }
      case 'and':
        return this.#both(await Promise.all(selector.of.map((one) => this.subset(one))))
      case 'or':
        return this.#either(await Promise.all(selector.of.map((one) => this.subset(one))))
    }
  }

  #poolOf(nodes: ReadonlySet<N>): Subset<N> {
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

  #reach(ends: () => Promise<RangeEnds<N>>): Pool<N> {
    const { look, newness } = this.#universe
    const down = async function* (): AsyncGenerator<N> {
      yield* range(...(await ends()), look)
    }
    const pool = this.#pool(once(() => collectNodes(down())))
    return newness ? pool : { ...pool, inOrder: down }
  }

  async #makeOrder(): Promise<NodeOrder<N>> {
    const { look, newness } = this.#universe
    const descending: NodeOrder<N> = async (nodes) => (await inOrder(nodes, look)).reverse()
    if (!newness) return descending
    const [all, newnessOf] = [await this.#all.nodes(), await newness()]
    const ranks = new Map<N, { readonly rank: number; readonly order: number }>()
    // A child gets at least the rank of its parents, so that children come before parents.
    for (const node of await inOrder(all, look)) {
      const { order, parents } = await look(node)
      let rank = newnessOf(node)
      for (const parent of parents) rank = Math.max(rank, ranks.get(parent)?.rank ?? rank)
      ranks.set(node, { rank, order })
    }
    return (nodes) => {
      const ranked: { readonly node: N; readonly rank: number; readonly order: number }[] = []
      for (const node of nodes) {
        const rank = ranks.get(node)
        if (!rank) return descending(nodes)
        ranked.push({ node, ...rank })
      }
      return ranked.sort((a, b) => b.rank - a.rank || b.order - a.order).map(({ node }) => node)
    }
  }

  async #collect(selector: Selector<N>): Promise<ReadonlySet<N>> {
    const { pool = this.#all, test } = await this.subset(selector)
    const nodes = await pool.nodes()
    if (!test) return nodes
    const found = new Set<N>()
    for (const node of nodes) if (await test.holds(node)) found.add(node)
    return found
  }

  #both(subsets: readonly Subset<N>[]): Subset<N> {
    const pools = subsets.flatMap(({ pool }) => (pool ? [pool] : []))
    // A pool of named nodes is smaller than the pool of all nodes, and may have nodes that are not in that one.
    const pool = pools.find((one) => one !== this.#all) ?? pools[0]
    const tests = subsets.map((subset) => (subset.pool === pool && pool ? subset.test : member(subset)))
    const remaining = tests.filter((test) => test !== undefined)
    return { ...(pool ? { pool } : {}), ...(remaining.length > 0 ? { test: every(remaining) } : {}) }
  }

  #either(subsets: readonly Subset<N>[]): Subset<N> {
    if (subsets.every(({ pool }) => !pool)) return { test: some(subsets.map(member)) }
    const test = some(subsets.map(({ pool = this.#all, ...subset }) => member({ pool, ...subset })))
    const nodes = once(async () => {
      const found = new Set<N>()
      for (const { pool = this.#all } of subsets) for (const node of await pool.nodes()) found.add(node)
      return found
    })
    return { pool: this.#pool(nodes), ...(subsets.some((subset) => subset.test) ? { test } : {}) }
  }

  async #outermost(
    { pool = this.#all, test }: Subset<N>,
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

/** Sorts nodes, the newest first. */
type NodeOrder<N> = (nodes: ReadonlySet<N>) => Awaitable<readonly N[]>

/** Returns the test whether a node belongs to a subset. */
function member<N>({ pool, test = ALWAYS }: Subset<N>): NodeTest<N> {
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

/** A predicate on nodes. A higher `cost` means a more expensive one; costs are only compared. */
export interface NodeTest<N> {
  readonly cost: number
  readonly holds: (node: N) => Awaitable<boolean>
}

/** Returns the negation of a test. */
const negated = <N>({ cost, holds }: NodeTest<N>): NodeTest<N> => ({
  cost,
  holds: async (node) => !(await holds(node)),
})

/** Returns the conjunction of tests. The cheapest run first. */
const every = <N>(tests: readonly NodeTest<N>[]): NodeTest<N> => combined(tests, true)

/** Returns the disjunction of tests. The cheapest run first. */
const some = <N>(tests: readonly NodeTest<N>[]): NodeTest<N> => combined(tests, false)

/** Runs tests until one returns something other than `expected`. */
function combined<N>(tests: readonly NodeTest<N>[], expected: boolean): NodeTest<N> {
  const sorted = [...tests].sort((a, b) => a.cost - b.cost)
  const [first, ...more] = sorted
  if (first && more.length === 0) return first
  return {
    cost: sorted.at(-1)?.cost ?? 0,
    holds: async (node) => {
      for (const { holds } of sorted) if ((await holds(node)) !== expected) return !expected
      return expected
    },
  }
}
