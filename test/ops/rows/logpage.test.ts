import { beforeEach, describe, expect, it } from 'vitest'
import { collected } from '../../../src/model/async.ts'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { regularExpression } from '../../../src/model/pattern/pattern.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { createBranch } from '../../../src/ops/branch.ts'
import { log } from '../../../src/ops/log.ts'
import { entryCursor } from '../../../src/ops/rows/cursor.ts'
import { type LogPageOptions, logPage } from '../../../src/ops/rows/logpage.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { expectFailure } from '../../support/errors.ts'
import { openRepo } from '../../support/store.ts'

let repo: Repo
let id: string
let oids: Oid[]

const say = (from: number, to: number, branch?: string): Promise<Oid[]> =>
  append(
    repo,
    id,
    Array.from({ length: to - from }, (_, i) => ({ body: { role: 'user', content: `number ${from + i}` } })),
    branch === undefined ? {} : { branch },
  )

const oidsOf = (items: readonly { readonly oid: Oid }[]): Oid[] => items.map(({ oid }) => oid)

/** Reads all pages from a first one on; between two of them entries are appended. */
async function forward(options: LogPageOptions): Promise<Oid[]> {
  const found: Oid[] = []
  for (let page = await logPage(repo, id, options); ; ) {
    found.push(...oidsOf(page.items))
    if (page.next === null) return found
    await say(100, 102)
    page = await logPage(repo, id, { ...options, after: page.next })
  }
}

beforeEach(async () => {
  repo = await openRepo()
  id = await createSession(repo, {})
  oids = await say(0, 20)
})

describe('pages of a log', () => {
  it('have each entry once, with its time and cursor, while the session grows', async () => {
    const page = await logPage(repo, id, { limit: 6 })
    expect([page.before, page.items.length]).toEqual([null, 6])
    expect(page.items[2]).toMatchObject({
      cursor: entryCursor({ session: id, oid: oids[17]! }),
      text: 'number 17',
    })
    expect(await forward({ limit: 6 })).toEqual(oids.toReversed())
  })

  it('go back to what was before a row, and to what was appended since', async () => {
    const after = entryCursor({ session: id, oid: oids[3]! })
    const page = await logPage(repo, id, { after, limit: 2 })
    expect(oidsOf(page.items)).toEqual([oids[2], oids[1]])
    const back = await logPage(repo, id, { before: page.before!, limit: 3 })
    expect(oidsOf(back.items)).toEqual([oids[5], oids[4], oids[3]])
    const more = await say(20, 21)
    const newest = await logPage(repo, id, { before: entryCursor({ session: id, oid: oids[18]! }), limit: 3 })
    expect(oidsOf(newest.items)).toEqual([...more, oids[19]])
    expect(newest.before).toBeNull()
  })

  it('have only what the options select', async () => {
    const options = { grep: regularExpression('[02468]$'), limit: 3 }
    const even = oids.filter((_, i) => i % 2 === 0).toReversed()
    const page = await logPage(repo, id, options)
    expect(oidsOf(page.items)).toEqual(even.slice(0, 3))
    const second = await logPage(repo, id, { ...options, after: page.next! })
    expect(oidsOf(second.items)).toEqual(even.slice(3, 6))
    const back = await logPage(repo, id, { ...options, before: second.next! })
    expect(oidsOf(back.items)).toEqual(even.slice(2, 5))
  })

  it('have all branches in the order of log', async () => {
    await createBranch(repo, id, 'other', oids[9])
    await say(30, 35, 'other')
    const all = oidsOf(await collected(log(repo, id, { all: true })))
    const page = await logPage(repo, id, { all: true, limit: 9 })
    expect(oidsOf(page.items)).toEqual(all.slice(0, 9))
    await say(40, 42)
    const second = await logPage(repo, id, { all: true, limit: 9, after: page.next! })
    expect(oidsOf(second.items)).toEqual(all.slice(9, 18))
    const back = await logPage(repo, id, { all: true, limit: 4, before: second.before! })
    expect(oidsOf(back.items)).toEqual(all.slice(5, 9))
  })

  it('refuse cursors of other sessions, and of entries that they do not reach', async () => {
    const session = await createSession(repo, {})
    const [foreign] = (await append(repo, session, [{ body: { role: 'user', content: 'x' } }])) as [Oid]
    const options = (of: string, oid: Oid): LogPageOptions => ({ before: entryCursor({ session: of, oid }) })
    await expectFailure('bad-usage', () => logPage(repo, id, options(session, foreign)))
    await expectFailure('no-entry', () => logPage(repo, id, options(id, foreign)))
    await expectFailure('no-entry', () =>
      logPage(repo, id, { after: entryCursor({ session: id, oid: foreign }) }),
    )
    await expectFailure('no-entry', () => logPage(repo, id, { ...options(id, foreign), all: true }))
    await expectFailure('no-entry', () => logPage(repo, id, options(id, '0'.repeat(64) as Oid)))
  })
})
