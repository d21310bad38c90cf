import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Oid, oidOf } from '../../src/model/encoding/oid.ts'
import { sha256 } from '../../src/model/encoding/sha256.ts'
import type { RefValue } from '../../src/model/operation.ts'
import { logId, type WriterId } from '../../src/model/record.ts'
import { branchRef, headRef, labelRef, metaRef, nativesRef, type RefName } from '../../src/model/refname.ts'
import { reindex } from '../../src/ops/indexing.ts'
import { columnsOf, decodeList, encodeList, FIELDS, rowsOf } from '../../src/repo/listcolumns.ts'
import { type Listed, listed } from '../../src/repo/listedsession.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { allSessions, refValue } from '../../src/repo/session.ts'
import { listedIn, listProblems, renewList } from '../../src/repo/sessionlist.ts'
import { runs } from '../support/amount.ts'
import { ANY_CHARACTER } from '../support/characters.ts'
import { newFolder } from '../support/folder.ts'
import { withoutSpending } from '../support/listed.ts'
import { makeSession } from '../support/sessions.ts'
import { openRepo } from '../support/store.ts'

const oid = (text: string): Oid => oidOf(sha256(Buffer.from(text)))
const LOG = logId('0123456789abcdef' as WriterId, 0)
const head = (n: number): RefValue =>
  refValue({ log: LOG, count: n, entries: n, hash: 'ab'.repeat(32), updated: n, summary: { prompts: n } })

/** The list as the refs describe it, by session. */
const told = (repo: Repo): Promise<string[]> =>
  repo.read(async (reader) => {
    const rows: string[] = []
    for await (const session of allSessions(reader)) rows.push(JSON.stringify(listed(session)))
    return rows.sort()
  })

const kept = async (repo: Repo): Promise<string[]> =>
  rowsOf(await repo.read((reader) => listedIn(reader, FIELDS)))
    .map((row) => JSON.stringify(row))
    .sort()

/** How many operations the list that is kept is behind; undefined where none is. */
const behind = (repo: Repo): Promise<number | undefined> =>
  repo.read(async (reader) => {
    const list = await reader.cache.list()
    return list && list.sessions > 0 ? (await reader.operationLog()).latest - list.operation : undefined
  })

const renewAll = (repo: Repo): Promise<void> => renewList(repo, listedIn, 1)

/** Moves a ref from whatever it has. */
const moveRef = (repo: Repo, name: RefName, value: RefValue | undefined, coalesce = ''): Promise<void> =>
  repo.write({ coalesce }, async ({ reader, move }) => move(name, await reader.ref(name), value))

const NOTHING = new Uint8Array(1)

const SESSIONS = ['a', 'b/c', 'ü']

const step = fc.record({
  by: fc.nat(1),
  does: fc.constantFrom('renew', 'describe', 'remove', 'append', 'branch', 'label', 'switch'),
  session: fc.constantFrom(...SESSIONS),
  n: fc.nat(9),
})

describe('the list of sessions that is kept', () => {
  it('is made to the end where the store is closed meanwhile', async () => {
    const repo = await openRepo()
    const chores: (() => Promise<void>)[] = []
    repo.runWhenIdle = (_, chore) => void chores.push(chore)
    await repo.write({}, ({ move }) => {
      for (let i = 0; i < 60; i++) move(metaRef(`s${i}`), undefined, { format: 'sess' })
    })
    const renewed = chores.map((chore) => chore().catch(() => 'cut off'))
    await repo.close()
    expect(await Promise.all(renewed)).toEqual([undefined])
    expect(await behind(await openRepo(repo.dir))).toBe(0)
  })

  it('with what moved since says what refs say, whoever moved them and made the list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 16 }), async (steps) => {
        const dir = newFolder()
        const repos = [await openRepo(dir), await openRepo(dir)] as const
        await repos[0].write({}, ({ move }) => {
          for (const session of [...SESSIONS, ...Array.from({ length: 60 }, (_, i) => `more-${i}`)])
            move(metaRef(session), undefined, { format: 'sess' })
        })
        await renewAll(repos[0])
        for (const { by, does, session, n } of steps) {
          const repo = repos[by] as Repo
          if (does === 'renew') await renewAll(repo)
          if (does === 'describe')
            await moveRef(repo, metaRef(session), { format: 'sess', title: `T${n}`, set: { n: `${n}` } })
          if (does === 'remove') await moveRef(repo, metaRef(session), undefined)
          if (does === 'append') await moveRef(repo, nativesRef(session, 'w'), head(n), 'append')
          if (does === 'branch') await moveRef(repo, branchRef(session, `b${n % 3}`), oid(`${n}`))
          if (does === 'label') await moveRef(repo, labelRef(session, 'l'), n < 3 ? undefined : oid(`${n}`))
          if (does === 'switch') await moveRef(repo, headRef(session), { branch: `b${n % 3}` })
          expect(await kept(repos[1])).toEqual(await told(repos[0]))
          expect(await repo.read(listProblems)).toEqual([])
        }
        for (const repo of repos) await repo.close()
      }),
      { numRuns: runs(8) },
    )
  })

  it.each(['another process', 'the same one'])(
    'is of a moment that no operation outgrows: of %s',
    async (by) => {
      const dir = newFolder()
      const [one, other] = [await openRepo(dir), await openRepo(dir)]
      for (const session of SESSIONS) await makeSession(one, session)
      await moveRef(one, nativesRef('a', 'w'), head(1), 'append')
      await renewAll(by === 'the same one' ? one : other)
      await moveRef(one, nativesRef('a', 'w'), head(2), 'append')
      expect(await behind(one)).toBe(1)
      await moveRef(one, nativesRef('a', 'w'), head(3), 'append')
      expect(await behind(one)).toBe(1)
    },
  )

  it('is made again once many sessions came, before the store is closed', async () => {
    const dir = newFolder()
    const few = await openRepo(dir)
    await makeSession(few, 'one')
    await few.close()
    const many = await openRepo(dir)
    expect(await behind(many)).toBeUndefined()
    await many.write({ bulk: true }, ({ move }) => {
      for (let i = 0; i < 40; i++)
        move(metaRef(`many-${i}`), undefined, { format: 'pi', title: `Title ${i}`, cwd: '/work' })
    })
    await many.close()
    const again = await openRepo(dir)
    expect(await behind(again)).toBe(0)
    expect(await kept(again)).toEqual(await told(again))
  })

  it.each([
    ['without it', 0, new Uint8Array(0)],
    ['where a column is missing', 40, Uint8Array.of(0xa0)],
    ['where its bytes are malformed', 40, Uint8Array.of(2, 40, 99)],
    ['where it is empty', 40, new Uint8Array(0)],
  ])('is made again by a command that lists many sessions %s', async (_, sessions, bytes) => {
    const dir = newFolder()
    const repo = await openRepo(dir)
    await repo.write({ bulk: true }, ({ move }) => {
      for (let i = 0; i < 40; i++) move(metaRef(`many-${i}`), undefined, { format: 'pi' })
    })
    await repo.write({ bulk: true }, async ({ reader, keepList }) =>
      keepList({
        operation: (await reader.operationLog()).latest,
        commits: (await reader.operationLog()).commits,
        sessions,
        bytes,
      }),
    )
    await repo.close()
    const lists = await openRepo(dir)
    expect((await lists.lists.read(lists, [])).id.length).toBe(40)
    await lists.close()
    const again = await openRepo(dir)
    expect(
      await again.read(async (reader) => {
        const list = await reader.cache.list()
        return decodeList(list?.bytes ?? NOTHING, 40, ['id']).id.length
      }),
    ).toBe(40)
    expect(await behind(again)).toBe(0)
  })

  it('that says something else is found, and made again from refs', async () => {
    const repo = await openRepo()
    for (const session of SESSIONS) await makeSession(repo, session, { title: 'As it is' })
    const { operation, commits } = await repo.read(async (reader) => ({
      operation: (await reader.operationLog()).latest,
      commits: (await reader.operationLog()).commits,
    }))
    await moveRef(repo, metaRef('a'), { format: 'sess', title: 'Another' })
    await renewAll(repo)
    const wrong = await repo.read((reader) => reader.cache.list())
    expect(operation).toBe(3)
    await moveRef(repo, metaRef('a'), { format: 'sess', title: 'Moved' })
    await repo.write({ bulk: true }, async ({ reader, keepList }) => {
      keepList({
        operation: (await reader.operationLog()).latest,
        commits: (await reader.operationLog()).commits,
        sessions: 3,
        bytes: wrong?.bytes ?? new Uint8Array(0),
      })
    })
    expect(commits).toBe(3)
    expect(await repo.read(listProblems)).toEqual(['a'])
    await reindex(repo)
    expect(await repo.read(listProblems)).toEqual([])
    expect(await kept(repo)).toEqual(await told(repo))
  })

  it('is not looked at where an older moment is', async () => {
    const dir = newFolder()
    const now = await openRepo(dir)
    for (const session of SESSIONS) await makeSession(now, session)
    await moveRef(now, metaRef('a'), { format: 'sess', title: 'Later' })
    await renewAll(now)
    const then = await openRepo(dir, { atOperation: '3' })
    expect((await then.read((reader) => listedIn(reader, ['title']))).title).toEqual([null, null, null])
  })
})

const text = fc.oneof(
  fc.constantFrom('pi', 'Größe 🚀', '__proto__', '\ud800', '', 'ü'.repeat(120), 'a\nb', '"', '\\', '\0'),
  fc.string({ unit: ANY_CHARACTER }),
)
const known = fc.option(text)
const texts = fc.array(text, { maxLength: 3 })
const count = fc.nat()
const time = fc.option(fc.date({ noInvalidDate: true }).map((date) => date.toISOString()))
const anyOid = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((b) => Buffer.from(b).toString('hex') as Oid)
const oids = fc.dictionary(text, anyOid, { maxKeys: 3 }).map((map) => ({ ...map }))

const row: fc.Arbitrary<Listed> = fc.record({
  id: text,
  format: text,
  title: known,
  prompt: known,
  cwd: known,
  folders: texts,
  git: fc.option(
    fc.record({
      ...{ branch: known, commit: known, repository: known },
      ...{ branches: texts, commits: texts, repositories: texts },
    }),
  ),
  pullRequests: texts,
  entries: count,
  records: count,
  prompts: count,
  calls: count,
  tokens: fc.option(
    fc.record(
      {
        input: count,
        output: count,
        cacheRead: count,
        cacheWrite: count,
        cacheWriteLong: count,
        total: count,
      },
      { requiredKeys: ['input', 'output', 'cacheRead', 'cacheWrite', 'total'], noNullPrototype: true },
    ),
  ),
  cost: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }).map((cost) => cost + 0)),
  parts: fc.option(
    fc.array(
      fc.record({ model: text, over: count, input: count }, { requiredKeys: [], noNullPrototype: true }),
      { maxLength: 2 },
    ),
  ),
  reportedCost: fc.option(count),
  model: known,
  branches: oids,
  labels: oids,
  set: fc.dictionary(text, text, { maxKeys: 2 }).map((map) => ({ ...map })),
  head: known,
  parent: known,
  continuedIn: known,
  agents: oids,
  created: time,
  updated: time,
  source: known,
  silent: fc.boolean(),
})
const rows = fc.array(row, { minLength: 1, maxLength: 8 })
const encoded = (all: readonly Listed[]): Uint8Array => encodeList(columnsOf(withoutSpending(all), FIELDS))

describe('the encoded list of sessions', () => {
  it('decodes to the same rows', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const back = rowsOf(decodeList(encoded(all), all.length, FIELDS))
        expect(JSON.stringify(back)).toBe(JSON.stringify(all))
      }),
      { numRuns: runs(200) },
    )
  })

  it('decodes some fields alone', () => {
    fc.assert(
      fc.property(rows, fc.shuffledSubarray([...FIELDS], { minLength: 1 }), (all, fields) => {
        const back = decodeList(encoded(all), all.length, fields)
        expect(JSON.stringify(back)).toBe(JSON.stringify(columnsOf(withoutSpending(all), fields)))
      }),
    )
  })

  it('is corrupt where the number of sessions is another', () => {
    const all = fc.sample(row, 2)
    expect(() => decodeList(encoded(all), 3, ['id'])).toThrow(expect.objectContaining({ code: 'corrupt' }))
  })
})
