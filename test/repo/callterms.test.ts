import { expect, it } from 'vitest'
import { createSession } from '../../src/ops/append/append.ts'
import { renameSession } from '../../src/ops/rename.ts'
import { writeOnce } from '../../src/ops/writeonce.ts'
import type { Env } from '../../src/repo/env.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo, quietEnv } from '../support/store.ts'

const renamed = (repo: Repo, id: string, title: string, key: string) =>
  writeOnce(repo, { key }, (call) => renameSession(call, id, title))

const titles = (repo: Repo): Promise<unknown[]> =>
  repo.read(async (reader) => {
    const all: unknown[] = []
    for await (const { key, moves } of reader.operations({ after: 0, upTo: 100 }))
      all.push([key, moves.length])
    return all
  })

it('keeps the key of a call in the operation log, also of an undo', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const { operation } = await renamed(repo, id, 'One', 'a')
  const { undo } = await import('../../src/ops/undo.ts')
  await writeOnce(repo, { key: 'b' }, (call) => undo(call, { operation: `${operation}` }))
  expect(await titles(repo)).toEqual([
    [undefined, 1],
    ['a', 1],
    ['b', 1],
  ])
})

it('recognizes a repeated call after the store was opened again', async () => {
  const dir = newFolder()
  const first = await openRepo(dir)
  const id = await createSession(first)
  const made = await renamed(first, id, 'One', 'a')
  await first.close()
  const again = await openRepo(dir)
  expect(await renamed(again, id, 'Two', 'a')).toEqual({ ...made, repeated: true, result: null })
  expect(await renamed(again, id, 'Two', 'b')).toMatchObject({ repeated: false, result: { before: 'One' } })
})

it('does what two calls with one key ask at once only once', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const calls = await Promise.all(['One', 'Two'].map((title) => renamed(repo, id, title, 'a')))
  expect(calls.filter(({ repeated }) => repeated)).toHaveLength(1)
  expect(new Set(calls.map(({ operation }) => operation)).size).toBe(1)
})

/** Opens a store whose clock is late by some hours. */
async function openLate(dir: string, hours: number): Promise<Repo> {
  const quiet = quietEnv()
  const env: Env = { ...quiet, now: () => quiet.now() + hours * 60 * 60 * 1000 }
  return openRepo(dir, { env })
}

it('forgets a key after a day', async () => {
  const repo = await openLate(newFolder(), 0)
  const id = await createSession(repo)
  await renamed(repo, id, 'One', 'a')
  await repo.close()
  const reopened = await openLate(repo.dir, 25)
  expect(await renamed(reopened, id, 'Two', 'a')).toMatchObject({ repeated: false })
})

it('keeps keys while the clock is wrong by more than a day, and once it is right again', async () => {
  const first = await openLate(newFolder(), 50)
  const id = await createSession(first)
  await renamed(first, id, 'One', 'a')
  await first.close()
  const wrong = await openLate(first.dir, 0)
  await renamed(wrong, id, 'Two', 'b')
  expect(await renamed(wrong, id, 'Three', 'a')).toMatchObject({ repeated: true })
  await wrong.close()
  const right = await openLate(first.dir, 51)
  for (const key of ['a', 'b'])
    expect(await renamed(right, id, 'Three', key)).toMatchObject({ repeated: true })
})
