import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { exported, newStore } from '../support/corpus.ts'
import { newFolder } from '../support/folder.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures/gemini', import.meta.url))

it('takes what was said again in its place: one path, one branch for the rewind, every byte, each call counted once', async () => {
  const store = await newStore()
  const path = join(FIXTURES, 'log.jsonl')
  const [file] = (await store.import(path)).files
  const session = await store.session(file?.session ?? '')
  const said: unknown[] = []
  for await (const { view, time, native } of store.log(session.id))
    said.push([native, time?.slice(11, 16), view.blocks.flatMap((b) => ('text' in b ? [b.text] : []))])
  expect(said.reverse()).toEqual([
    ['u1', '10:01', ['How long is the tail?']],
    ['g1', '10:02', ['Measuring\nI look it up.', '3 m']],
    ['g2', '10:04', ['Three metres, said again.']],
    ['u3', '10:07', ['Make it longer.']],
    ['g4', '10:08', ['no tail']],
  ])
  expect((await session.branches()).map(({ name }) => name.replace(/[0-9a-f]{8}$/, ''))).toEqual([
    'at-',
    'main',
  ])
  const [listed] = await store.list()
  expect(listed?.tokens).toEqual({ input: 120, output: 30, cacheRead: 80, cacheWrite: 0, total: 230 })
  expect(await exported(store, session.id)).toEqual(readFileSync(path))
  expect((await store.fsck()).findings).toEqual([])
})

it('takes a list that replaces what was there, without branches', async () => {
  const store = await newStore()
  const path = join(FIXTURES, 'compressed.jsonl')
  const [file] = (await store.import(path)).files
  const session = await store.session(file?.session ?? '')
  const branches = await session.branches()
  expect(branches.length).toBe(2)
  expect(await exported(store, session.id)).toEqual(readFileSync(path))
  expect((await store.fsck()).findings).toEqual([])
})

it('goes on with a session whose document was written anew', async () => {
  const store = await newStore()
  const path = join(newFolder(), 'session-2026-02-01T10-00-5e551011.json')
  const whole = readFileSync(join(FIXTURES, 'old.json'), 'utf8')
  const old = JSON.parse(whole) as { messages: unknown[] }
  writeFileSync(
    path,
    JSON.stringify({ ...old, messages: old.messages.slice(0, 1), lastUpdated: '' }, null, 2),
  )
  const [first] = (await store.import(path)).files
  writeFileSync(path, whole)
  const [second] = (await store.import(path)).files
  expect([second?.session, first?.entries, second?.entries, second?.newEntries]).toEqual([
    first?.session,
    1,
    3,
    2,
  ])
  expect((await exported(store, second?.session ?? '')).toString()).toBe(whole)
})

it('ends a path again where what continued it has another place now', async () => {
  const store = await newStore()
  const path = join(FIXTURES, '../cursor-chat/rows.jsonl')
  const [file] = (await store.import(path)).files
  const session = await store.session(file?.session ?? '')
  const said: Record<string, (string | null)[]> = {}
  for (const { name } of await session.branches()) {
    const texts: (string | null)[] = []
    for await (const { text } of store.log(`${session.id}/${name}`)) texts.push(text)
    said[name.replace(/[0-9a-f]{8}$/, '')] = texts.slice(0, 3)
  }
  expect(said).toEqual({
    main: ['Kept.', 'keep it', 'One: a.txt'],
    'at-': ['Gone.', 'delete it', 'One: a.txt'],
  })
  expect(await exported(store, session.id)).toEqual(readFileSync(path))
})
