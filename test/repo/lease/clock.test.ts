import { expect, it, onTestFinished, vi } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { readGeneration } from '../../../src/storage/directory/generation.ts'
import { openDatabase } from '../../../src/storage/leveldb/database.ts'
import { expectFailure } from '../../support/errors.ts'
import { openRepo } from '../../support/store.ts'

const HOUR = 3_600_000
const holder = { pid: process.pid, command: 'test', since: '' }
const says = [{ body: { role: 'user', content: 'said' } }]

/** Sets the time of day by so much each time that anything looks at it. */
function moveWallClock(by: number): void {
  let time = Date.now()
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => (time += by))
  onTestFinished(() => clock.mockRestore())
}

it('gives up after the lock timeout although the time of day is set back', async () => {
  const repo = await openRepo(undefined, { lockTimeout: 50 })
  const id = await createSession(repo)
  await repo.close()
  const backend = await openDatabase(repo.dir, { lockTimeout: 0, holder })
  onTestFinished(() => backend.close())
  moveWallClock(-HOUR)
  await expectFailure('busy', () => openDatabase(repo.dir, { lockTimeout: 50, holder }))
  const waiting = await openRepo(repo.dir, { lockTimeout: 50 })
  await expectFailure('busy', () => waiting.write({}, ({ move }) => move('a' as RefName, undefined, 1)))
  await expectFailure('busy', () => append(waiting, id, says))
})

it('waits for the database without a takeover although the time of day is set forward', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  await repo.close()
  let backend = await openDatabase(repo.dir, { lockTimeout: 0, holder })
  moveWallClock(HOUR)
  const release = (): void => void setTimeout(() => void backend.close(), 30)
  release()
  backend = await openDatabase(repo.dir, { lockTimeout: 20_000, holder })
  release()
  const waiting = await openRepo(repo.dir, { lockTimeout: 20_000 })
  await waiting.write({}, ({ move }) => move('a' as RefName, undefined, 1))
  await append(waiting, id, says)
  expect(readGeneration(repo.dir)).toBe(1)
})
