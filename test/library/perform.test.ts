import { expect, it } from 'vitest'
import { type Hit, openStore, type VerbInput, type VerbResult } from '../../src/index.ts'
import { VERBS } from '../../src/verbs/index.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

const says = (content: string) => ({ body: { role: 'user', content } }) as const

it('a verb is performed by its name, once for a key and only on what it expects', async () => {
  await using store = await openStore(newFolder(), { create: true })
  const session = await store.createSession({ title: 'Tea' })
  const first = await session.append(says('Green or black?'))

  const renamed = await store.perform('rename', { session: session.id, title: 'Cups' }, { key: 'r1' })
  const result: VerbResult<'rename'> | null = renamed.result
  expect(result).toEqual({ session: session.id, title: 'Cups', before: 'Tea' })
  const input: VerbInput<'rename'> = { session: session.id, title: 'Again' }
  expect(await store.perform('rename', input, { key: 'r1' })).toEqual({
    operation: renamed.operation,
    repeated: true,
    result: null,
  })
  expect((await session.info()).title).toBe('Cups')

  const label = { label: 'good', session: session.id }
  await expectFailure('conflict', () =>
    store.perform('label', label, { expected: { [`${session.id}/main`]: null } }),
  )
  const { operation } = await store.perform('label', label, { expected: { [session.id]: first } })
  expect((await store.perform('labels', label)).result?.map(({ name, oid }) => [name, oid])).toEqual([
    ['good', first],
  ])
  await store.undo({ operation: `${operation}` })
  const dry = await store.perform('label', label, { dryRun: true })
  expect([dry.operation, dry.result?.name, await session.labels()]).toEqual([null, 'good', []])
})

it('the types of a verb are those of its declaration', () => {
  // @ts-expect-error a title is missing
  const untitled: VerbInput<'rename'> = { session: 'Tea' }
  // @ts-expect-error no verb has this name
  const unknown: VerbInput<'renamed'> = {}
  const sorted: VerbInput<'ls'> = { sort: 'updated' }
  expect([untitled, unknown, sorted]).toHaveLength(3)
})

it('a method is one operation of the caller, as its verb is in every interface', async () => {
  await using store = await openStore(newFolder(), { create: true })
  const session = await store.createSession()
  await session.append(says('Green or black?'))
  const page = await store.call({ command: 'page', actor: 'person' }).session(session.id)
  await page.branch('other')
  await page.rename('Tea')
  const { items } = await store.pages.operations({ limit: 2 })
  expect(items.map(({ command, actor }) => [command, actor])).toEqual([
    ['page', 'person'],
    ['page', 'person'],
  ])
})

it('knows all verbs, also those that need no store', async () => {
  await using store = await openStore(newFolder(), { create: true })
  expect(VERBS).toContain('config-get')
  const { result } = await store.perform('config-get', { setting: 'pager' })
  expect(result?.key).toBe('pager')
})

it('a page has 50 items where no size is asked for, and hits say what they are', async () => {
  await using store = await openStore(newFolder(), { create: true })
  const session = await store.createSession({ title: 'Numbers' })
  await session.appendAll(Array.from({ length: 51 }, (_, n) => says(`What is ${n} squared?`)))
  expect((await store.pages.log(session.id)).items).toHaveLength(50)
  const { hits, complete, short } = await store.search('7 squared', { limit: 1 })
  const [hit] = hits as readonly Hit[]
  expect(Object.keys(hit as Hit).sort()).toEqual([
    'cursor',
    'oid',
    'others',
    'prompt',
    'rank',
    'role',
    'session',
    'snippets',
    'time',
    'title',
  ])
  const [snippet] = hit?.snippets ?? []
  expect(Object.keys(snippet ?? {}).sort()).toEqual(['cut', 'place', 'spans', 'text', 'tool'])
  expect([complete, short.size, session.id.startsWith(short.get(session.id) ?? '-')]).toEqual([
    false,
    1,
    true,
  ])
})
