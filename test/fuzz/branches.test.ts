import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newStore } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'
import { Random } from '../support/random.ts'

const RUNS = 25
const RECORDS = 24

/** By record, the one that it continues, which stands before it; -1 for a root. */
const treeOf = (random: Random): number[] =>
  Array.from({ length: RECORDS }, (_, i) =>
    random.once(12) ? -1 : Math.max(-1, random.once(3) ? random.below(i + 1) - 1 : i - 1),
  )

const record = (parent: number, i: number): string => {
  const message = { role: 'user', content: `${i}` }
  const parentUuid = parent < 0 ? null : `${parent}`
  return `${JSON.stringify({ type: 'user', uuid: `${i}`, parentUuid, sessionId: 's', message })}\n`
}

it('every leaf has one branch, whose name stays while it is off the active path', {
  timeout: 600_000,
}, async () => {
  for (let run = 1; run <= RUNS; run++) {
    const random = new Random(run)
    const tree = treeOf(random)
    const isOnPath = (above: number, tip: number): boolean => {
      for (let at = tip; at >= 0; at = tree[at] as number) if (at === above) return true
      return false
    }
    const store = await newStore()
    const path = join(newFolder(), 's.jsonl')
    let before = new Map<string, number>()
    for (let count = 1 + random.below(8); count <= RECORDS; count += 1 + random.below(8)) {
      writeFileSync(path, tree.slice(0, count).map(record).join(''))
      await store.import(path)
      const now = new Map<string, number>()
      for (const { name } of await (await store.session('s')).branches())
        now.set(name, Number((await store.show(`s/${name}`)).text))
      const inner = new Set(tree.slice(0, count))
      const leaves = Array.from({ length: count }, (_, i) => i).filter((i) => !inner.has(i))
      expect([...now.values()].sort((a, b) => a - b)).toEqual(leaves)
      const main = now.get('main') as number
      expect(main).toBe(leaves.at(-1))
      for (const [name, tip] of before)
        if (name !== 'main' && !isOnPath(tip, main)) {
          expect([...now.keys()]).toContain(name)
          expect(isOnPath(tip, now.get(name) as number)).toBe(true)
        }
      before = now
    }
    await store.close()
  }
})
