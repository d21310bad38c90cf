import { beforeEach, expect, it } from 'vitest'
import { collected } from '../../../src/model/async.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { listSessions } from '../../../src/ops/list.ts'
import { operations } from '../../../src/ops/operations.ts'
import { reflog } from '../../../src/ops/reflog.ts'
import { renameSession } from '../../../src/ops/rename.ts'
import { encodeCursor } from '../../../src/ops/rows/cursor.ts'
import { listPage } from '../../../src/ops/rows/listpage.ts'
import { operationPage, reflogPage } from '../../../src/ops/rows/operationpage.ts'
import type { Page, PageOptions } from '../../../src/ops/rows/page.ts'
import { searchPage } from '../../../src/ops/rows/searchpage.ts'
import { search } from '../../../src/ops/search/search.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { expectFailure } from '../../support/errors.ts'
import { openRepo } from '../../support/store.ts'

let repo: Repo
let sessions: string[]

const says = (content: string) => [{ body: { role: 'user', content } }]

/** Reads all pages of a list, and does something between two of them. */
async function all<T>(
  read: (options: PageOptions) => Promise<Page<T>>,
  between: () => Promise<unknown>,
): Promise<T[]> {
  const found: T[] = []
  for (let page = await read({ limit: 2 }); ; ) {
    found.push(...page.items)
    if (page.next === null) return found
    await between()
    page = await read({ limit: 2, after: page.next })
    const back = await read({ limit: 1, before: page.before! })
    expect(back.items).toHaveLength(1)
  }
}

beforeEach(async () => {
  repo = await openRepo()
  sessions = []
  for (const name of ['a', 'b', 'c', 'd', 'e']) {
    const id = await createSession(repo, { title: name })
    await append(repo, id, says(`tide ${name}`))
    await append(repo, id, says(`ebb ${name}`))
    sessions.push(id)
  }
})

it('sessions that move to the front of the list move no other one', async () => {
  const expected = [...(await listSessions(repo)).rows()].map(({ id }) => id)
  const grow = () => append(repo, expected[0]!, says('more'))
  const found = await all((options) => listPage(repo, options), grow)
  expect(found.map(({ id }) => id)).toEqual(expected)
  const byTitle = await listPage(repo, { sort: 'entries', limit: 1 })
  await expectFailure('bad-usage', () => listPage(repo, { after: byTitle.next! }))
})

it('sessions of a page have their last words, those of the model too', async () => {
  const [id] = sessions as [string]
  const answer = {
    role: 'assistant',
    content: [{ type: 'text', text: `  the  tide\n${'is out '.repeat(40)}` }],
  }
  await append(repo, id, [{ body: answer }])
  const silent = await createSession(repo, { title: 'silent' })
  const { items } = await listPage(repo)
  const words = new Map(items.map((row) => [row.id, row.words]))
  expect(words.get(sessions[1]!)).toBe('ebb b')
  expect(words.get(id)).toMatch(/^the tide is out is out .*…$/)
  expect(words.get(id)).toHaveLength(120)
  expect(words.get(silent)).toBeNull()
})

it('operations that are added move no other one', async () => {
  const expected = (await collected(operations(repo))).map(({ number }) => number)
  let n = 0
  const found = await all(
    (options) => operationPage(repo, options),
    () => renameSession(repo, sessions[0]!, `other ${n++}`),
  )
  expect(found.map(({ number }) => number)).toEqual(expected)
})

it('moves of a ref that are added move no other one', async () => {
  const [id] = sessions as [string]
  for (const text of ['1', '2', '3']) {
    await append(repo, id, says(text))
    await renameSession(repo, id, text)
  }
  const expected = (await collected(reflog(repo, id))).map(({ operation }) => operation)
  expect(expected.length).toBeGreaterThan(3)
  const found = await all(
    (options) => reflogPage(repo, id, options),
    async () => {
      await append(repo, id, says('more'))
      await renameSession(repo, id, 'more')
    },
  )
  expect(found.map(({ operation }) => operation)).toEqual(expected)
})

it('hits that are added move no other one', async () => {
  const { hits } = await search(repo, 'tide', { limit: Number.POSITIVE_INFINITY })
  expect(hits).toHaveLength(5)
  const found = await all(
    (options) => searchPage(repo, 'tide', options),
    () => append(repo, sessions[4]!, says('a new tide')),
  )
  expect(found.map(({ oid }) => oid)).toEqual(hits.map(({ oid }) => oid))
})

it.each([-1000, 0.5, 1e300])('refuse cursors with the number %d, which no row has', async (number) => {
  const after = encodeCursor('hit', number, 's', null)
  await expectFailure('bad-usage', () => searchPage(repo, 'hello', { after }))
  await expectFailure('bad-usage', () => operationPage(repo, { after: encodeCursor('operation', number) }))
})
