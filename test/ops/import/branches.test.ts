import { appendFileSync, copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { newStore } from '../../support/corpus.ts'
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
