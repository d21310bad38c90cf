import type { Awaitable } from '../model/awaitable.ts'
import type { Look } from './graph.ts'
import {
  childrenOf,
  descendantsOf,
  forksOf,
  gathered,
  generationsOf,
  headsOf,
  parentsOf,
  rootsOf,
} from './kin.ts'
import { NodeSet } from './nodeset.ts'
import { range } from './range.ts'
import { every, negated, some, type Test } from './test.ts'

/** A set of nodes, told by how it is made. */
export type Selector =
  | { readonly op: 'all' | 'forks' }
  | { readonly op: 'nodes'; readonly nodes: Iterable<number> }
  | { readonly op: 'test'; readonly test: Test }
  /** All that some nodes reach, themselves included, without what others reach. */
  | { readonly op: 'reach'; readonly of: Selector; readonly without?: Selector }
  | { readonly op: 'generations' | 'newest' | 'oldest'; readonly of: Selector; readonly count: number }
  | { readonly op: 'descendants' | 'parents' | 'children' | 'heads' | 'roots' | 'not'; readonly of: Selector }
  | { readonly op: 'and' | 'or'; readonly of: readonly Selector[] }

/** The graph, and the part of it that is meant where a set names no nodes. */
export interface Universe {
  readonly look: Look
  /** Gives what reaches all of the part, and what reaches what does not belong to it. Asked only where it matters. */
  readonly ends: () => Awaitable<{ readonly tips: Iterable<number>; readonly hidden: Iterable<number> }>
  /** Gives how new each node is. Without it the highest node is the newest. */
  readonly newness?: () => Awaitable<(node: number) => number>
}

/**
 * Gives the nodes of a set, children before parents, else the newest first. Does only what it must for what is taken:
 * tests are asked in that order, and without `newness` a history is looked at only so far down.
 */
export async function* select(selector: Selector, universe: Universe): AsyncGenerator<number> {
  const selection = new Selection(universe)
  yield* selection.stream(await selection.lot(selector))
}

/** Nodes that can be gathered, and gone through in order without that. */
interface Pool {
  readonly nodes: () => Promise<NodeSet>
  readonly inOrder: () => AsyncIterable<number>
}

/** A set on its way: those of a pool, or without one of all nodes whatever, for which the test holds. */
interface Lot {
  readonly pool?: Pool
  readonly test?: Test
}

type Ends = readonly [tips: Iterable<number>, hidden: Iterable<number>]

class Selection {
  readonly #universe: Universe
  readonly #all: Pool
  readonly #order: () => Promise<Order>

  constructor(universe: Universe) {
    this.#universe = universe
    this.#order = once(() => this.#makeOrder())
    this.#all = this.#reach(async () => {
      const { tips, hidden } = await universe.ends()
      return [tips, hidden]
    })
  }

  async *stream({ pool = this.#all, test }: Lot): AsyncGenerator<number> {
    for await (const node of pool.inOrder()) if (!test || (await test.holds(node))) yield node
  }

  /** Calls itself: selectors lie in each other only as deep as brackets do. */
  async lot(selector: Selector): Promise<Lot> {
    const { look } = this.#universe
    const { op } = selector
    switch (op) {
      case 'all':
        return { pool: this.#all }
      case 'forks':
        return this.#these(await forksOf(await this.#all.nodes(), look))
      case 'nodes':
        return this.#these(new NodeSet(selector.nodes))
      case 'test':
        return { test: selector.test }
      case 'reach': {
        const ends: Ends = [
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

  #these(nodes: NodeSet): Lot {
    return { pool: this.#pool(() => Promise.resolve(nodes)) }
  }

  #pool(nodes: () => Promise<NodeSet>): Pool {
    const order = this.#order
    return {
      nodes,
      async *inOrder() {
        yield* (await order())(await nodes())
      },
    }
  }

  #reach(ends: () => Promise<Ends>): Pool {
    const { look, newness } = this.#universe
    const down = async function* (): AsyncGenerator<number> {
      yield* range(...(await ends()), look)
    }
    const pool = this.#pool(once(() => gathered(down())))
    return newness ? pool : { ...pool, inOrder: down }
  }

  async #makeOrder(): Promise<Order> {
    const { look, newness } = this.#universe
    if (!newness) return (nodes) => nodes.descending()
    const [all, newnessOf] = [await this.#all.nodes(), await newness()]
    const ranks = new Map<number, number>()
    // A child counts for no older than its parents: so children come before parents.
    for (const node of all) {
      let rank = newnessOf(node)
      for (const parent of (await look(node)).parents) rank = Math.max(rank, ranks.get(parent) ?? rank)
      ranks.set(node, rank)
    }
    return (nodes) => {
      const list = [...nodes]
      if (list.some((node) => !ranks.has(node))) return list.reverse()
      return list.sort((a, b) => (ranks.get(b) as number) - (ranks.get(a) as number) || b - a)
    }
  }

  async #gather(selector: Selector): Promise<NodeSet> {
    const { pool = this.#all, test } = await this.lot(selector)
    const nodes = await pool.nodes()
    if (!test) return nodes
    const found = new NodeSet()
    for (const node of nodes) if (await test.holds(node)) found.add(node)
    return found
  }

  #both(lots: readonly Lot[]): Lot {
    const pools = lots.flatMap(({ pool }) => (pool ? [pool] : []))
    // What names its nodes has fewer than all, and may have others.
    const pool = pools.find((one) => one !== this.#all) ?? pools[0]
    const tests = lots.map((lot) => (lot.pool === pool && pool ? lot.test : member(lot)))
    const asked = tests.filter((test) => test !== undefined)
    return { ...(pool ? { pool } : {}), ...(asked.length > 0 ? { test: every(asked) } : {}) }
  }

  #either(lots: readonly Lot[]): Lot {
    if (lots.every(({ pool }) => !pool)) return { test: some(lots.map(member)) }
    const test = some(lots.map(({ pool = this.#all, ...lot }) => member({ pool, ...lot })))
    const nodes = once(async () => {
      const found = new NodeSet()
      for (const { pool = this.#all } of lots) for (const node of await pool.nodes()) found.add(node)
      return found
    })
    return { pool: this.#pool(nodes), ...(lots.some((lot) => lot.test) ? { test } : {}) }
  }

  async #outermost(
    { pool = this.#all, test }: Lot,
    op: 'newest' | 'oldest',
    count: number,
  ): Promise<NodeSet> {
    const found = new NodeSet()
    if (count === 0) return found
    const nodes = op === 'newest' ? pool.inOrder() : (await listed(pool.inOrder())).reverse()
    for await (const node of nodes)
      if ((!test || (await test.holds(node))) && found.add(node) && found.size === count) break
    return found
  }
}

/** Puts nodes in order, the newest first. */
type Order = (nodes: NodeSet) => Iterable<number>

/** Gives the test whether a node is of a set. */
function member({ pool, test = ALWAYS }: Lot): Test {
  if (!pool) return test
  const within: Test = { cost: 0, holds: async (node) => (await pool.nodes()).has(node) }
  return every([within, test])
}

const ALWAYS: Test = { cost: 0, holds: () => true }

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => (made ??= make())
}

async function listed(nodes: AsyncIterable<number>): Promise<number[]> {
  const found: number[] = []
  for await (const node of nodes) found.push(node)
  return found
}
