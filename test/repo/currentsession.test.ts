import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import { switchTo } from '../../src/ops/switch.ts'
import { undo } from '../../src/ops/undo.ts'
import { findCurrent } from '../../src/repo/currentsession.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { resolve } from '../../src/repo/revision.ts'
import { expectFailure } from '../support/errors.ts'
import { makeSession } from '../support/sessions.ts'
import { openRepo, quietEnv, readerIn } from '../support/store.ts'

const currentIn = async (repo: Repo, cwd: string): Promise<readonly [string, string] | undefined> => {
  const current = await repo.read((reader) => findCurrent(readerIn(reader, cwd)))
  return current && [current.session.id, current.because]
}

describe('the current session', () => {
  it('is the newest of the nearest folder upward that has sessions', async () => {
    const repo = await openRepo()
    await makeSession(repo, 'old', { cwd: '/work/tides', updated: 1000 })
    await makeSession(repo, 'new', { cwd: '/work/tides', updated: 2000 })
    await makeSession(repo, 'above', { cwd: '/work', updated: 3000 })
    expect(await currentIn(repo, '/work/tides')).toEqual(['new', 'newest'])
    expect(await currentIn(repo, '/work/tides/src/deep')).toEqual(['new', 'newest'])
    expect(await currentIn(repo, '/work/other')).toEqual(['above', 'newest'])
    expect(await currentIn(repo, '/')).toBeUndefined()
  })

  it('is found in each folder that it worked in, but in a subfolder only as from above', async () => {
    const repo = await openRepo()
    const folders = ['/lamp', '/lamp/src', '/tree']
    await makeSession(repo, 'old', { cwd: '/tree', folders, updated: 1000 })
    for (const folder of [...folders, '/lamp/docs', '/tree/src'])
      expect([folder, await currentIn(repo, folder)]).toEqual([folder, ['old', 'newest']])
    await makeSession(repo, 'new', { cwd: '/lamp', updated: 2000 })
    expect(await currentIn(repo, '/lamp/src')).toEqual(['new', 'newest'])
    expect(await currentIn(repo, '/tree')).toEqual(['old', 'newest'])
    await makeSession(repo, 'in', { cwd: '/lamp/src', folders: ['/lamp', '/lamp/src'], updated: 1500 })
    expect(await currentIn(repo, '/lamp/src')).toEqual(['in', 'newest'])
  })

  it('is the one that was switched to, in the folder and below it', async () => {
    const repo = await openRepo(undefined, { env: { ...quietEnv(), cwd: '/work/tides/src' } })
    await makeSession(repo, 'old', { cwd: '/work/tides', texts: ['1'], updated: 1000 })
    await makeSession(repo, 'new', { cwd: '/work/tides', texts: ['2'], updated: 2000 })
    const done = await switchTo(repo, 'old', undefined, { makeCurrent: true })
    expect(done.folder).toBe('/work/tides')
    expect(await currentIn(repo, '/work/tides')).toEqual(['old', 'switched'])
    expect(await currentIn(repo, '/work/tides/src')).toEqual(['old', 'switched'])
    await undo(repo, { any: true })
    expect(await currentIn(repo, '/work/tides')).toEqual(['new', 'newest'])
  })

  it('is current in the working folder where no folder above has sessions', async () => {
    const repo = await openRepo(undefined, { env: { ...quietEnv(), cwd: '/elsewhere/here' } })
    await makeSession(repo, 'far', { cwd: '/work', texts: ['1'] })
    await switchTo(repo, 'far', undefined, { makeCurrent: true })
    expect(await currentIn(repo, '/elsewhere/here')).toEqual(['far', 'switched'])
    expect(await currentIn(repo, '/elsewhere')).toBeUndefined()
  })

  it('is no longer the one that was switched to once that is removed', async () => {
    const repo = await openRepo(undefined, { env: { ...quietEnv(), cwd: '/work' } })
    await makeSession(repo, 'old', { cwd: '/work', texts: ['1'], updated: 1000 })
    await makeSession(repo, 'new', { cwd: '/work', texts: ['2'], updated: 2000 })
    await switchTo(repo, 'old', undefined, { makeCurrent: true })
    await removeSessions(repo, ['old'])
    expect(await currentIn(repo, '/work')).toEqual(['new', 'newest'])
  })

  it('is the one that the environment names, by its id or a prefix of it', async () => {
    const repo = await openRepo(undefined, { env: { ...quietEnv(), session: 'abc' } })
    await makeSession(repo, 'abcdef', { texts: ['1'] })
    await makeSession(repo, 'new', { cwd: '/work', texts: ['2'] })
    expect(await currentIn(repo, '/work')).toEqual(['abcdef', 'named'])
    const lost = await openRepo(undefined, { env: { ...quietEnv(), session: 'none' } })
    await expectFailure('no-session', () => currentIn(lost, '/work'))
  })
})

describe('a revision in the current session', () => {
  it('is HEAD, @, or the bare name of a branch or a label', async () => {
    const repo = await openRepo()
    const [one] = (await makeSession(repo, 'other', { texts: ['1'] })) as [Oid]
    const [two, three] = (await makeSession(repo, 'talk', {
      cwd: '/work',
      texts: ['2', '3'],
      branches: { try: one },
      labels: { good: one },
    })) as [Oid, Oid]
    const at = (text: string) => repo.read((reader) => resolve(readerIn(reader, '/work/src'), text))
    expect((await at('HEAD')).oid).toBe(three)
    expect((await at('@')).oid).toBe(three)
    expect((await at('HEAD~1')).oid).toBe(two)
    expect(await at('try')).toMatchObject({ oid: one, branch: 'try', session: { id: 'talk' } })
    expect((await at('main~1')).oid).toBe(two)
    expect((await at('good')).oid).toBe(one)
    await expectFailure('no-revision', () => repo.read((reader) => resolve(readerIn(reader, '/'), 'try')))
  })

  it('yields to a session with that id, and comes before a title', async () => {
    const repo = await openRepo()
    const [one] = (await makeSession(repo, 'try', { texts: ['1'] })) as [Oid]
    const [two] = (await makeSession(repo, 'titled', { title: 'good', texts: ['2'] })) as [Oid]
    await makeSession(repo, 'talk', { cwd: '/work', texts: ['3'], branches: { try: two, good: one } })
    const at = (text: string) => repo.read((reader) => resolve(reader, text))
    expect((await at('try')).oid).toBe(one)
    expect((await at('good')).oid).toBe(one)
  })
})
