import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { createBranch, deleteBranch } from '../../../src/ops/branch.ts'
import { fork } from '../../../src/ops/fork.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { reindex } from '../../../src/ops/indexing.ts'
import { setLabel } from '../../../src/ops/label.ts'
import { listSessions } from '../../../src/ops/list.ts'
import { log } from '../../../src/ops/log.ts'
import { removeSessions } from '../../../src/ops/remove.ts'
import { renameSession } from '../../../src/ops/rename.ts'
import { type Found, search } from '../../../src/ops/search/search.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { runs } from '../../support/amount.ts'
import { openRepo } from '../../support/store.ts'

const VOCABULARY = [
  'tide',
  'Harbour',
  'harmonics',
  'moon',
  'saint-malo',
  'h2o',
  '潮汐',
  'Ebb',
  'flow',
  'brest',
]
const ROLES = ['user', 'assistant', 'tool', 'system'] as const

/** A small generator of numbers that is the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const wordsFrom = (next: (below: number) => number, most: number): string =>
  Array.from({ length: 1 + next(most) }, () => VOCABULARY[next(VOCABULARY.length)]).join(' ')

/** Makes entries of a few words each. */
function entries(count: number, seed: number): { body: { role: string; content: string } }[] {
  const next = numbers(seed)
  return Array.from({ length: count }, (_, i) => ({
    body: { role: ROLES[next(4)] as string, content: `${wordsFrom(next, 3)}${i % 9 === 0 ? ` n${i}` : ''}` },
  }))
}

/** The entries that a session reaches, with their words and labels. */
async function reached(repo: Repo): Promise<{ oid: string; role: string; words: string; session: string }[]> {
  const all = []
  for (const { id, labels } of (await listSessions(repo)).rows()) {
    const seen = new Map<string, { role: string; text: string }>()
    const take = async (revision: string, every: boolean): Promise<void> => {
      for await (const { oid, role, text } of log(repo, revision, { all: every }))
        seen.set(oid, { role: role as string, text: text as string })
    }
    await take(id, true)
    for (const oid of Object.values(labels)) await take(oid, false)
    for (const [oid, { role, text }] of seen) {
      const named = Object.entries(labels).flatMap(([name, at]) => (at === oid ? [name] : []))
      all.push({ oid, role, words: [text, ...named].join('\n').toLowerCase(), session: id })
    }
  }
  return all
}

const everything = (repo: Repo, query: string): Promise<Found> =>
  search(repo, query, { limit: Number.POSITIVE_INFINITY })

const oidsIn = ({ hits }: Found): string[] => hits.flatMap(({ oid }) => (oid === null ? [] : [oid])).sort()

describe('a search', () => {
  it('finds what a look at every entry finds, in whatever way the store came to be', async () => {
    const repo = await openRepo()
    const [first, second] = [await createSession(repo), await createSession(repo, { title: 'Moon and ebb' })]
    await append(repo, first, entries(300, 1))
    await append(repo, second, entries(520, 2))
    const { session: third } = await fork(repo, `${first}~100`)
    await append(repo, third, entries(40, 3))
    const { session: fourth } = await fork(repo, third)
    await setLabel(repo, 'spring tide', `${second}~10`)
    await createBranch(repo, second, 'side', `${second}~500`)
    await createBranch(repo, fourth, 'gone', `${second}~5`)
    await deleteBranch(repo, fourth, 'gone')
    const fifth = await createSession(repo)
    await append(repo, fifth, entries(30, 5))
    await removeSessions(repo, [fifth])
    await append(repo, second, entries(260, 6))
    for (let i = 0; i < 12; i++) await append(repo, i % 2 ? first : fourth, entries(1, 100 + i))
    await expect.poll(() => repo.read((reader) => reader.index.waiting())).toBeLessThan(1024)

    const all = await reached(repo)
    const piece = fc.constantFrom(...VOCABULARY, 'har', 'o', 'alo', 'n63', 'e m', '2', '汐')
    const term = fc.record({ text: piece, not: fc.boolean(), or: fc.boolean() })
    const query = fc.record({
      terms: fc.array(term, { minLength: 1, maxLength: 3 }),
      role: fc.constantFrom('', ...ROLES),
    })
    const check = async (): Promise<void> =>
      fc.assert(
        fc.asyncProperty(query, async ({ terms, role }) => {
          const typed = terms.map(
            ({ text, not, or }, i) => `${or && i > 0 ? 'OR ' : ''}${not ? '-' : ''}"${text}"`,
          )
          if (role !== '') typed.push(`role:${role}`)
          const clauses: { text: string; not: boolean }[][] = []
          for (const [i, { or, text, not }] of terms.entries())
            if (or && i > 0) clauses.at(-1)?.push({ text: text.toLowerCase(), not })
            else clauses.push([{ text: text.toLowerCase(), not }])
          const expected = all.filter(
            (entry) =>
              (role === '' || entry.role === role) &&
              clauses.every((ways) => ways.some(({ text, not }) => entry.words.includes(text) !== not)),
          )
          const found = await everything(repo, typed.join(' '))
          expect(oidsIn(found)).toEqual([...new Set(expected.map(({ oid }) => oid))].sort())
          expect(found.complete).toBe(true)
          for (const { oid, session, others } of found.hits.slice(0, 5)) {
            const holders = all.flatMap((entry) => (entry.oid === oid ? [entry.session] : []))
            if (oid !== null) expect([session, ...others].sort()).toEqual(holders.sort())
          }
        }),
        { numRuns: runs(25) },
      )
    await check()
    await reindex(repo)
    await check()
    expect((await fsck(repo)).findings).toEqual([])
  }, 120_000)
})

describe('the hits of a search', () => {
  let repo: Repo
  let session: string
  const say = async (...said: readonly [role: string, content: string][]): Promise<string[]> =>
    append(
      repo,
      session,
      said.map(([role, content]) => ({ body: { role, content } })),
    )

  beforeEach(async () => {
    repo = await openRepo()
    session = await createSession(repo)
  })

  it('come with words in a row first, then near each other, then in one entry', async () => {
    const far = 'so many other words stand in between '.repeat(8)
    const [apart, near, row] = await say(
      ['user', `tide ${far} table`],
      ['user', 'the table of the tide'],
      ['assistant', 'a tide-table'],
    )
    const { hits } = await search(repo, 'tide table')
    expect(hits.map(({ oid, rank }) => [oid, rank])).toEqual([
      [row, 1],
      [near, 3],
      [apart, 6],
    ])
    expect(oidsIn(await search(repo, '"tide table"'))).toEqual([])
    expect(oidsIn(await search(repo, '"of   the tide"'))).toEqual([near])
  })

  it('come with prompts before replies before tools, and the newest first', async () => {
    const oids = await say(
      ['tool', 'tide 0'],
      ['assistant', 'tide 1'],
      ['user', 'tide 2'],
      ['user', 'tide 3'],
    )
    const { hits, complete } = await search(repo, 'tide')
    expect(hits.map(({ oid }) => oid)).toEqual([oids[3], oids[2], oids[1], oids[0]])
    expect(complete).toBe(true)
    const few = await search(repo, 'tide', { limit: 2 })
    expect(few.hits.map(({ oid }) => oid)).toEqual([oids[3], oids[2]])
    expect(few.complete).toBe(false)
  })

  it('are told with what stands around them', async () => {
    await say(['user', 'before\nthe Tide and the tide\nbehind\nfar'])
    const { hits } = await search(repo, 'TIDE')
    expect(hits[0]).toMatchObject({
      session,
      others: [],
      role: 'user',
      time: '2026-01-01T00:00:06.000Z',
      snippets: [
        {
          place: 'prompt',
          tool: null,
          text: 'before\nthe Tide and the tide\nbehind',
          spans: [
            { from: 11, to: 15 },
            { from: 24, to: 28 },
          ],
          cut: [false, false],
        },
      ],
    })
  })

  it('name the sessions that share an entry', async () => {
    const [oid] = await say(['user', 'tide'])
    const { session: other } = await fork(repo, session)
    const { hits } = await search(repo, 'tide')
    expect(hits.map((hit) => [hit.oid, [hit.session, ...hit.others].sort()])).toEqual([
      [oid, [session, other].sort()],
    ])
    expect((await search(repo, 'tide', { session: other })).hits[0]).toMatchObject({ session: other })
  })
})

describe('the order of hits', () => {
  it('does not depend on what the index knows', async () => {
    const repo = await openRepo()
    const next = numbers(7)
    for (let i = 0; i < 3; i++) {
      const session = await createSession(repo)
      const said = Array.from({ length: 260 }, (_, at) => ({
        body:
          at % 3 === 0
            ? {
                role: 'assistant',
                content: [
                  { type: 'toolCall', id: `c${at}`, name: 'run', arguments: { x: wordsFrom(next, 2) } },
                ],
              }
            : { role: ROLES[next(4)] as string, content: wordsFrom(next, 4) },
      }))
      await append(repo, session, said)
      await append(repo, session, [
        { body: { role: 'tool', content: [{ type: 'text', text: `tide ${i}` }] } },
        { body: { role: 'user', content: `harbour ${'far '.repeat(90)} ebb` } },
      ])
    }
    expect(await repo.read((reader) => reader.index.waiting())).toBeGreaterThan(700)
    const asked = ['tide', 'flow', 'tide ebb', 'moon flow brest', '"ebb" role:tool', 'tool:run', 'tide -flow']
    const rows = async (): Promise<unknown[]> => {
      const all = []
      for (const query of asked)
        for (const limit of [3, 20, 100]) {
          const { hits, complete } = await search(repo, query, { limit })
          all.push([query, limit, complete, hits.map(({ oid, session, rank }) => [oid, session, rank])])
        }
      return all
    }
    const before = await rows()
    await reindex(repo)
    expect(await repo.read((reader) => reader.index.waiting())).toBeLessThan(128)
    expect(await rows()).toEqual(before)
    const all = await everything(repo, 'tide')
    const few = await search(repo, 'tide', { limit: 20 })
    const names = ({ hits }: Found): unknown[] => hits.map(({ oid, session }) => [oid, session])
    expect(names(few)).toEqual(names(all).slice(0, 20))
    expect([all.complete, few.complete]).toEqual([true, false])
  }, 60_000)

  it('does not change with the title of a session', async () => {
    const repo = await openRepo()
    const [older, newer] = [await createSession(repo), await createSession(repo)]
    for (const session of [newer, older])
      await append(repo, session, [{ body: { role: 'user', content: `lighthouse ${session}` } }])
    const order = async (): Promise<string[]> =>
      (await search(repo, 'lighthouse')).hits.map(({ session }) => session)
    expect(await order()).toEqual([older, newer])
    await renameSession(repo, older, 'Ebb')
    expect(await order()).toEqual([older, newer])
  })
})
