import { describe, expect, it } from 'vitest'
import type { EntryInput, Session } from '../../src/library/session.ts'
import type { Store } from '../../src/library/store.ts'
import type { Json } from '../../src/model/json.ts'
import { type EventName, Listeners } from '../../src/ops/events.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo, refsOf } from '../support/store.ts'
import { storeOver } from '../support/storeover.ts'

const says = (content: string): EntryInput => ({ body: { role: 'user', content } })

async function conversation(): Promise<{
  store: Store
  session: Session
  refs: () => Promise<Json>
}> {
  const repo = await openRepo()
  const store = storeOver(repo)
  const session = await store.createSession({ title: 'Tea' })
  await session.appendAll(['1', '2', '3'].map(says))
  return { store, session, refs: () => refsOf(repo) }
}

type Verb = (store: Store, session: Session) => Promise<unknown>

const VERBS: readonly (readonly [EventName & `before-${string}`, EventName, Verb])[] = [
  ['before-append', 'append', (_, session) => session.append(says('4'))],
  ['before-switch', 'switch', (_, session) => session.switch('Tea~1')],
  ['before-switch', 'switch', (_, session) => session.switchToRoot()],
  ['before-branch', 'branch', (_, session) => session.branch('other')],
  ['before-fork', 'fork', (store) => store.fork('Tea~1')],
]

describe('events', () => {
  it.each(VERBS)('%s: who is told may cancel, and nothing is changed', async (before, after, verb) => {
    const { store, session, refs } = await conversation()
    const told: string[] = []
    const off = store.on(before, async () => {
      await store.resolve('Tea')
      told.push(before)
      return { cancel: true }
    })
    store.on(before, () => void told.push('one that is asked no more'))
    store.on(after, () => void told.push(after))
    const was = await refs()
    const { message } = await expectFailure('cancelled', () => verb(store, session))
    expect(message).toBe(`a handler cancelled this ${after}`)
    expect([await refs(), told]).toEqual([was, [before]])
    off()
    await verb(store, session)
    expect(told).toEqual([before, 'one that is asked no more', after])
  })

  it.each(VERBS)('%s: what who is told throws is thrown, and nothing is changed', async (before, _, verb) => {
    const { store, session, refs } = await conversation()
    store.on(before, () => {
      throw new RangeError('no')
    })
    const was = await refs()
    await expect(verb(store, session)).rejects.toThrow(new RangeError('no'))
    expect(await refs()).toEqual(was)
  })

  it('tell what is done, and what was', async () => {
    const { store, session } = await conversation()
    const told: [string, unknown][] = []
    for (const name of new Set(VERBS.flatMap(([before, after]) => [before, after])))
      store.on(name, (event) => void told.push([name, event]))
    const tip = await store.resolve('Tea')
    const older = await store.resolve('Tea~1')
    await session.branch('other', 'Tea~1')
    const branch = { session: session.id, action: 'create', name: 'other', oid: older, current: false }
    expect(told).toEqual([
      ['before-branch', branch],
      ['branch', branch],
    ])
    told.length = 0
    await session.switch('other')
    const head = { branch: 'other' }
    const switched = { session: session.id, head, tip: older, before: { branch: 'main' }, beforeTip: tip }
    expect(told).toEqual([
      ['before-switch', switched],
      ['switch', switched],
    ])
    told.length = 0
    const forked = await store.fork('Tea/main')
    expect(told).toEqual([
      ['before-fork', { from: session.id, tip, position: 'at' }],
      ['fork', { session: forked.id, tip }],
    ])
    told.length = 0
    const oid = await session.append(says('4'), { branch: 'main' })
    const about = { session: session.id, branch: 'main' }
    expect(told).toEqual([
      ['before-append', { ...about, entries: [{ type: 'sess/message', body: says('4').body }] }],
      ['append', { ...about, oids: [oid] }],
    ])
  })

  it('refuse what has become something else while who is told thought about it', async () => {
    const { store, session } = await conversation()
    await session.branch('other', 'Tea~2')
    store.on('before-switch', async () => {
      await session.append(says('4'), { branch: 'other' })
    })
    await expectFailure('conflict', () => session.switch('other'))
    expect((await session.info()).head).toBe('main')
  })

  it('give what is thrown behind a deed to the handlers of error', async () => {
    const { store, session } = await conversation()
    const told: unknown[] = []
    const error = new RangeError('too late')
    store.on('append', () => Promise.reject(error))
    store.on('append', ({ branch }) => void told.push(branch))
    store.on('error', (event) => void told.push(event))
    const oid = await session.append(says('4'))
    expect(await session.tip()).toBe(oid)
    expect(told).toEqual([{ event: 'append', error }, null])
  })

  it('take the later of several answers', async () => {
    const listeners = new Listeners()
    listeners.on('before-compact', () => ({ label: 'a', summary: { summary: 'x' } }))
    listeners.on('before-compact', () => Promise.resolve({ label: 'b' }))
    listeners.on('before-compact', () => undefined)
    const answer = await listeners.ask('before-compact', {} as never)
    expect(answer).toEqual({ label: 'b', summary: { summary: 'x' } })
  })
})
