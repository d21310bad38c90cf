import { appendFileSync, copyFileSync } from 'node:fs'
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
    ['main', 'Good — use it.'],
  ])
  appendFileSync(path, message('back', '00000007'))
  await store.import(path)
  expect(await branches()).toEqual([
    ['approach-b', 'Good — use it.'],
    ['main', 'back'],
  ])
  await store.close()
})
