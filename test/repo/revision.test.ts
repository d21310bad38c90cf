import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { branchRef, headRef, metaRef } from '../../src/model/refname.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { type ResolvedRevision, resolve, resolveSession, resolveSessionId } from '../../src/repo/revision.ts'
import { expectFailure } from '../support/errors.ts'
import { makeSession } from '../support/sessions.ts'
import { add, BEGIN, openRepo, quietEnv, readerIn } from '../support/store.ts'

const at = (repo: Repo, text: string, cwd = '/work'): Promise<ResolvedRevision> =>
  repo.read((reader) => resolve(readerIn(reader, cwd), text))

const oidAt = async (repo: Repo, text: string, cwd?: string): Promise<Oid> => (await at(repo, text, cwd)).oid

const sessionAt = async (repo: Repo, text: string, cwd = '/work'): Promise<string> =>
  (await repo.read((reader) => resolveSession(readerIn(reader, cwd), text))).id

describe('a revision', () => {
  it('names a session, or a branch, a label or HEAD of one', async () => {
    const repo = await openRepo()
    const [one, two] = (await makeSession(repo, 'other', { texts: ['1', '2'] })) as [Oid, Oid]
    const [three] = (await makeSession(repo, 'talk', {
      texts: ['3'],
      branches: { 'feature/x': one, labelled: one },
      labels: { mark: two, labelled: two },
    })) as [Oid]
    const { oid, session, branch } = await at(repo, 'talk')
    expect([oid, session?.id, branch]).toEqual([three, 'talk', 'main'])
    expect(await at(repo, 'talk/feature/x')).toMatchObject({ oid: one, branch: 'feature/x' })
    expect(await oidAt(repo, 'talk/main')).toBe(three)
    expect(await oidAt(repo, 'talk/HEAD')).toBe(three)
    const mark = await at(repo, 'talk/mark')
    expect([mark.oid, mark.branch]).toEqual([two, undefined])
    expect(await oidAt(repo, 'talk/labelled')).toBe(one)
    expect((await expectFailure('no-revision', () => at(repo, 'talk/none'))).message).toBe(
      "no session or entry is called 'talk/none'",
    )
  })

  it("names the tip of a session's HEAD, attached or detached", async () => {
    const repo = await openRepo()
    const [one] = (await makeSession(repo, 'a', { texts: ['1', '2'] })) as [Oid]
    await makeSession(repo, 'b', { texts: ['3'], detached: one })
    const detached = await at(repo, 'b')
    expect([detached.oid, detached.branch]).toEqual([one, undefined])
    await makeSession(repo, 'empty')
    await expectFailure('empty-session', () => at(repo, 'empty'))
    await expectFailure('empty-session', () => at(repo, 'empty~1'))
  })

  it('names a title, a native id, a prefix of an oid or of a session id', async () => {
    const repo = await openRepo()
    const [one, two] = (await makeSession(repo, 'long-session-id', {
      title: 'Fix the bug',
      texts: ['1', '2'],
    })) as [Oid, Oid]
    expect(await oidAt(repo, 'Fix the bug')).toBe(two)
    expect(await oidAt(repo, 'Fix the bug/main')).toBe(two)
    expect(await oidAt(repo, 'long-session-id:n0')).toBe(one)
    expect(await oidAt(repo, 'Fix the bug:n1')).toBe(two)
    await expectFailure('no-revision', () => at(repo, 'long-session-id:n2'))
    for (const digits of [4, 5, 12, 64]) {
      expect(await oidAt(repo, one.slice(0, digits))).toBe(one)
      expect(await oidAt(repo, one.slice(0, digits).toUpperCase())).toBe(one)
    }
    expect((await at(repo, one)).session).toBeUndefined()
    await expectFailure('no-revision', () => at(repo, one.slice(0, 3)))
    await expectFailure('no-revision', () => at(repo, '0'.repeat(64)))
    expect(await oidAt(repo, 'long')).toBe(two)
    expect(await oidAt(repo, 'l')).toBe(two)
    await expectFailure('no-revision', () => at(repo, ''))
    await expectFailure('no-revision', () => at(repo, 'Fix the'))
  })

  it('is tried as each of these in order, and the first match counts', async () => {
    const repo = await openRepo()
    const [one] = (await makeSession(repo, 'x', { texts: ['1'] })) as [Oid]
    const prefix = one.slice(0, 6)
    const [two] = (await makeSession(repo, `${prefix}-and-more`, { texts: ['2'] })) as [Oid]
    // An oid prefix before a session id prefix.
    expect(await oidAt(repo, prefix)).toBe(one)
    // A title before that.
    const [three] = (await makeSession(repo, 'z', { title: prefix, texts: ['3'] })) as [Oid]
    expect(await oidAt(repo, prefix)).toBe(three)
    // A native id comes after a title.
    const [four] = (await makeSession(repo, 'w', { title: 'x:n0', texts: ['4'] })) as [Oid]
    expect(await oidAt(repo, 'x:n0')).toBe(four)
    // A branch before a title.
    await makeSession(repo, 'v', { title: 'x/main', texts: ['5'] })
    expect(await oidAt(repo, 'x/main')).toBe(one)
    // An exact id before all.
    const [six] = (await makeSession(repo, prefix, { texts: ['6'] })) as [Oid]
    expect(await oidAt(repo, prefix)).toBe(six)
    expect(await oidAt(repo, `${prefix}-`)).toBe(two)
  })

  it('may be @, the current session', async () => {
    const repo = await openRepo()
    const [one] = (await makeSession(repo, 'a', { texts: ['1'], cwd: '/work', updated: BEGIN + 5 })) as [Oid]
    await makeSession(repo, 'b', { texts: ['2'], cwd: '/work', updated: BEGIN + 1 })
    const [three] = (await makeSession(repo, 'c', { texts: ['3'], cwd: '/else', updated: BEGIN + 9 })) as [
      Oid,
    ]
    expect(await oidAt(repo, '@')).toBe(one)
    expect(await oidAt(repo, '@/main')).toBe(one)
    expect(await oidAt(repo, '@', '/else')).toBe(three)
    expect((await expectFailure('no-session', () => at(repo, '@', '/nowhere'))).message).toBe(
      "no session is current in '/nowhere' (none was switched to or held there or above)",
    )
  })

  it('is an error with candidates where it is ambiguous', async () => {
    const repo = await openRepo()
    await makeSession(repo, 'same-1', { title: 'same', texts: ['1'] })
    await makeSession(repo, 'same-2', { title: 'same', texts: ['2'] })
    await makeSession(repo, 'other', { title: 'once', texts: ['3'] })
    for (const name of ['same', 'same-'])
      expect(await expectFailure('ambiguous-revision', () => at(repo, name))).toMatchObject({
        message: `'${name}' is ambiguous`,
        candidates: ['same-1', 'same-2'],
      })
    await expectFailure('ambiguous-revision', () => sessionAt(repo, 'same'))
    const oids: Oid[] = await repo.write({ bulk: true }, ({ writer }) =>
      Array.from({ length: 3000 }, (_, i) => add(writer, i).oid),
    )
    const sorted = oids.toSorted()
    const twin = sorted.findIndex((oid, i) => sorted[i + 1]?.startsWith(oid.slice(0, 4)))
    const [first, second] = [sorted[twin]!, sorted[twin + 1]!]
    const { candidates } = await expectFailure('ambiguous-revision', () => at(repo, first.slice(0, 4)))
    expect(candidates).toEqual(expect.arrayContaining([first, second]))
    const length = [...first].findIndex((digit, i) => digit !== second[i]) + 1
    expect(await oidAt(repo, first.slice(0, length))).toBe(first)
  })

  it('is tried as a title where its first part is ambiguous', async () => {
    const repo = await openRepo()
    await makeSession(repo, 'fix-1', { texts: ['1'] })
    await makeSession(repo, 'fix-2', { texts: ['2'] })
    const [three, four] = [
      ...(await makeSession(repo, 'x', { title: 'fix/everything', texts: ['3'] })),
      ...(await makeSession(repo, 'y', { title: 'fix: the rest', texts: ['4'] })),
    ] as [Oid, Oid]
    expect(await oidAt(repo, 'fix/everything')).toBe(three)
    expect(await oidAt(repo, 'fix: the rest')).toBe(four)
    for (const name of ['fix/main', 'fix:n0'])
      expect((await expectFailure('ambiguous-revision', () => at(repo, name))).candidates).toEqual([
        'fix-1',
        'fix-2',
      ])
  })
})

describe('the suffixes of a revision', () => {
  it('select ancestors and further parents', async () => {
    const repo = await openRepo()
    const [base, side, merge] = await repo.write({}, ({ writer }) => {
      const root = add(writer, 'root')
      const left = add(writer, 'left', root)
      const right = add(writer, 'right', root)
      return [left.oid, right.oid, add(writer, 'merge', left, right).oid]
    })
    await makeSession(repo, 's', { texts: ['1'], branches: { merged: merge } })
    const [root] = [await oidAt(repo, 's/merged~2')]
    expect(await oidAt(repo, 's/merged~')).toBe(base)
    expect(await oidAt(repo, 's/merged^')).toBe(base)
    expect(await oidAt(repo, 's/merged^1')).toBe(base)
    expect(await oidAt(repo, 's/merged^2')).toBe(side)
    expect(await oidAt(repo, 's/merged^2~1')).toBe(root)
    expect(await oidAt(repo, 's/merged~~')).toBe(root)
    expect(await oidAt(repo, 's/merged^0~0')).toBe(merge)
    expect(await oidAt(repo, `${merge.slice(0, 8)}^2^`)).toBe(root)
    expect(await at(repo, 's/merged~1')).toMatchObject({ branch: 'merged' })
    for (const text of ['s/merged~3', 's/merged^3', 's~1', 's/merged~99999999999999999999'])
      expect((await expectFailure('no-entry', () => at(repo, text))).message).toBe(
        `there is no entry '${text}' (the path ends before it)`,
      )
  })

  it('select former values of a branch', async () => {
    const repo = await openRepo()
    const [one, two, three] = (await makeSession(repo, 's', { texts: ['1', '2', '3'] })) as [Oid, Oid, Oid]
    const main = branchRef('s', 'main')
    await repo.write({}, ({ move }) => move(main, three, one))
    await repo.write({}, ({ move }) => move(main, one, two))
    expect(await oidAt(repo, 's@{0}')).toBe(two)
    expect(await oidAt(repo, 's@{1}')).toBe(one)
    expect(await oidAt(repo, 's@{2}')).toBe(three)
    expect(await oidAt(repo, 's/main@{2}~1')).toBe(two)
    expect((await expectFailure('no-entry', () => at(repo, 's@{3}'))).message).toBe(
      "there is no entry 's@{3}' ('main' has moved 3 times)",
    )
    await expectFailure('no-revision', () => at(repo, `${one}@{1}`))
    await expectFailure('no-revision', () => at(repo, '@{1}'))
    await repo.write({}, async ({ reader, move }) =>
      move(headRef('s'), await reader.ref(headRef('s')), { oid: one }),
    )
    await expectFailure('no-revision', () => at(repo, 's@{1}'))
    expect(await oidAt(repo, 's/main@{1}')).toBe(one)
  })

  it('select the value of a branch at a time', async () => {
    let time = Date.UTC(2026, 0, 1)
    const repo = await openRepo(undefined, { env: { ...quietEnv(), now: () => time } })
    const [one, two] = (await makeSession(repo, 's', { texts: ['1', '2'] })) as [Oid, Oid]
    const main = branchRef('s', 'main')
    time += 24 * 3_600_000
    await repo.write({}, ({ move }) => move(main, two, one))
    time += 2 * 3_600_000
    expect(await oidAt(repo, 's@{yesterday}')).toBe(two)
    expect(await oidAt(repo, 's@{1h}')).toBe(one)
    expect(await oidAt(repo, 's@{2026-01-01T12:00}~1')).toBe(one)
    expect((await expectFailure('no-entry', () => at(repo, 's@{2025-12-31}'))).message).toBe(
      "there is no entry 's@{2025-12-31}' ('main' did not exist then)",
    )
    expect((await expectFailure('no-revision', () => at(repo, 's@{soon}'))).message).toContain(
      "'soon' is no time",
    )
  })

  it('may be a part of a name', async () => {
    const repo = await openRepo()
    const [one] = (await makeSession(repo, 's', { title: 'version~1', texts: ['1', '2'] })) as [Oid]
    expect(await oidAt(repo, 'version~1')).toBe(await oidAt(repo, 's'))
    expect(await oidAt(repo, 's~1')).toBe(one)
  })
})

describe('resolveSession', () => {
  it('accepts an id, a title, a prefix or @', async () => {
    const repo = await openRepo()
    await makeSession(repo, 'abc', { title: 'a title', cwd: '/work' })
    await makeSession(repo, 'abcd', {})
    expect(await sessionAt(repo, 'abc')).toBe('abc')
    expect(await sessionAt(repo, 'abcd')).toBe('abcd')
    expect(await sessionAt(repo, 'a title')).toBe('abc')
    expect(await sessionAt(repo, '@')).toBe('abc')
    await expectFailure('ambiguous-revision', () => sessionAt(repo, 'ab'))
    for (const text of ['', 'b', 'abc/main', 'abcde'])
      await expectFailure('no-session', () => sessionAt(repo, text))
  })

  it('accepts ids with any characters', async () => {
    const repo = await openRepo()
    const ids = ['a/b', 'ü 😀', '100%', '100%25', '..', "it's"]
    for (const id of ids) await makeSession(repo, id, { texts: [id] })
    for (const id of ids) expect(await sessionAt(repo, id)).toBe(id)
    expect(await sessionAt(repo, 'ü')).toBe('ü 😀')
    expect((await at(repo, 'a/b')).session?.id).toBe('a/b')
    expect((await at(repo, 'a/b/main')).session?.id).toBe('a/b')
  })
})

const named = (repo: Repo, text: string): Promise<string> =>
  repo.read((reader) => resolveSessionId(reader, text))

const remove = (repo: Repo, session: string): Promise<void> =>
  repo.write({}, async ({ reader, move }) =>
    move(metaRef(session), await reader.ref(metaRef(session)), undefined),
  )

it('finds a removed session by id, prefix or title, the last removed first', async () => {
  const repo = await openRepo()
  for (const id of ['abcd-1', 'abcd-2', 'wxyz']) await makeSession(repo, id, { title: 'Tea' })
  for (const id of ['abcd-1', 'abcd-2']) await remove(repo, id)
  expect(await named(repo, 'wxyz')).toBe('wxyz')
  expect(await named(repo, 'Tea')).toBe('wxyz')
  expect(await named(repo, 'abcd-1')).toBe('abcd-1')
  expect(await named(repo, 'abcd')).toBe('abcd-2')
  await remove(repo, 'wxyz')
  expect(await named(repo, 'Tea')).toBe('wxyz')
  await expectFailure('no-session', () => named(repo, 'abc'))
  await expectFailure('no-session', () => named(repo, 'Coffee'))
})
