import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { logId, type WriterId } from '../../src/model/record.ts'
import { branchRef, headRef, metaRef, nativesRef, type RefName } from '../../src/model/refname.ts'
import type { Repo } from '../../src/repo/repo.ts'
import {
  allSessions,
  findSession,
  getSession,
  headValue,
  logsOf,
  type NativeHead,
  refValue,
  type SessionState,
  sessionsFrom,
  tipOf,
  updatedOf,
} from '../../src/repo/session.ts'
import { expectFailure } from '../support/errors.ts'
import { makeSession } from '../support/sessions.ts'
import { BEGIN, openRepo } from '../support/store.ts'

const ids = (repo: Repo, prefix?: string): Promise<string[]> =>
  repo.read(async (reader) => {
    const found: string[] = []
    const sessions = prefix === undefined ? allSessions(reader) : sessionsFrom(reader, prefix)
    for await (const { id } of sessions) found.push(id)
    return found
  })

const session = (repo: Repo, id: string): Promise<SessionState> =>
  repo.read((reader) => getSession(reader, id))

describe('a session', () => {
  it('is assembled from its refs', async () => {
    const repo = await openRepo()
    const [one, two] = (await makeSession(repo, 's/1', {
      title: 'A title',
      texts: ['1', '2'],
    })) as [Oid, Oid]
    await repo.write({}, ({ move }) => move(branchRef('s/1', 'a/b c'), undefined, one))
    const found = await session(repo, 's/1')
    expect(found).toMatchObject({
      id: 's/1',
      meta: { title: 'A title', format: 'sess', created: BEGIN },
      head: { branch: 'main' },
      source: { count: 2, updated: BEGIN },
      natives: new Map(),
    })
    expect([...found.branches]).toEqual([
      ['a/b c', one],
      ['main', two],
    ])
    expect([tipOf(found), updatedOf(found)]).toEqual([two, BEGIN])
    expect(tipOf({ ...found, head: { oid: one } })).toBe(one)
    expect(tipOf({ ...found, head: { branch: 'gone' } })).toBeUndefined()
  })

  it('is read once until one of its refs moves', async () => {
    const repo = await openRepo()
    const [one, two] = (await makeSession(repo, 's', { texts: ['1', '2'] })) as [Oid, Oid]
    await session(repo, 's')
    const known = await session(repo, 's')
    await makeSession(repo, 'other', { texts: ['1'] })
    expect(await session(repo, 's')).toBe(known)

    await repo.write({}, ({ move }) => move(branchRef('s', 'side'), undefined, one))
    const moved = await session(repo, 's')
    expect([...moved.branches.keys()]).toEqual(['main', 'side'])
    await repo.write({}, ({ move }) => move(branchRef('s', 'side'), one, two))
    expect((await session(repo, 's')).branches.get('side')).toBe(two)
    expect(moved.branches.get('side')).toBe(one)
  })

  it('is on main without a ref HEAD', async () => {
    const repo = await openRepo()
    const [one] = (await makeSession(repo, 'a', { texts: ['1', '2'] })) as [Oid]
    await makeSession(repo, 'b', { texts: ['1', '2'], detached: one })
    const [onMain, detached] = [await session(repo, 'a'), await session(repo, 'b')]
    expect([onMain.hasHead, onMain.head, headValue(onMain)]).toEqual([false, { branch: 'main' }, undefined])
    expect([detached.hasHead, detached.head, headValue(detached)]).toEqual([true, { oid: one }, { oid: one }])
  })

  it('does not store unknown fields, and reads them as null', async () => {
    const repo = await openRepo()
    await makeSession(repo, 'a', { title: 'A title' })
    expect(await repo.read((reader) => reader.ref(metaRef('a')))).toEqual({
      format: 'sess',
      title: 'A title',
      created: BEGIN,
    })
    expect((await session(repo, 'a')).meta).toEqual({
      format: 'sess',
      title: 'A title',
      cwd: null,
      created: BEGIN,
      native: null,
      path: null,
    })
  })

  it('exists as long as it has metadata', async () => {
    const repo = await openRepo()
    await makeSession(repo, 'a', { texts: ['1'] })
    await repo.write({}, async ({ reader, move }) =>
      move(metaRef('a'), await reader.ref(metaRef('a')), undefined),
    )
    await repo.write({}, ({ move }) => move('sessions/stray' as RefName, undefined, 1))
    await repo.write({}, ({ move }) => move(headRef('b'), undefined, { branch: 'main' }))
    await makeSession(repo, 'c')
    expect(await ids(repo)).toEqual(['c'])
    expect(await repo.read((reader) => findSession(reader, 'a'))).toBeUndefined()
    await expectFailure('no-session', () => session(repo, 'a'))
  })

  it('is listed once, whatever prefix its id shares with others', async () => {
    const repo = await openRepo()
    const all = ['a', 'a b', 'a-b', 'a.', 'a/b', 'aa', 'b', 'é', 'main', 'sessions/a']
    for (const id of all) await makeSession(repo, id, { texts: [id] })
    expect((await ids(repo)).toSorted()).toEqual(all.toSorted())
    expect((await ids(repo, 'sessions/a')).toSorted()).toEqual(
      ['a', 'a b', 'a-b', 'a.', 'a/b', 'aa'].toSorted(),
    )
    for (const id of all) expect((await session(repo, id)).branches.size).toBe(1)
  })

  it('lists its logs newest first: native, source, shared', async () => {
    const repo = await openRepo()
    await makeSession(repo, 'a', { texts: ['1'] })
    const log = (number: number) => logId('0123456789abcdef' as WriterId, number)
    const native: NativeHead = {
      log: log(90),
      count: 3,
      entries: 3,
      hash: 'ab'.repeat(32),
      updated: BEGIN + 7,
    }
    const base = [
      [log(80), 2],
      [log(70), 1],
    ] as const
    await repo.write({}, ({ move }) => move(nativesRef('a', 'w'), undefined, refValue(native)))
    await repo.write({}, async ({ reader, move }) => {
      const meta = (await reader.ref(metaRef('a'))) as JsonObject
      move(metaRef('a'), meta, { ...meta, fork: { base, entries: 2 } })
    })
    const found = await session(repo, 'a')
    expect(logsOf(found)).toEqual([
      [log(90), 3],
      [found.source!.log, 1],
      [log(80), 2],
      [log(70), 1],
    ])
    expect(updatedOf(found)).toBe(BEGIN + 7)
    expect(updatedOf({ ...found, source: undefined, natives: new Map() })).toBe(BEGIN)
    expect(
      updatedOf({ ...found, source: undefined, natives: new Map(), meta: { ...found.meta, created: null } }),
    ).toBeNull()
  })
})
