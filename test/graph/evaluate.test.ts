import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Selector, select, type Universe } from '../../src/graph/evaluate.ts'
import { runs } from '../support/amount.ts'
import { ancestries, anyDag, LONG, longPath, lookInto, nodesOf, type Parents } from '../support/dag.ts'

async function list(nodes: AsyncIterable<number>, most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const all: number[] = []
  for await (const node of nodes) {
    all.push(node)
    if (all.length === most) break
  }
  return all
}

/** A selector as data: tests are told by the remainders that they take. */
type Told =
  | { readonly op: 'all' | 'forks' }
  | { readonly op: 'nodes'; readonly nodes: readonly number[] }
  | { readonly op: 'third'; readonly rest: number }
  | { readonly op: 'reach'; readonly of: Told; readonly without?: Told }
  | { readonly op: 'generations' | 'newest' | 'oldest'; readonly of: Told; readonly count: number }
  | { readonly op: 'descendants' | 'parents' | 'children' | 'heads' | 'roots' | 'not'; readonly of: Told }
  | { readonly op: 'and'; readonly of: readonly Told[] }
  | { readonly op: 'or'; readonly of: readonly Told[] }

const anyTold: fc.Arbitrary<Told> = fc.letrec<{ any: Told }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<Told>({ op: 'all' }, { op: 'forks' }),
    fc.array(fc.nat(59), { maxLength: 4 }).map((nodes): Told => ({ op: 'nodes', nodes })),
    fc.nat(2).map((rest): Told => ({ op: 'third', rest })),
    fc
      .tuple(tie('any'), fc.option(tie('any'), { nil: undefined }))
      .map(([of, without]): Told => ({ op: 'reach', of, ...(without && { without }) })),
    fc
      .tuple(fc.constantFrom('generations', 'newest', 'oldest'), tie('any'), fc.nat(4))
      .map(([op, of, count]): Told => ({ op, of, count })),
    fc
      .tuple(fc.constantFrom('descendants', 'parents', 'children', 'heads', 'roots', 'not'), tie('any'))
      .map(([op, of]): Told => ({ op, of })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('any'), { minLength: 1, maxLength: 3 }))
      .map(([op, of]): Told => ({ op, of })),
  ),
})).any

function selectorOf(told: Told, asked: (node: number) => void = () => undefined): Selector<number> {
  const inner = (one: Told): Selector<number> => selectorOf(one, asked)
  if (told.op === 'third') {
    const holds = (node: number): boolean => {
      asked(node)
      return node % 3 === told.rest
    }
    return { op: 'test', test: { cost: told.rest, holds } }
  }
  if (told.op === 'reach')
    return { op: 'reach', of: inner(told.of), ...(told.without && { without: inner(told.without) }) }
  if (told.op === 'and' || told.op === 'or') return { op: told.op, of: told.of.map(inner) }
  if ('of' in told) return { ...told, of: inner(told.of) }
  return told
}

/** The selected nodes, found the slow way: a set, or a test of all nodes. */
type Meant = Set<number> | ((node: number) => boolean)

class Slow {
  readonly #parents: Parents
  readonly #reach: readonly ReadonlySet<number>[]
  readonly #all: Set<number>
  readonly #order: (nodes: Set<number>) => number[]

  constructor(parents: Parents, all: Set<number>, order: (nodes: Set<number>) => number[]) {
    this.#parents = parents
    this.#reach = ancestries(parents)
    this.#all = all
    this.#order = order
  }

  nodes(told: Told): Set<number> {
    const meant = this.meant(told)
    return typeof meant === 'function' ? new Set([...this.#all].filter(meant)) : meant
  }

  meant(told: Told): Meant {
    const reach = (of: Iterable<number>): Set<number> =>
      new Set([...of].flatMap((node) => [...this.#reach[node]!]))
    const parents = (of: Iterable<number>): Set<number> =>
      new Set([...of].flatMap((node) => this.#parents[node]!))
    const holds = (meant: Meant, node: number): boolean =>
      typeof meant === 'function' ? meant(node) : meant.has(node)
    switch (told.op) {
      case 'all':
        return this.#all
      case 'nodes':
        return new Set(told.nodes.filter((node) => node < this.#parents.length))
      case 'third':
        return (node) => node % 3 === told.rest
      case 'forks':
        return new Set(
          [...this.#all].filter(
            (node) => [...this.#all].filter((child) => this.#parents[child]!.includes(node)).length > 1,
          ),
        )
      case 'not': {
        const meant = this.meant(told.of)
        return (node) => !holds(meant, node)
      }
      case 'and': {
        const meant = told.of.map((one) => this.meant(one))
        const test = (node: number): boolean => meant.every((one) => holds(one, node))
        const set = meant.find((one) => typeof one !== 'function')
        return set ? new Set([...set].filter(test)) : test
      }
      case 'or': {
        const meant = told.of.map((one) => this.meant(one))
        if (meant.every((one) => typeof one === 'function'))
          return (node) => meant.some((one) => holds(one, node))
        return new Set(told.of.flatMap((one) => [...this.nodes(one)]))
      }
      case 'reach': {
        const hidden = told.without ? reach(this.nodes(told.without)) : new Set()
        return new Set([...reach(this.nodes(told.of))].filter((node) => !hidden.has(node)))
      }
      case 'generations': {
        let generation = this.nodes(told.of)
        const found = new Set<number>()
        for (let i = 0; i < told.count; i++) {
          for (const node of generation) found.add(node)
          generation = parents(generation)
        }
        return found
      }
      case 'newest':
        return new Set(this.#order(this.nodes(told.of)).slice(0, told.count))
      case 'oldest':
        return new Set(this.#order(this.nodes(told.of)).reverse().slice(0, told.count))
      case 'parents':
        return parents(this.nodes(told.of))
      case 'children': {
        const of = this.nodes(told.of)
        return new Set([...this.#all].filter((node) => this.#parents[node]!.some((parent) => of.has(parent))))
      }
      case 'descendants': {
        const of = this.nodes(told.of)
        const below = [...this.#all].filter((node) => [...this.#reach[node]!].some((other) => of.has(other)))
        return new Set([...of, ...below])
      }
      case 'heads': {
        const of = this.nodes(told.of)
        const continued = reach(parents(of))
        return new Set([...of].filter((node) => !continued.has(node)))
      }
      case 'roots': {
        const of = this.nodes(told.of)
        return new Set(
          [...of].filter((node) => ![...reach(this.#parents[node]!)].some((other) => of.has(other))),
        )
      }
    }
  }
}

const anyCase = fc.tuple(anyDag, fc.array(fc.nat(), { minLength: 1, maxLength: 3 }), fc.nat(), anyTold)

const highestFirst = (nodes: Set<number>): number[] => [...nodes].sort((a, b) => b - a)

/** Keeps the nodes that there are. */
const within = (told: Told, count: number): Told => {
  if (told.op === 'nodes') return { op: 'nodes', nodes: told.nodes.filter((node) => node < count) }
  if (told.op === 'and' || told.op === 'or') return { ...told, of: told.of.map((one) => within(one, count)) }
  if (told.op === 'reach')
    return {
      op: 'reach',
      of: within(told.of, count),
      ...(told.without && { without: within(told.without, count) }),
    }
  return 'of' in told ? { ...told, of: within(told.of, count) } : told
}

describe('select', () => {
  it('yields the selected nodes, the highest first', async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async ([parents, tips, hide, told]) => {
        const count = parents.length
        const { look } = lookInto(nodesOf(parents))
        const ends = { tips: tips.map((tip) => tip % count), hidden: hide % 3 === 0 ? [hide % count] : [] }
        const reach = ancestries(parents)
        const all = new Set(ends.tips.flatMap((tip) => [...reach[tip]!]))
        for (const hidden of ends.hidden) for (const node of reach[hidden]!) all.delete(node)
        const asked = within(told, count)
        const slow = new Slow(parents, all, highestFirst)
        const fast = await list(select(selectorOf(asked), { look, ends: () => ends }))
        expect(fast).toEqual(highestFirst(slow.nodes(asked)))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('yields the newest first where newness is known, but never a parent before its child', async () => {
    const anyTimed = fc.tuple(anyDag, fc.array(fc.nat(20), { minLength: 60, maxLength: 60 }), anyTold)
    await fc.assert(
      fc.asyncProperty(anyTimed, async ([parents, times, told]) => {
        const count = parents.length
        const { look } = lookInto(nodesOf(parents))
        const all = new Set(parents.keys())
        const reach = ancestries(parents)
        const rank = (node: number): number => Math.max(...[...reach[node]!].map((one) => times[one]!))
        const newestFirst = (nodes: Set<number>): number[] =>
          [...nodes].sort((a, b) => rank(b) - rank(a) || b - a)
        const asked = within(told, count)
        const universe: Universe<number> = {
          look,
          ends: () => ({ tips: all, hidden: [] }),
          newness: () => (node) => times[node]!,
        }
        const fast = await list(select(selectorOf(asked), universe))
        expect(fast).toEqual(newestFirst(new Slow(parents, all, newestFirst).nodes(asked)))
        for (const [i, node] of fast.entries())
          for (const later of fast.slice(i + 1)) expect(reach[later]!.has(node)).toBe(false)
      }),
      { numRuns: runs(500) },
    )
  })

  it('sorts nodes outside of the universe by their order', async () => {
    const { look } = lookInto(nodesOf([[], [0], [1]]))
    const universe: Universe<number> = {
      look,
      ends: () => ({ tips: [1], hidden: [] }),
      newness: () => () => 5,
    }
    expect(await list(select({ op: 'nodes', nodes: [0, 2] }, universe))).toEqual([2, 0])
  })
})

describe('the cost of a selection', () => {
  const path = longPath(LONG)
  const ends = { tips: [LONG - 1], hidden: [] }
  const even = (asked: number[]): Selector<number> => ({
    op: 'test',
    test: {
      cost: 3,
      holds: (node) => {
        asked.push(node)
        return node % 2 === 0
      },
    },
  })

  it('grows with the consumed nodes', async () => {
    const { look, looks } = lookInto(path)
    const asked: number[] = []
    expect(await list(select(even(asked), { look, ends: () => ends }), 2)).toEqual([LONG - 2, LONG - 4])
    expect(asked).toEqual([LONG - 1, LONG - 2, LONG - 3, LONG - 4])
    expect(looks()).toBeLessThan(10)
  })

  it('is limited to the newest', async () => {
    const { look, looks } = lookInto(path)
    const asked: number[] = []
    const lower: Selector<number> = { op: 'reach', of: { op: 'nodes', nodes: [50_000] } }
    const newest: Selector<number> = { op: 'newest', of: { op: 'and', of: [even(asked), lower] }, count: 2 }
    expect(await list(select(newest, { look, ends: () => ends }))).toEqual([50_000, 49_998])
    expect(asked).toEqual([50_000, 49_999, 49_998])
    expect(looks()).toBeLessThan(10)
  })

  it('is that of a range for ranges, without reading the universe', async () => {
    const { look, looks } = lookInto(path)
    const selector: Selector<number> = {
      op: 'reach',
      of: { op: 'nodes', nodes: [75_000] },
      without: { op: 'nodes', nodes: [74_998] },
    }
    const refuse = (): never => {
      throw new Error('all was asked for')
    }
    expect(await list(select(selector, { look, ends: refuse }))).toEqual([75_000, 74_999])
    expect(looks()).toBeLessThan(10)
  })

  it('runs cheap tests first', async () => {
    const { look } = lookInto(nodesOf([[], [0], [1], [2]]))
    const asked: string[] = []
    const test = (name: string, cost: number, rest: number): Selector<number> => ({
      op: 'test',
      test: {
        cost,
        holds: (node) => {
          asked.push(`${name}${node}`)
          return node % 2 === rest
        },
      },
    })
    const both: Selector<number> = { op: 'and', of: [test('dear', 3, 1), test('cheap', 1, 1)] }
    expect(await list(select(both, { look, ends: () => ({ tips: [2], hidden: [] }) }))).toEqual([1])
    expect(asked).toEqual(['cheap2', 'cheap1', 'dear1', 'cheap0'])
  })

  it('does not include recursion over a history', async () => {
    const { look } = lookInto(path)
    const far: Selector<number> = { op: 'roots', of: { op: 'descendants', of: { op: 'nodes', nodes: [3] } } }
    expect(await list(select(far, { look, ends: () => ends }))).toEqual([3])
    const generations: Selector<number> = {
      op: 'generations',
      of: { op: 'nodes', nodes: [LONG - 1] },
      count: 1e15,
    }
    expect((await list(select(generations, { look, ends: () => ends }))).length).toBe(LONG)
  })
})
