import { appendFileSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import { branchesOf } from '../../../src/ops/import/branches.ts'
import type { Reader } from '../../../src/repo/reader.ts'
import { newStore } from '../../support/corpus.ts'
import { anyForest, nodesOf } from '../../support/dag.ts'
import { newFolder } from '../../support/folder.ts'

const fixture = fileURLToPath(new URL('../../fixtures/dash/session.jsonl', import.meta.url))
const message = (id: string, parent: string) =>
  `{"type":"message","id":"${id}","parentId":"${parent}","role":"user","content":"${id}"}\n`

it('calls the branches of a source as the source does; its active leaf is main', async () => {
  const store = await newStore()
  const path = join(newFolder(), 'dash.jsonl')
  copyFileSync(fixture, path)
  await store.import(path)
  const session = await store.session('sess_0a1b2c3d')
  const branches = async () => {
    const texts: (string | null)[][] = []
    for (const { name, oid } of await session.branches()) texts.push([name, (await store.show(oid)).text])
    return texts
  }
  expect(await branches()).toEqual([
    ['approach-a', 'Keep each day in a map.'],
    ['approach-b', 'Good — use it.'],
    ['main', 'Good — use it.'],
  ])
  appendFileSync(path, message('back', '00000007'))
  await store.import(path)
  expect(await branches()).toEqual([
    ['approach-a', 'back'],
    ['approach-b', 'Good — use it.'],
    ['main', 'back'],
  ])
  await store.close()
})

it('has a branch that a record names where nothing follows the record yet', async () => {
  const store = await newStore()
  const path = join(newFolder(), 'dash.jsonl')
  writeFileSync(
    path,
    '{"type":"session","version":1,"id":"sess_abc123","timestamp":"2024-01-01T00:00:00.000Z","cwd":"/project"}\n' +
      '{"type":"message","id":"a1b2c3d4","parentId":null,"role":"user","content":"Hello"}\n' +
      '{"type":"message","id":"e5f6g7h8","parentId":"a1b2c3d4","role":"assistant","content":"Hi!"}\n' +
      '{"type":"branch_point","id":"i9j0k1l2","parentId":"e5f6g7h8","branchName":"branch-a"}\n',
  )
  await store.import(path)
  const branches = await (await store.session('sess_abc123')).branches()
  expect(branches.map(({ name }) => name)).toEqual(['branch-a', 'main'])
  expect(branches[0]?.oid).toBe(branches[1]?.oid)
})

it('names the branches of a source that grew alike, whether each leaf has a name already or all paths are walked', async () => {
  // The branches of a source each of whose leaves has its name are found without walking.
  let [walkedPaths, hasWalked] = [0, false]
  let unwalked = 0
  const oidOf = (node: number) => node.toString(16).padStart(8, '0').repeat(8) as Oid
  await fc.assert(
    fc.asyncProperty(anyForest, fc.infiniteStream(fc.nat()), async (parents, choices) => {
      const choose = (limit: number): number => (choices.next().value as number) % limit
      const nodes = nodesOf(parents)
      const reader = {
        node: (handle: EntryHandle) => {
          hasWalked = true
          return nodes[handle as number]
        },
        oid: (handle: EntryHandle) => oidOf(handle as number),
        find: (oid: Oid) => Number.parseInt(oid.slice(0, 8), 16),
      } as unknown as Reader
      const names = new Map<string, EntryHandle>()
      let before: { [name: string]: Oid } = {}
      for (let size = 1; size <= parents.length; size += 1 + choose(3)) {
        const continued = new Set(parents.slice(0, size).flat())
        const ends = Array.from({ length: size }, (_, node) => node).filter((node) => !continued.has(node))
        const leaves = new Set(ends as EntryHandle[])
        const anywhere = choose(size) as EntryHandle
        const active = choose(4) === 0 ? anywhere : [...leaves].at(-1 - choose(leaves.size))
        if (choose(8) === 0) names.set(`named-${choose(3)}`, choose(size) as EntryHandle)
        const source = (hasSuperseded: boolean) => ({
          sourceEntries: { leaves, hasSuperseded },
          active,
          branches: names,
        })
        // Where entries were superseded, all paths are walked.
        const walked = await branchesOf(reader, source(true), before)
        hasWalked = false
        before = await branchesOf(reader, source(false), before)
        if (leaves.size > 1 && hasWalked) walkedPaths++
        else if (leaves.size > 1) unwalked++
        expect(Object.entries(before)).toEqual(Object.entries(walked))
      }
    }),
    { numRuns: 2000 },
  )
  expect([walkedPaths > 0, unwalked > 0]).toEqual([true, true])
})
