import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  locateStore,
  openStore,
  type RecordCursor,
  type SessionRecord,
  SessionStore,
  type SessionWrites,
  type Store,
} from '../../src/index.ts'
import { labelRef } from '../../src/model/refname.ts'
import { Repo } from '../../src/repo/repo.ts'
import { afterTest } from '../support/cleanup.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'

async function opened(): Promise<{ readonly dir: string; readonly store: SessionStore }> {
  const dir = join(newFolder(), 'store')
  const store = await SessionStore.open(dir, { create: true, command: 'tea-agent' })
  afterTest(() => store.close())
  return { dir, store }
}

async function wholeStore(dir: string): Promise<Store> {
  const store = await openStore(dir)
  afterTest(() => store.close())
  return store
}

const said = (content: string) => ({ role: 'user', content })

/** Appends a message below others, in a record of its own. */
const appended = (writes: SessionWrites, id: string, content: string, ...parents: string[]) =>
  writes.append('tea', {
    value: { id, said: said(content) },
    entry: { type: 'sess/message', body: said(content), parents: parents as never, at: ['said'] },
    native: id,
    time: Date.UTC(2026, 0, 1),
  })

/** A session with two messages and a note between them. */
const begun = (store: SessionStore) =>
  store.write(async (writes) => {
    await writes.create('tea', { format: 'tea-agent', title: 'Tea', parent: 'older' })
    const first = await appended(writes, 'm1', 'Green?')
    await writes.append('tea', { value: { id: 'r1' }, native: 'r1' })
    const second = await appended(writes, 'm2', 'Black?', first)
    await writes.setBranch('tea', 'main', first)
    await writes.setBranch('tea', 'main', second)
    await writes.setLabel('tea', 'start', first)
    return { first, second }
  })

const readAll = (store: SessionStore, after?: RecordCursor) =>
  store.read(async (reads) => {
    const found = await reads.records('tea', after)
    const records: SessionRecord[] = []
    for await (const record of found?.records ?? []) records.push(record)
    return { ...found, records }
  })

describe('a unit of work', () => {
  it('is one operation with a session, records, entries and names, of which nothing differs afterwards', async () => {
    const { dir, store } = await opened()
    const { first, second } = await begun(store)
    const { session, records, continues } = await readAll(store)
    expect(continues).toBe(false)
    expect(session).toMatchObject({ id: 'tea', format: 'tea-agent', title: 'Tea', parent: 'older' })
    expect([session?.branches, session?.labels]).toEqual([
      new Map([['main', second]]),
      new Map([['start', first]]),
    ])
    const time = Date.UTC(2026, 0, 1)
    expect(records).toEqual([
      { value: { id: 'm1', said: said('Green?') }, oid: first, native: 'm1', time },
      { value: { id: 'r1' }, oid: undefined, native: 'r1', time: expect.any(Number) as number },
      { value: { id: 'm2', said: said('Black?') }, oid: second, native: 'm2', time },
    ])
    const whole = await wholeStore(dir)
    expect(await whole.show('tea')).toMatchObject({ oid: second, parents: [first], native: 'm2' })
    const operations = []
    for await (const { command } of whole.operations()) operations.push(command)
    expect(operations).toEqual(['tea-agent'])
    expect((await whole.search('green')).hits.map(({ oid }) => oid)).toEqual([first])
    expect((await whole.fsck()).findings).toEqual([])
  })

  it('changes nothing where it throws', async () => {
    const { store } = await opened()
    await begun(store)
    const before = await readAll(store)
    const work = store.write(async (writes) => {
      await appended(writes, 'm3', 'White?')
      await writes.rename('tea', 'Other')
      throw new RangeError('no')
    })
    await expect(work).rejects.toThrow(new RangeError('no'))
    expect(await readAll(store)).toEqual(before)
  })

  it('reads the state before it, and names what it appended', async () => {
    const { store } = await opened()
    const { first, second } = await begun(store)
    await store.write(
      async (writes) => {
        const oid = await appended(writes, 'm3', 'White?', first)
        await writes.setBranch('tea', 'white', oid)
        await writes.setLabel('tea', 'start', null)
        await writes.rename('tea', null)
        expect(await writes.branch('tea', 'white')).toBeUndefined()
        expect([await writes.branch('tea', 'main'), await writes.label('tea', 'start')]).toEqual([
          second,
          first,
        ])
      },
      { command: 'tea-agent white' },
    )
    const { session } = await readAll(store)
    expect([session?.title, session?.labels.size]).toEqual([null, 0])
    const white = session?.branches.get('white')
    if (white === undefined) throw new Error('there is no branch')
    const entry = await store.read((reads) => reads.entry(white))
    expect(entry).toEqual({ type: 'sess/message', parents: [first], body: said('White?') })
  })

  it('keeps each of many that are made at once, in their order, with a version for each', async () => {
    const { store } = await opened()
    await begun(store)
    const version = () => store.read((reads) => reads.version())
    const before = await version()
    expect(await version()).toBe(before)
    const numbers = Array.from({ length: 20 }, (_, i) => i)
    await Promise.all(numbers.map((i) => store.write((writes) => writes.append('tea', { value: i }))))
    expect((await readAll(store)).records.slice(3).map(({ value }) => value)).toEqual(numbers)
    expect(await version()).toBeGreaterThan(before)
  })

  it('finds entries of another session that a branch is set to', async () => {
    const { dir, store } = await opened()
    const { first } = await begun(store)
    await store.write(async (writes) => {
      await writes.create('other')
      await writes.setBranch('other', 'main', first)
    })
    const whole = await wholeStore(dir)
    const { hits } = await whole.search('green', { session: 'other' })
    expect(hits.map(({ oid, session }) => [oid, session])).toEqual([[first, 'other']])
  })

  it('refuses what cannot be', async () => {
    const { store } = await opened()
    await begun(store)
    const none = 'f'.repeat(64) as never
    const refusals: readonly [string, (writes: SessionWrites) => Promise<unknown>][] = [
      ['exists', (writes) => writes.create('tea')],
      ['no-session', (writes) => writes.create('new', { continues: { session: 'gone', entries: 0 } })],
      ['no-session', (writes) => writes.append('gone', { value: 1 })],
      ['no-session', (writes) => writes.rename('gone', 'x')],
      ['bad-entry', (writes) => writes.append('tea', {})],
      ['no-entry', (writes) => appended(writes, 'm', 'x', none)],
      ['no-entry', (writes) => writes.setBranch('tea', 'main', none)],
      ['no-entry', (writes) => writes.entry(none)],
    ]
    for (const [code, work] of refusals) await expectFailure(code as never, () => store.write(work))
    expect(await store.read((reads) => reads.records('gone'))).toBeUndefined()
  })
})

describe('the records of a session', () => {
  it('continue after a cursor, until an undo takes some away', async () => {
    const { dir, store } = await opened()
    await begun(store)
    const { cursor } = await readAll(store)
    await store.write((writes) => writes.append('tea', { value: 'more' }), { coalesce: 'more' })
    const more = await readAll(store, cursor)
    expect([more.continues, more.records.map(({ value }) => value)]).toEqual([true, ['more']])
    await (await wholeStore(dir)).undo()
    await store.write((writes) => writes.append('tea', { value: 'other' }))
    const again = await readAll(store, more.cursor)
    expect([again.continues, again.records.map(({ value }) => value).slice(3)]).toEqual([false, ['other']])
  })

  it('begin with those of the session that it continues', async () => {
    const { store } = await opened()
    await begun(store)
    await store.write(async (writes) => {
      await writes.create('copy', { continues: { session: 'tea', entries: 2 } })
      await writes.append('copy', { value: 'own' })
    })
    const values = await store.read(async (reads) => {
      const found: unknown[] = []
      for await (const { native, value } of (await reads.records('copy'))?.records ?? [])
        found.push(native ?? value)
      return found
    })
    expect(values).toEqual(['m1', 'r1', 'm2', 'own'])
  })
})

describe('a store', () => {
  it('is closed by await using, with all of its methods', async () => {
    const dir = newFolder()
    let kept: Store
    {
      await using store = await openStore(dir, { create: true })
      kept = store
      expect(store).toBeInstanceOf(SessionStore)
      await store.write((writes) => writes.create('tea'))
      expect((await store.session('tea')).id).toBe('tea')
    }
    await expectFailure('closed', () => kept.list())
    await expectFailure('closed', () => kept.read((reads) => reads.find('tea')))
  })

  it('is where the command line has it', () => {
    const cwd = newFolder()
    expect(locateStore({ cwd, variables: { SESS_STORE: 'mine' } })).toBe(join(cwd, 'mine'))
    expect(locateStore({ cwd, variables: { XDG_DATA_HOME: '/data' } })).toBe('/data/sess')
  })
})

it('tells which damaged refs reading went on without', async () => {
  const { dir, store } = await opened()
  const whole = await wholeStore(dir)
  const { id } = await whole.createSession()
  await store.close()
  await whole.close()
  const repo = await Repo.open(dir)
  await repo.write({ repairs: true }, ({ move }) => move(labelRef(id, 'bad'), undefined, {}))
  await repo.close()
  const damaged = await wholeStore(dir)
  expect(await damaged.passedOver()).toEqual(new Map())
  expect(await damaged.list()).toHaveLength(1)
  expect(await damaged.passedOver()).toEqual(
    new Map([[`sessions/${id}/labels/bad`, 'its value has another form']]),
  )
})
