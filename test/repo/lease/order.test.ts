import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { SessError } from '../../../src/model/errors.ts'
import type { Json } from '../../../src/model/json.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../../src/ops/append/handlers.ts'
import { log } from '../../../src/ops/log.ts'
import { Delegate } from '../../../src/repo/lease/delegate.ts'
import { Lease } from '../../../src/repo/lease/lease.ts'
import { HolderServer } from '../../../src/repo/lease/server.ts'
import { storeName } from '../../../src/repo/lease/socket.ts'
import type { Repo, RequestHandlers } from '../../../src/repo/repo.ts'
import { readGeneration } from '../../../src/storage/directory/generation.ts'
import { readHolder, writeHolder } from '../../../src/storage/directory/holder.ts'
import { generationFolder, takeOver } from '../../../src/storage/directory/takeover.ts'
import { openDatabase } from '../../../src/storage/leveldb/database.ts'
import { openRepo } from '../../support/store.ts'

const holder = { pid: process.pid, command: 'test', since: '' }

interface Dying {
  /** Ends the holder without answers to its requests. */
  readonly die: () => Promise<void>
  readonly asked: Json[]
}

/** Holds a store's database as a process does that dies with requests. */
async function dyingHolder({ dir, identity }: Repo): Promise<Dying> {
  const backend = await openDatabase(dir, { lockTimeout: 0, holder })
  const asked: Json[] = []
  const rejects: ((reason: unknown) => void)[] = []
  const server = await HolderServer.listen({
    store: storeName(identity.id, dir),
    work: (_, ask) => {
      asked.push(ask)
      return new Promise((_resolve, reject) => rejects.push(reject))
    },
    yield: () => undefined,
    progress: () => ({ steps: asked.length, isLong: true }),
  })
  writeHolder(dir, { ...holder, socket: server?.name ?? '' })
  return {
    asked,
    die: async () => {
      for (const reject of rejects) reject(new SessError('uncertain', dir))
      await server?.close()
      await backend.close()
    },
  }
}

it('looks for lost work in the order in which it was begun, and runs later work after it', async () => {
  const first = await openRepo()
  await first.close()
  const { dir, identity } = first
  const dying = await dyingHolder(first)
  const lease = new Lease(dir, { lockTimeout: 20_000, holder, store: identity.id })
  onTestFinished(() => lease.close())
  const env = { random: (bytes: number) => new Uint8Array(bytes) }
  const delegate = new Delegate({ dir, env }, lease, 20_000)
  const done: number[] = []
  const run = async (number: number, again = false): Promise<number> => {
    // The first ones take longest to be looked for.
    if (again) await pause(20 - 2 * number)
    return done.push(number)
  }
  const caller = { command: 'test', actor: 'program' } as const
  const work = (number: number): Promise<number> =>
    delegate.run({ name: 'count', request: { number }, caller, doHere: ({ by }) => run(number, by?.again) })
  const all = Array.from({ length: 8 }, (_, i) => work(i))
  await expect.poll(() => dying.asked.length).toBe(8)
  const died = dying.die()
  all.push(work(8))
  await Promise.all(all)
  await died
  expect(done).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
})

it('keeps the order of appends when the holder dies', async () => {
  const first = await openRepo()
  const id = await createSession(first)
  await first.close()
  const dying = await dyingHolder(first)
  const repo = await openRepo(first.dir, { works: REQUEST_HANDLERS, lockTimeout: 20_000 })
  const texts = Array.from({ length: 40 }, (_, i) => `${i}`)
  const says = (content: string) => append(repo, id, [{ body: { role: 'user', content } }])
  const all = texts.slice(0, 30).map(says)
  await expect.poll(() => dying.asked.length).toBe(30)
  const died = dying.die()
  all.push(...texts.slice(30).map(says))
  const oids = await Promise.all(all)
  await died
  const said: (string | null)[] = []
  const path: string[] = []
  for await (const { oid, text } of log(repo, id)) {
    said.unshift(text)
    path.unshift(oid)
  }
  expect(said).toEqual(texts)
  expect(oids.flat()).toEqual(path)
})

it('repeats an append when the store is taken over while the database is opened or closed', async () => {
  const repo = await openRepo(undefined, { works: REQUEST_HANDLERS, lockTimeout: 20_000 })
  const id = await createSession(repo)
  const say = (content: string) => append(repo, id, [{ body: { role: 'user', content } }])
  await say('before')
  // A transaction that never ended leaves counters to be written when the database is closed, which is fenced by then.
  await expect(
    repo.write({}, ({ writer }) => {
      writer.newLog()
      throw new Error('given up')
    }),
  ).rejects.toThrow('given up')
  const generation = readGeneration(repo.dir)
  takeOver(repo.dir, generation)
  generationFolder(repo.dir, generation + 1)
  await say('after')
  // The same where the append has to open the database first.
  const takeNow = vi.spyOn(Lease.prototype, 'takeNow').mockReturnValueOnce(undefined)
  const tryWrite = vi
    .spyOn(Lease.prototype, 'tryWrite')
    .mockRejectedValueOnce(new SessError('fenced', repo.dir))
  onTestFinished(() => {
    takeNow.mockRestore()
    tryWrite.mockRestore()
  })
  takeOver(repo.dir, generation + 1)
  generationFolder(repo.dir, generation + 2)
  await say('last')
  const said: (string | null)[] = []
  for await (const { text } of log(repo, id)) said.unshift(text)
  expect(said).toEqual(['before', 'after', 'last'])
})

it('stores an append once whose answer was lost', async () => {
  let isLost = true
  const works: RequestHandlers = {
    append: async (repo, ask, hold) => {
      const oids = await REQUEST_HANDLERS.append?.(repo, ask, hold)
      if (isLost) {
        isLost = false
        throw new SessError('uncertain', repo.dir)
      }
      return oids ?? null
    },
  }
  const has = await openRepo(undefined, { works })
  const id = await createSession(has)
  await expect.poll(() => readHolder(has.dir)?.socket ?? '').not.toBe('')
  const repo = await openRepo(has.dir, { works: REQUEST_HANDLERS, lockTimeout: 20_000 })
  const oids = await append(repo, id, [{ body: { role: 'user', content: 'once' } }])
  const path: string[] = []
  for await (const { oid } of log(repo, id)) path.push(oid)
  expect([isLost, path]).toEqual([false, oids])
})
