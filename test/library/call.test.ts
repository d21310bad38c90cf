import { expect, it } from 'vitest'
import { openStore, type Store } from '../../src/index.ts'
import { collected } from '../../src/model/async.ts'
import { afterTest } from '../support/cleanup.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

const says = (content: string) => ({ body: { role: 'user', content } }) as const

async function opened(): Promise<Store> {
  const store = await openStore(newFolder(), { create: true })
  afterTest(() => store.close())
  return store
}

it('names the caller of each call in the operation log, of sessions too', async () => {
  const store = await opened()
  const session = await store.call({ command: 'page', actor: 'person' }).createSession()
  await session.append(says('hello'))
  await (await store.session(session.id)).append(says('there'))
  const found = await collected(store.operations())
  expect(found.map(({ command, actor }) => [command, actor])).toEqual([
    ['library', 'program'],
    ['page', 'person'],
    ['page', 'person'],
  ])
})

it('undoes for a person what persons did, for a program the newest of all', async () => {
  const store = await opened()
  const person = store.call({ command: 'page', actor: 'person' })
  const session = await store.session((await person.createSession({ title: 'by a person' })).id)
  await session.append(says('by a program'))
  expect((await store.undo()).operation.actor).toBe('program')
  await session.append(says('again'))
  await expectFailure('conflict', () => person.undo())
  await store.undo()
  expect((await person.undo()).operation.actor).toBe('person')
  expect(await store.sessions()).toEqual([])
})

it('stops each method of a call whose signal was aborted', async () => {
  const store = await opened()
  const { id } = await store.createSession()
  await (await store.session(id)).append(says('hello'))
  const call = store.call({ signal: AbortSignal.abort() })
  const methods: readonly (() => Promise<unknown>)[] = [
    () => call.createSession(),
    () => call.session(id),
    () => call.sessions(),
    () => call.list(),
    () => call.resolve(id),
    () => call.show(id),
    () => call.search('hello'),
    () => call.context(id),
    () => call.mergeBase(id, id),
    () => call.diff(id, id),
    () => call.fork(id),
    () => call.remove([id]),
    () => call.relink(),
    () => call.undo(),
    () => call.redo(),
    () => call.movedSince(0),
    () => call.stats(),
    () => call.usage('day'),
    () => call.fsck(),
    () => collected(call.log(id)),
    () => collected(call.select('all')),
    () => collected(call.export(id)),
    () => collected(call.operations()),
  ]
  for (const method of methods) await expectFailure('stopped', method)
  expect((await store.list()).length).toBe(1)
})

it('shows what a call would change, and changes nothing', async () => {
  const store = await opened()
  const { id } = await store.createSession({ title: 'Tea' })
  const dry = store.call({ dryRun: true })
  await dry.remove([id])
  expect([(await dry.sessions()).length, (await store.sessions()).length]).toEqual([0, 1])
  await dry.close()
  expect((await store.sessions()).length).toBe(1)
})

it('reads the store as it was, in one call', async () => {
  const store = await opened()
  const session = await store.createSession()
  await session.append(says('hello'))
  const past = store.call({ atOperation: 1 })
  expect(await (await past.session(session.id)).tip()).toBe(null)
  expect(await session.tip()).not.toBe(null)
})
