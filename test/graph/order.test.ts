import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Heap, newestFirst, sortByNewness } from '../../src/graph/order.ts'
import { reachable } from '../../src/graph/walk.ts'
import { collected } from '../../src/model/async.ts'
import { anyDag, LONG, longPath, lookInto, nodesOf } from '../support/dag.ts'

/** At each step takes, among the nodes whose children are all taken, the newest one. */
function slowly(
  nodes: ReadonlySet<number>,
  parents: readonly (readonly number[])[],
  newness: (node: number) => number,
): number[] {
  const left = new Set(nodes)
  const result: number[] = []
  while (left.size > 0) {
    const free = [...left].filter((node) => ![...left].some((other) => parents[other]!.includes(node)))
    const next = free.sort((a, b) => newness(b) - newness(a) || b - a)[0]!
    left.delete(next)
    result.push(next)
  }
  return result
}

describe('sortByNewness', () => {
  it('sorts children before parents, the newest first among independent nodes', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyDag,
        fc.array(fc.nat(5), { minLength: 60, maxLength: 60 }),
        fc.array(fc.boolean(), { minLength: 60, maxLength: 60 }),
        async (parents, times, taken) => {
          const nodes = new Set([...parents.keys()].filter((node) => taken[node]))
          const newness = (node: number): number => times[node]!
          const { look } = lookInto(nodesOf(parents))
          expect(await sortByNewness(nodes, look, newness)).toEqual(slowly(nodes, parents, newness))
        },
      ),
    )
  })

  it('keeps the order of nodes of equal newness', async () => {
    const { look } = lookInto(nodesOf([[], [0], [0], [1], [2]]))
    expect(await sortByNewness(new Set([0, 1, 2, 3, 4]), look, () => Number.NEGATIVE_INFINITY)).toEqual([
      4, 3, 2, 1, 0,
    ])
  })

  it('sorts a path that is longer than calls can nest', async () => {
    const nodes = longPath(LONG)
    const { look } = lookInto(nodes)
    const result = await sortByNewness(new Set(nodes.keys()), look, (node) => -node)
    expect([result.length, result[0], result.at(-1)]).toEqual([LONG, LONG - 1, 0])
  })
})

describe('newestFirst', () => {
  it('yields what tips reach in the order of sortByNewness, whatever limits are known', async () => {
    const numbers = fc.array(fc.nat(5), { minLength: 60, maxLength: 60 })
    const tipsOf = fc.array(fc.boolean(), { minLength: 60, maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(anyDag, numbers, numbers, tipsOf, async (parents, times, slack, isTip) => {
        const tips = [...parents.keys()].filter((node) => isTip[node])
        const { look } = lookInto(nodesOf(parents))
        const of = (node: number): number => times[node]!
        const atMost = (node: number): number => of(node) + slack[node]!
        const expected = await sortByNewness(await reachable(tips, look), look, of)
        expect(await collected(newestFirst(tips, look, { atMost, of }))).toEqual(expected)
      }),
    )
  })

  it('looks only at what it yields and at the tips', async () => {
    const { look } = lookInto(longPath(100_000))
    const looked = new Set<number>()
    const counting: typeof look = (node) => {
      looked.add(node)
      return look(node)
    }
    const tips = [99_999, 50_000, 10]
    const of = (node: number): number => node
    const walk = newestFirst(tips, counting, { atMost: of, of })
    for (let at = 99_999; at > 99_989; at--) expect((await walk.next()).value).toBe(at)
    expect(looked.size).toBeLessThan(20)
  })

  it('does not look through all that is newer than what a new branch parts from', async () => {
    const branchAt = 10
    const path = Array.from({ length: 100_000 }, (_, i) => (i === 0 ? [] : [i - 1]))
    const { look } = lookInto(nodesOf([...path, [branchAt]]))
    const looked = new Set<number>()
    const counting: typeof look = (node) => {
      looked.add(node)
      return look(node)
    }
    // Where the newest record of an entry is, is known to some thousands.
    const atMost = (): number => 200_000
    const walk = newestFirst([99_999, 100_000], counting, { atMost, of: (node) => node })
    const found: unknown[] = []
    for (let i = 0; i < 10; i++) found.push((await walk.next()).value)
    expect(found).toEqual([100_000, ...Array.from({ length: 9 }, (_, i) => 99_999 - i)])
    expect(looked.size).toBeLessThan(30)
  })
})

describe('Heap', () => {
  it('returns items in order after any sequence of calls', () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.integer({ min: -20, max: 20 }))), (steps) => {
        const heap = new Heap<number>((a, b) => a - b)
        const model: number[] = []
        for (const step of steps) {
          if (step === null) expect(heap.pop()).toBe(model.shift())
          else {
            heap.push(step)
            model.push(step)
            model.sort((a, b) => a - b)
          }
        }
        for (const value of model) expect(heap.pop()).toBe(value)
        expect(heap.pop()).toBeUndefined()
      }),
    )
  })
})
