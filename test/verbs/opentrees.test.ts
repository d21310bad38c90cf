import { expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { OpenTrees } from '../../src/verbs/opentrees.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

const says = (content: string) => ({ body: { role: 'user', content } })

async function spoken(repo: Repo, title: string): Promise<string> {
  const id = await createSession(repo, { title })
  await append(repo, id, [says('one'), says('two')])
  return id
}

const all = { filter: 'all', exact: true } as const

it('follows a session from one read to the next', async () => {
  const repo = await openRepo()
  const id = await spoken(repo, 'Tides')
  const trees = new OpenTrees(repo)
  const rows = () => trees.read(id, all, async (view) => ({ view, total: (await view.window()).total }))
  const first = await rows()
  await append(repo, id, [says('three')])
  const second = await rows()
  expect([first.total, second.total, second.view === first.view]).toEqual([2, 3, true])
  const many = await Promise.all(Array.from({ length: 20 }, rows))
  expect(many.every(({ view, total }) => view === first.view && total === 3)).toBe(true)
})

it('keeps no tree under a title, which another session may get', async () => {
  const repo = await openRepo()
  const id = await spoken(repo, 'Tides')
  const trees = new OpenTrees(repo)
  expect(await trees.read('Tides', all, ({ session }) => Promise.resolve(session))).toBe(id)
  await removeSessions(repo, [id])
  const next = await spoken(repo, 'Tides')
  expect(await trees.read('Tides', all, ({ session }) => Promise.resolve(session))).toBe(next)
  await expectFailure('no-session', () => trees.read(id, all, (view) => view.window()))
})

it('keeps a few trees, and lets a caller go that stops waiting', async () => {
  const repo = await openRepo()
  const trees = new OpenTrees(repo)
  const ids = []
  for (let n = 0; n < 10; n++) ids.push(await spoken(repo, `session ${n}`))
  const viewOf = (id: string) => trees.read(id, all, (view) => Promise.resolve(view))
  const [first] = await Promise.all(ids.map(viewOf))
  expect(await viewOf(ids[9] as string)).toBe(await viewOf(ids[9] as string))
  expect(await viewOf(ids[0] as string)).not.toBe(first)
  const leaving = new AbortController()
  const waiting = trees.read(
    ids[1] as string,
    { ...all, signal: leaving.signal },
    () => new Promise(() => undefined),
  )
  leaving.abort()
  await expectFailure('stopped', () => waiting)
})
