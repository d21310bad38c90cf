import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mergeBases } from '../../../src/graph/mergebase.ts'
import { range } from '../../../src/graph/range.ts'
import { isAncestor, path } from '../../../src/graph/walk.ts'
import type { Oid } from '../../../src/model/oid.ts'
import { graftRef } from '../../../src/model/refname.ts'
import { Utf8Room } from '../../../src/model/utf8room.ts'
import type { Backend, Row } from '../../../src/repo/backend.ts'
import { graftValue } from '../../../src/repo/grafts/grafts.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { add, openRepo } from '../../support/store.ts'

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

async function build(repo: Repo, { parents, grafts }: Plan): Promise<Oid[]> {
  return repo.write({ bulk: true }, ({ transaction, move }) => {
    const made: { row: Row; oid: Oid }[] = []
    for (const [i, list] of parents.entries())
      made.push(add(transaction, { role: 'user', content: `${i}` }, ...list.map((p) => made[p] as never)))
    for (const [root, parent] of grafts) {
      const [below, above] = [(made[root] as { oid: Oid }).oid, (made[parent] as { oid: Oid }).oid]
      const graft = { root: below, parent: above, native: `n${parent}`, session: 's' }
      move(graftRef(below), undefined, graftValue(graft))
    }
    return made.map(({ oid }) => oid)
  })
}

/** What each place continues once grafts join it: those that close a circle, or stand behind one, join nothing. */
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

const listed = async (rows: AsyncIterable<Row>): Promise<Row[]> => {
  const found: Row[] = []
  for await (const row of rows) found.push(row)
  return found
}

describe.each([false, true])('grafts, merges: %s', (merges) => {
  it('join paths as if their roots had parents, whatever was stored first', async () => {
    await fc.assert(
      fc.asyncProperty(plans(merges), async (plan) => {
        const repo = await openRepo()
        const oids = await build(repo, plan)
        const all = joined(plan)
        await repo.read(async (backend: Backend) => {
          const look = (row: Row) => backend.node(row)
          const rows = await Promise.all(oids.map(async (oid) => (await backend.find(oid)) as Row))
          const place = new Map(rows.map((row, i) => [row, i]))
          const placesOf = (found: Iterable<Row>) => [...found].map((row) => place.get(row))
          for (const [i, row] of rows.entries()) {
            const node = await look(row)
            expect(node.row).toBe(row)
            expect(placesOf(node.parents)).toEqual(all[i])
            for (const parent of node.parents) expect(parent).toBeLessThan(row)
            expect(await backend.oid(row)).toBe(oids[i])
            const room = new Utf8Room()
            await backend.addFilled(room, row, { shape: '0', values: [] })
            expect(Buffer.from(room.take()).toString()).toBe(`{"role":"user","content":"${i}"}`)
            const line = placesOf(await listed(path(row, look))) as number[]
            expect(node.depth).toBe(line.length - 1)
            expect(line).toContain(place.get(node.jump))
            const merge = line.find((at) => (all[at] as readonly number[]).length > 1)
            expect(node.merge === -1 ? undefined : place.get(node.merge)).toBe(merge)
            expect(node.merged).toBe(merge !== undefined)
            expect(node.grafted ?? false).toBe(
              (plan.parents[i] as readonly number[]).length < (all[i] as readonly number[]).length,
            )
            const order = placesOf(await listed(range([row], [], look)))
            expect(new Set(order)).toEqual(reach(all, i))
          }
          for (const [i, a] of rows.entries())
            for (const [j, b] of rows.entries()) {
              const [left, right] = [reach(all, i), reach(all, j)]
              const common = [...left].filter((at) => right.has(at))
              const best = common.filter((at) => !common.some((o) => o !== at && reach(all, o).has(at)))
              expect(new Set(placesOf(await mergeBases(a, b, look)))).toEqual(new Set(best))
              expect(await isAncestor(a, b, look)).toBe(right.has(i))
            }
        })
        await repo.close()
      }),
      { numRuns: 60 },
    )
  })
})
