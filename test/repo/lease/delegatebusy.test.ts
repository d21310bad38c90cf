import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { type ErrorCode, SessError } from '../../../src/model/errors.ts'
import type { Json } from '../../../src/model/json.ts'
import type { RefName } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../../src/ops/append/handlers.ts'
import { HolderServer } from '../../../src/repo/lease/server.ts'
import { storeName } from '../../../src/repo/lease/socket.ts'
import { writeHolder } from '../../../src/storage/directory/holder.ts'
import { openDatabase } from '../../../src/storage/leveldb/database.ts'
import { expectFailure } from '../../support/errors.ts'
import { openRepo } from '../../support/store.ts'

it('an append is done after the work of a holder that was asked for the database and keeps using it', async () => {
  const holder = await openRepo(undefined, { works: REQUEST_HANDLERS })
  const { dir } = holder
  const session = await createSession(holder)
  const end = new AbortController()
  const long = holder.write({}, async () => {
    // It makes steps all the time: nobody takes the store over from it.
    while (!end.signal.aborted) {
      holder.checkStop()
      await pause(5)
    }
  })
  const [asks, appends] = [await openRepo(dir, { lockTimeout: 200 }), await openRepo(dir)]
  await expectFailure('busy', () => asks.write({}, ({ move }) => move('a' as RefName, undefined, 1)))
  const before = holder.activityCount
  const appending = append(appends, session, [{ body: { role: 'user', content: 'then' } }])
  await expect.poll(() => holder.activityCount).toBeGreaterThan(before)
  end.abort()
  await long
  const [oid] = await appending
  expect((await holder.read((reader) => reader.sizes())).entries).toBe(1)
  expect(await holder.read((reader) => reader.find(oid as Oid))).toBeDefined()
})

const CASES: readonly (readonly [string, readonly ErrorCode[], ErrorCode])[] = [
  ['the disk fails again', ['uncertain', 'cannot-write'], 'uncertain'],
  ['the store is busy then', ['uncertain'], 'uncertain'],
  ['it is looked for', ['uncertain', 'conflict'], 'conflict'],
  ['nothing was lost before', ['cannot-write'], 'cannot-write'],
]

interface Sick {
  readonly dir: string
  readonly session: string
  readonly end: () => Promise<void>
}

/** Makes a store with a session, whose database is held by what does `work` for others. */
async function heldBy(work: () => Promise<Json> | undefined): Promise<Sick> {
  const repo = await openRepo()
  const session = await createSession(repo)
  await repo.close()
  const { dir } = repo
  const holder = { pid: process.pid, command: 'test', since: '' }
  const backend = await openDatabase(dir, { lockTimeout: 0, holder })
  const server = await HolderServer.listen({
    store: storeName(repo.identity.id, dir),
    work,
    yield: () => undefined,
    progress: () => ({ steps: 0, isLong: false }),
  })
  writeHolder(dir, { ...holder, socket: server?.name ?? '' })
  const end = async (): Promise<void> => {
    await server?.close()
    await backend.close()
  }
  return { dir, session, end }
}

const entries = [{ body: { role: 'user', content: 'there?' } }]

it.each(CASES)(
  'of an append whose answer was lost nobody says that it is not there: %s',
  async (_, says, told) => {
    const answers = [...says]
    const { dir, session, end } = await heldBy(() => {
      const code = answers.shift()
      return code && Promise.reject(new SessError(code, 'the store'))
    })
    const client = await openRepo(dir, { lockTimeout: 200 })
    await expectFailure(told, () => append(client, session, entries))
    expect(answers).toEqual([])
    await client.close()
    await end()
  },
)

it('nor where the store is closed while it waits for the answer', async () => {
  const end = new AbortController()
  let asked = false
  const {
    dir,
    session,
    end: letGo,
  } = await heldBy(async () => {
    asked = true
    if (!end.signal.aborted) await once(end.signal, 'abort')
    return []
  })
  const client = await openRepo(dir, { lockTimeout: 200 })
  const failing = expectFailure('uncertain', () => append(client, session, entries))
  await expect.poll(() => asked).toBe(true)
  await client.close()
  await failing
  end.abort()
  await letGo()
})
