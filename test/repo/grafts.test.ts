import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeBases } from '../../src/graph/mergebase.ts'
import { range } from '../../src/graph/range.ts'
import { isAncestor, path } from '../../src/graph/walk.ts'
import { digestOf, NO_LINKS, oidOfEntry } from '../../src/model/encoding/entry.ts'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { type EntryHandle, NEAR, type Node } from '../../src/model/node.ts'
import { graftRef } from '../../src/model/refname.ts'
import { NO_WEIGHT, plus, type Weight } from '../../src/model/tokens.ts'
import type { Traits } from '../../src/model/view.ts'
import { GraftOverlay, graftValue } from '../../src/repo/grafts.ts'
import type { Repo } from '../../src/repo/repo.ts'
import type { Writer } from '../../src/repo/writeaccess.ts'
import { runs } from '../support/amount.ts'
import { openRepo } from '../support/store.ts'

/** Parents by place, each before its child; and which place each of some roots is grafted to. */
interface Plan {
  readonly parents: readonly (readonly number[])[]
  readonly grafts: readonly (readonly [root: number, parent: number])[]
}

const plans = (merges: boolean): fc.Arbitrary<Plan> =>
  fc
    .array(fc.tuple(fc.nat(9), fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(9)), {
      minLength: 2,
      maxLength: 40,
    })
    .chain((nodes) => {
      const parents = nodes.map(([kind, at, other], i) => {
        if (i === 0 || kind === 0) return []
        // Most continue one of the newest, so that paths are long.
        const first = kind < 8 ? Math.max(0, i - 1 - (kind % 4)) : Math.floor(at * i)
        return merges && kind === 9 && other % i !== first ? [first, other % i] : [first]
      })
      const roots = parents.flatMap((list, i) => (list.length === 0 ? [i] : []))
      return fc
        .array(fc.tuple(fc.constantFrom(...roots), fc.nat(nodes.length - 1)), { maxLength: 5 })
        .map((all) => ({ parents, grafts: [...new Map(all)] }))
    })

interface Stored {
  readonly handle: EntryHandle
  readonly oid: Oid
}

const traitsAt = (i: number): Traits => (i % 3 === 0 ? (NEAR[(i / 3) % NEAR.length] as Traits) : 0)
const weightAt = (i: number): Weight => ({ calls: i % 4, tokens: 10 + i, prompts: i % 2, texts: 1 })

/** Adds an entry with traits and a weight that its place determines. */
function add(writer: Writer, i: number, parents: readonly Stored[]): Stored {
  const [type, body] = ['sess/message', { role: 'user', content: `${i}` }]
  const digest = digestOf(body)
  const oid = oidOfEntry({ parents: parents.map((p) => p.oid), type, digest, links: NO_LINKS })
  const [traits, weight] = [traitsAt(i), weightAt(i)]
  const handles = parents.map((p) => p.handle)
  const handle = writer.addEntry({ oid, type, parents: handles, links: {}, digest, traits, weight, body })
  return { handle, oid }
}

async function build(repo: Repo, { parents, grafts }: Plan): Promise<Oid[]> {
  return repo.write({ bulk: true }, ({ writer, move }) => {
    const made: Stored[] = []
    for (const [i, list] of parents.entries())
      made.push(
        add(
          writer,
          i,
          list.map((p) => made[p] as Stored),
        ),
      )
    for (const [root, parent] of grafts) {
      const [below, above] = [(made[root] as Stored).oid, (made[parent] as Stored).oid]
      const graft = { root: below, parent: above, native: `n${parent}`, session: 's' }
      move(graftRef(below), undefined, graftValue(graft))
    }
    return made.map(({ oid }) => oid)
  })
}

/** The parent of each place once it is grafted: grafts that close a circle, or follow one, are ignored. */
function joined({ parents, grafts }: Plan): readonly (readonly number[])[] {
  const by = (honoured: ReadonlyMap<number, number>) =>
    parents.map((list, i) => (honoured.has(i) ? [honoured.get(i) as number] : list))
  let honoured = new Map(grafts)
  for (;;) {
    const all = by(honoured)
    const done = new Set<number>()
    for (let before = -1; before !== done.size; ) {
      before = done.size
      for (const [i, list] of all.entries()) if (list.every((p) => done.has(p))) done.add(i)
    }
    const bad = [...honoured.keys()].filter((root) => !done.has(root))
    if (bad.length === 0) return all
    honoured = new Map([...honoured].filter(([root]) => !bad.includes(root)))
  }
}

function reach(all: readonly (readonly number[])[], from: number): Set<number> {
  const seen = new Set<number>()
  const open = [from]
  for (let at = open.pop(); at !== undefined; at = open.pop())
    if (!seen.has(at)) {
      seen.add(at)
      open.push(...(all[at] as readonly number[]))
    }
  return seen
}

const listed = async <T>(entries: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = []
  for await (const entry of entries) found.push(entry)
  return found
}

describe.each([false, true])('grafts, merges: %s', (merges) => {
  it('connect paths as if their roots had parents, whichever was stored first', async () => {
    await fc.assert(
      fc.asyncProperty(plans(merges), async (plan) => {
        const repo = await openRepo()
        const oids = await build(repo, plan)
        const all = joined(plan)
        await repo.read(async (reader) => {
          const look = (entry: EntryHandle) => reader.node(entry)
          const found = await reader.findMany(oids)
          const handles = oids.map((oid) => found.get(oid) as EntryHandle)
          const place = new Map(handles.map((handle, i) => [handle, i]))
          const placesOf = (entries: Iterable<EntryHandle>) => [...entries].map((entry) => place.get(entry))
          for (const [i, handle] of handles.entries()) {
            const node = await look(handle)
            expect([node.handle, node.oid, await reader.oid(handle)]).toEqual([handle, oids[i], oids[i]])
            expect(placesOf(node.parents)).toEqual(all[i])
            for (const parent of node.parents) expect((await look(parent)).order).toBeLessThan(node.order)
            expect(await reader.body(handle)).toEqual({ role: 'user', content: `${i}` })
            const line = placesOf(await listed(path(handle, look))) as number[]
            expect(node.depth).toBe(line.length - 1)
            expect(node.weight).toEqual(line.map(weightAt).reduce(plus, NO_WEIGHT))
            expect(line).toContain(place.get(node.jump))
            expect(placed(place, node.merge)).toBe(line.find((at) => (all[at] ?? []).length > 1))
            expect(node.near.map((entry) => placed(place, entry))).toEqual(
              NEAR.map((trait) => line.find((at) => (traitsAt(at) & trait) !== 0)),
            )
            expect(node.grafted ?? false).toBe(
              (plan.parents[i] as readonly number[]).length < (all[i] as readonly number[]).length,
            )
            const order = placesOf(await listed(range([handle], [], look)))
            expect(new Set(order)).toEqual(reach(all, i))
          }
          const orders = await Promise.all(handles.map(async (handle) => (await look(handle)).order))
          expect(new Set(orders).size).toBe(handles.length)
          for (const [i, a] of handles.entries())
            for (const [j, b] of handles.entries()) {
              const [left, right] = [reach(all, i), reach(all, j)]
              const common = [...left].filter((at) => right.has(at))
              const best = common.filter((at) => !common.some((o) => o !== at && reach(all, o).has(at)))
              expect(new Set(placesOf(await mergeBases(a, b, look)))).toEqual(new Set(best))
              expect(await isAncestor(a, b, look)).toBe(right.has(i))
            }
        })
        await repo.close()
      }),
      { numRuns: runs(60) },
    )
  })
})

const placed = (place: ReadonlyMap<EntryHandle, number>, entry: EntryHandle | undefined) =>
  entry === undefined ? undefined : place.get(entry)

/** Stores a plan, and returns its nodes as grafts show them, their stored ones, and the places of circular roots. */
async function shown(plan: Plan): Promise<{ nodes: Node[]; stored: Node[]; circular: number[] }> {
  const repo = await openRepo()
  const oids = await build(repo, plan)
  const nodesOf = (plain: boolean): Promise<Node[]> =>
    repo.read(
      async (reader) => {
        const found = await reader.findMany(oids)
        return Promise.all(oids.map(async (oid) => reader.node(found.get(oid) as EntryHandle)))
      },
      { plain },
    )
  const [nodes, stored] = [await nodesOf(false), await nodesOf(true)]
  const overlay = await repo.read((reader) => GraftOverlay.read(reader, reader), { plain: true })
  const circular = [...(overlay?.circular ?? [])].map((root) => stored.findIndex((n) => n.handle === root))
  return { nodes, stored, circular }
}

it('do not change the nodes of a plain reader', async () => {
  const { stored } = await shown({ parents: [[], [0], []], grafts: [[2, 1]] })
  expect(stored.map(({ parents, depth, grafted }) => [parents.length, depth, grafted])).toEqual([
    [0, 0, undefined],
    [1, 1, undefined],
    [0, 0, undefined],
  ])
})

it('do not change the order of nodes that are below no graft', async () => {
  const { nodes, stored } = await shown({ parents: [[], [0], [], [2], [], [4]], grafts: [[2, 5]] })
  const orders = (all: readonly Node[]) => [0, 1, 4, 5].map((i) => (all[i] as Node).order)
  expect(orders(nodes)).toEqual(orders(stored))
  expect(nodes[2]?.order).toBeGreaterThan(nodes[5]?.order as number)
})

it('are not applied in a cycle or below one', async () => {
  // The roots 0 and 2 continue each other's ends, 4 continues 1, and 6 continues 5, which is below 4.
  const parents = [[], [0], [], [2], [], [4], [], []]
  const { nodes, circular } = await shown({
    parents,
    grafts: [
      [0, 3],
      [2, 1],
      [4, 1],
      [6, 5],
      [7, 3],
    ],
  })
  expect(circular.toSorted((a, b) => a - b)).toEqual([0, 2, 4, 6, 7])
  expect(nodes.map((node) => node.parents.length)).toEqual(parents.map((list) => list.length))
})

it('are not applied to a root and itself or its own descendant', async () => {
  const { nodes, circular } = await shown({ parents: [[], [0], [1]], grafts: [[0, 2]] })
  expect([circular, nodes.map(({ depth }) => depth)]).toEqual([[0], [0, 1, 2]])
  const itself = await shown({ parents: [[]], grafts: [[0, 0]] })
  expect([itself.circular, itself.nodes[0]?.parents]).toEqual([[0], []])
})

it('keep the order in a long chain, each onto an entry that was stored later', async () => {
  const count = 200
  const parents = Array.from({ length: count }, () => [])
  const grafts = Array.from({ length: count - 1 }, (_, i) => [i, i + 1] as const)
  const { nodes } = await shown({ parents, grafts })
  expect(nodes.map(({ depth }) => depth)).toEqual(parents.map((_, i) => count - 1 - i))
  for (const [i, { order }] of nodes.slice(1).entries()) expect(nodes[i]?.order).toBeGreaterThan(order)
})

it('are applied where the root exists without parents and the parent exists', async () => {
  const repo = await openRepo()
  const oids = await build(repo, { parents: [[], [0], []], grafts: [] })
  const [root, child, other] = oids as [Oid, Oid, Oid]
  const gone = 'ab'.repeat(32) as Oid
  await repo.write({}, ({ move }) => {
    for (const [below, above] of [
      [child, other],
      [root, gone],
      [gone, root],
    ] as const)
      move(graftRef(below), undefined, graftValue({ root: below, parent: above, native: 'n', session: 's' }))
  })
  expect(await repo.read((reader) => GraftOverlay.read(reader, reader), { plain: true })).toBeUndefined()
  const parentsOf = (oid: Oid) =>
    repo.read(async (reader) => (await reader.node((await reader.find(oid)) as EntryHandle)).parents.length)
  expect([await parentsOf(root), await parentsOf(child), await parentsOf(other)]).toEqual([0, 1, 0])
})

it('take effect once written, and no longer once undone', async () => {
  const repo = await openRepo()
  const [first, second] = (await build(repo, { parents: [[], []], grafts: [] })) as [Oid, Oid]
  const depthOf = () =>
    repo.read(async (reader) => (await reader.node((await reader.find(second)) as EntryHandle)).depth)
  const value = graftValue({ root: second, parent: first, native: 'n', session: 's' })
  expect(await depthOf()).toBe(0)
  await repo.write({}, ({ move }) => move(graftRef(second), undefined, value))
  expect(await depthOf()).toBe(1)
  await repo.write({}, ({ move }) => move(graftRef(second), value, undefined))
  expect(await depthOf()).toBe(0)
})
