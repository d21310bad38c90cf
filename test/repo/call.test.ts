import { existsSync, readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { listenersOf } from '../../src/ops/events.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { allSessions } from '../../src/repo/session.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

const says = (content: string) => ({ body: { role: 'user', content } })

const operationsOf = (repo: Repo): Promise<[string, string][]> =>
  repo.read(async (reader) => {
    const all: [string, string][] = []
    for await (const { actor, command } of reader.operations({ after: 0, upTo: 1000 }))
      all.push([actor, command])
    return all
  })

const countOf = (repo: Repo): Promise<number> =>
  repo.read(async (reader) => {
    let count = 0
    for await (const _ of allSessions(reader)) count++
    return count
  })

it('names the caller of each call in the operation log, and joins no appends of two callers', async () => {
  const repo = await openRepo()
  const id = await createSession(repo.call({ command: 'page', actor: 'person' }))
  for (const command of ['hook', 'hook', 'mcp']) await append(repo.call({ command }), id, [says(command)])
  await append(repo, id, [says('library')])
  expect(await operationsOf(repo)).toEqual([
    ['person', 'page'],
    ['program', 'hook'],
    ['program', 'mcp'],
    ['program', 'library'],
  ])
})

it('stops the call whose signal aborts, and no other', async () => {
  const repo = await openRepo()
  const stopping = new AbortController()
  const call = repo.call({ signal: stopping.signal })
  await createSession(call)
  stopping.abort()
  await expectFailure('stopped', () => createSession(call))
  await createSession(repo)
  expect(await countOf(repo)).toBe(2)
})

it('reads the store as it was after an operation in the call that says so', async () => {
  const repo = await openRepo()
  await createSession(repo)
  await createSession(repo)
  const past = repo.call({ at: '1' })
  expect([await countOf(past), await countOf(repo)]).toEqual([1, 2])
  await expectFailure('read-only', () => createSession(past))
  // A call that is made of it reads the same.
  expect(await countOf(past.call({ command: 'page' }))).toBe(1)
})

it('shows what a dry run writes in its call alone, and removes it with the call', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const scratch = (): string[] => readdirSync(repo.dir).filter((name) => name.startsWith('scratch.'))
  const dry = repo.call({ dryRun: true })
  await append(dry, id, [says('perhaps')])
  await createSession(dry)
  expect([dry.isDry, await countOf(dry), scratch()]).toEqual([true, 2, [expect.any(String)]])
  expect([repo.isDry, await countOf(repo)]).toEqual([false, 1])
  await createSession(repo)
  expect(await countOf(dry)).toBe(2)
  await dry.close()
  expect(scratch()).toEqual([])
  expect((await operationsOf(repo)).length).toBe(2)
})

it('removes what a dry run wrote when the store is closed', async () => {
  const repo = await openRepo()
  const dry = repo.call({ dryRun: true })
  await createSession(dry)
  const scratch = readdirSync(repo.dir).filter((name) => name.startsWith('scratch.'))
  expect(scratch).toHaveLength(1)
  await repo.close()
  expect(existsSync(`${repo.dir}/${scratch[0]}`)).toBe(false)
})

it('shares what is open and the handlers of events, and is not closed by a call', async () => {
  const repo = await openRepo()
  const heard: string[] = []
  listenersOf(repo).on('append', ({ session }) => void heard.push(session))
  const call = repo.call({ command: 'page' })
  const id = await createSession(call)
  await append(call, id, [says('hello')])
  expect(heard).toEqual([id])
  await call.close()
  expect(await countOf(repo)).toBe(1)
})
