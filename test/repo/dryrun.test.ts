import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { createBranch, listBranches } from '../../src/ops/branch.ts'
import { listSessions } from '../../src/ops/list.ts'
import { built } from '../support/built.ts'
import { expectFailure } from '../support/errors.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo } from '../support/store.ts'

const build = built()
const said = (content: string) => ({ body: { role: 'user', content } })

it('runs all work, and leaves the store unchanged', async () => {
  const repo = await openRepo()
  const id = await createSession(repo, { title: 'kept' })
  await append(repo, id, [said('one')])
  await repo.close()
  const journal = readFileSync(join(repo.dir, 'refs.journal'), 'utf8')

  const temporary = (): string[] => readdirSync(repo.dir).filter((name) => name.startsWith('scratch.'))
  const dry = await openRepo(repo.dir, { dryRun: true })
  expect(temporary()).toHaveLength(1)
  const other = await createSession(dry, { title: 'forgotten' })
  await append(dry, other, [said('two')])
  await append(
    dry,
    id,
    Array.from({ length: 600 }, (_, i) => said(`${i}`)),
  )
  await createBranch(dry, id, 'side')
  const told = [...(await listSessions(dry)).rows()]
  expect(new Map(told.map(({ title, entries }) => [title, entries]))).toEqual(
    new Map([
      ['forgotten', 1],
      ['kept', 601],
    ]),
  )
  expect((await listBranches(dry, id)).map(({ name }) => name)).toEqual(['main', 'side'])
  await dry.close()
  expect(temporary()).toEqual([])

  expect(readFileSync(join(repo.dir, 'refs.journal'), 'utf8')).toBe(journal)
  const again = await openRepo(repo.dir)
  const left = [...(await listSessions(again)).rows()]
  expect(left.map(({ title, entries }) => [title, entries])).toEqual([['kept', 1]])
  expect(await again.read(async (reader) => (await reader.operationLog()).latest)).toBe(2)
  await append(again, id, [said('after')])
})

it('creates no store', async () => {
  const dir = join(newFolder(), 'store')
  const dry = await openRepo(dir, { dryRun: true })
  const id = await createSession(dry)
  expect(await append(dry, id, [said('one')])).toHaveLength(1)
  await dry.close()
  expect(existsSync(dir)).toBe(false)
  await expectFailure('no-store', () => openRepo(dir, { dryRun: true, create: false }))
})

it('removes the folder of a killed dry run without a store, and no other', async () => {
  const folder = newFolder()
  const dir = join(folder, 'store')
  const killed = spawn(process.execPath, [
    '--input-type=module',
    '-e',
    `const { Repo } = await import(${JSON.stringify(join(build, 'repo/repo.js'))})
    await Repo.open(${JSON.stringify(dir)}, { create: true, dryRun: true })
    process.kill(process.pid, 'SIGKILL')`,
  ])
  await once(killed, 'close')
  const [left] = readdirSync(folder)
  expect(left).toMatch(/^\.sess-dry-run-/)
  const dry = await openRepo(dir, { dryRun: true })
  const own = readdirSync(folder)
  expect([own.length, own.includes(left as string)]).toEqual([1, false])
  const other = await openRepo(dir, { dryRun: true })
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(own))
  for (const repo of [dry, other]) await repo.close()
  expect(readdirSync(folder)).toEqual([])
})

it('begins no work after the abort, and settles when running work is done', async () => {
  const stop = new AbortController()
  const repo = await openRepo(newFolder(), { signal: stop.signal })
  const begun = createSession(repo)
  stop.abort()
  await repo.writesSettled()
  await begun
  await expectFailure('stopped', () => createSession(repo))
  expect((await listSessions(repo)).count).toBe(1)
})
