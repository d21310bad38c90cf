import assert from 'node:assert/strict'
import { type EntryHandle, NEAR } from '../../../src/model/node.ts'
import { NO_WEIGHT, plus, type Weight } from '../../../src/model/tokens.ts'
import { COMPACTS, SETS_MODE, SETS_MODEL, SETS_THINKING } from '../../../src/model/view.ts'
import type { Backend } from '../../../src/storage/backend.ts'
import { addOne, type Law, law, type Open } from './law.ts'

/** A small generator of numbers that is the same in every run (Numerical Recipes' LCG). */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const TRAITS = [0, 0, 0, 0, 1, 2, COMPACTS, SETS_MODEL, SETS_THINKING, SETS_MODE, COMPACTS + SETS_MODE]

/** A weight like those of real entries: mostly few tokens, sometimes very many. */
const weightAt = (place: number): Weight => ({
  calls: place % 3 === 0 ? place % 4 : 0,
  tokens: place % 50 === 0 ? 8_000_000 : place % 300,
  prompts: place % 4 === 1 ? 1 : 0,
  texts: place % 2,
})

/** Adds a random history in transactions of both kinds: mostly paths, some forks, roots and merges. */
async function grow(backend: Backend, count: number): Promise<EntryHandle[]> {
  const next = numbers(20_260_501)
  const entries: EntryHandle[] = []
  while (entries.length < count) {
    const transaction = backend.begin({ bulk: next(2) === 0 })
    for (let left = 1 + next(200); left > 0 && entries.length < count; left--) {
      const any = (): EntryHandle => entries[next(entries.length)] as EntryHandle
      const last = entries.at(-1)
      const kind = next(40)
      const parents = last === undefined || kind === 0 ? [] : kind === 1 ? [any()] : [last]
      if (kind === 2 && last !== undefined) parents.push(any())
      const traits = TRAITS[next(TRAITS.length)] as number
      const sample = {
        body: entries.length,
        parents: [...new Set(parents)],
        traits,
        weight: weightAt(entries.length),
      }
      entries.push(await addOne(backend, transaction, sample))
    }
    await transaction.commit()
  }
  return entries
}

/** Laws of the places of entries in history. */
export function nodeLaws(open: Open): Law[] {
  const that = law(open)
  return [
    that('depth, weight, merges and nearest bearers of traits follow first parents', async ({ backend }) => {
      for (const [place, entry] of (await grow(backend, 3000)).entries()) {
        const { parents, depth, merge, near, traits, weight } = await backend.node(entry)
        const parent = parents[0] === undefined ? undefined : await backend.node(parents[0])
        assert.equal(depth, parent ? parent.depth + 1 : 0)
        assert.deepEqual(weight, plus(parent?.weight ?? NO_WEIGHT, weightAt(place)))
        assert.equal(merge, parents.length > 1 ? entry : parent?.merge)
        assert.deepEqual(
          near,
          NEAR.map((trait, i) => (traits & trait ? entry : parent?.near[i])),
        )
      }
    }),
    that('jumps lead to ancestors, equally far from equal depths', async ({ backend }) => {
      const depths = new Map<number, number>()
      /** By entry: its first parent. */
      const up = new Map<EntryHandle, EntryHandle | undefined>()
      for (const entry of await grow(backend, 3000)) {
        const { parents, depth, jump, jumpDepth } = await backend.node(entry)
        up.set(entry, parents[0])
        const far = (await backend.node(jump)).depth
        assert.equal(jumpDepth, far)
        assert.equal(depths.get(depth) ?? far, far)
        depths.set(depth, far)
        let at: EntryHandle | undefined = entry
        for (let steps = depth - far; steps > 0; steps--) at = up.get(at as EntryHandle)
        assert.equal(at, jump)
        if (depth > 0) assert.ok(far < depth)
      }
    }),
    that('any ancestor is a few jumps away', async ({ backend }) => {
      const transaction = backend.begin({ bulk: true })
      let tip: EntryHandle | undefined
      for (let i = 0; i < 5000; i++)
        tip = await addOne(backend, transaction, { body: i, parents: tip === undefined ? [] : [tip] })
      await transaction.commit()
      for (const goal of [0, 1, 2, 1000, 2047, 2048, 4998]) {
        let node = await backend.node(tip as EntryHandle)
        let hops = 0
        for (; node.depth > goal; hops++) {
          const far = await backend.node(node.jump)
          node = far.depth >= goal ? far : await backend.node(node.parents[0] as EntryHandle)
        }
        assert.ok(hops <= 40, `${hops} hops to depth ${goal}`)
      }
    }),
  ]
}
