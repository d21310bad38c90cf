import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { asSessError, SessError } from '../../src/model/errors.ts'
import type { Operation } from '../../src/model/operation.ts'
import type { RefName } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../src/ops/append/handlers.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { log } from '../../src/ops/log.ts'
import { InFlightCommits } from '../../src/repo/inflightcommits.ts'
import { HolderClient } from '../../src/repo/lease/client.ts'
import type { LeaseHandle } from '../../src/repo/lease/lease.ts'
import { storeName } from '../../src/repo/lease/socket.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { readGeneration } from '../../src/storage/directory/generation.ts'
import { readHolder } from '../../src/storage/directory/holder.ts'
import { generationFolder, takeOver } from '../../src/storage/directory/takeover.ts'
import type { LevelBackend } from '../../src/storage/levelbackend/levelbackend.ts'
import { expectFailure } from '../support/errors.ts'
import { sayMeanwhile } from '../support/meanwhile.ts'
import { openRepo, quietEnv } from '../support/store.ts'

const name = 'a' as RefName

/** A store with a session, and what is done the next time that an entry's time is asked for: while it is written. */
async function begin(): Promise<{ readonly repo: Repo; readonly id: string; meanwhile: () => void }> {
  const env = quietEnv()
  const nothing = (): void => undefined
  const hook = { meanwhile: nothing }
  const now = (): number => {
    const { meanwhile } = hook
    hook.meanwhile = nothing
    meanwhile()
    return env.now()
  }
  const repo = await openRepo(undefined, {
    env: { ...env, now },
    works: REQUEST_HANDLERS,
    lockTimeout: 20_000,
  })
  const id = await createSession(repo)
  await append(repo, id, [{ body: { role: 'user', content: 'root' } }])
  return Object.assign(hook, { repo, id })
}

/** Has another process take the store over, which makes its database at once or later. */
function takenOver({ dir }: Repo, made: 'at once' | 'later'): void {
  const generation = readGeneration(dir)
  takeOver(dir, generation)
  if (made === 'at once') generationFolder(dir, generation + 1)
}

const say = (repo: Repo, id: string, content: string): Promise<Oid[]> =>
  append(repo, id, [{ body: { role: 'user', content } }])

async function saidIn(repo: Repo, id: string): Promise<[Oid, string | null][]> {
  const said: [Oid, string | null][] = []
  for await (const { oid, text } of log(repo, id)) said.unshift([oid, text])
  return said
}

describe('work that is written while another process takes the store over', () => {
  for (const made of ['at once', 'later'] as const)
    it(`is there once, where the database of that one is made ${made}`, async () => {
      const store = await begin()
      const { repo, id } = store
      const expected: string[] = ['root']
      for (let round = 0; round < 3; round++) {
        await say(repo, id, `before ${round}`)
        store.meanwhile = () => takenOver(repo, made)
        const texts = Array.from({ length: 5 }, (_, i) => `${round} ${i}`)
        const oids = await Promise.all(texts.map((text) => say(repo, id, text)))
        expected.push(`before ${round}`, ...texts)
        const said = await saidIn(repo, id)
        expect(said.map(([, text]) => text)).toEqual(expected)
        expect(said.slice(-5).map(([oid]) => oid)).toEqual(oids.flat())
      }
      expect(readGeneration(repo.dir)).toBe(4)
      expect((await fsck(repo)).findings).toEqual([])
    })

  it('keeps the order in which it was begun, while lost work is looked for', async () => {
    const store = await begin()
    const { repo, id } = store
    const expected = ['root']
    for (const made of ['at once', 'later', 'at once'] as const) {
      store.meanwhile = () => takenOver(repo, made)
      const start = (): Promise<Oid[]> => say(repo, id, `${expected.push(`${expected.length}`) - 1}`)
      expect(await sayMeanwhile(repo, start(), start)).toBeGreaterThan(0)
      expect((await saidIn(repo, id)).map(([, text]) => text)).toEqual(expected)
    }
  })

  it('keeps the order in which it was begun, where a read notices the takeover at once', async () => {
    const store = await begin()
    const { repo, id } = store
    const expected = ['root']
    for (const made of ['at once', 'later', 'at once'] as const) {
      const texts = [`lost ${made}`, `begun ${made}`]
      const later = new Promise((resolve) => {
        store.meanwhile = () => {
          takenOver(repo, made)
          resolve(Promise.all([say(repo, id, texts[1] as string), repo.read(() => undefined)]))
        }
      })
      await Promise.all([say(repo, id, texts[0] as string), later])
      expected.push(...texts)
      expect((await saidIn(repo, id)).map(([, text]) => text)).toEqual(expected)
    }
  })

  it('is written once when it was handed over to another process', async () => {
    for (const made of ['at once', 'later'] as const) {
      const store = await begin()
      const { repo, id } = store
      const other = await openRepo(repo.dir, { works: REQUEST_HANDLERS, lockTimeout: 20_000 })
      const held = repo.read(() => new Promise((resolve) => setTimeout(resolve, 300)))
      await say(other, id, 'asked')
      store.meanwhile = () => takenOver(repo, made)
      const [oid] = await say(other, id, 'asked meanwhile')
      const said = await saidIn(other, id)
      expect(said.map(([, text]) => text)).toEqual(['root', 'asked', 'asked meanwhile'])
      expect(said.at(-1)?.[0]).toBe(oid)
      await held
    }
  })

  for (const before of ['a write that is lost', 'a write that is given up'] as const)
    it(`is not run in the next generation where it was requested before, and waited for ${before}`, async () => {
      const { repo, id } = await begin()
      let go = (): void => undefined
      let started = (): void => undefined
      const begun = new Promise<void>((resolve) => {
        started = resolve
      })
      const held = repo.write({}, async ({ move }) => {
        await new Promise<void>((resolve) => {
          go = resolve
          started()
        })
        // A database in which nothing more is written does not fail.
        if (before === 'a write that is given up') throw new SessError('cancelled', '')
        move(name, undefined, 1)
      })
      await begun
      let socket: string | undefined
      while (!socket) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        socket = readHolder(repo.dir)?.socket
      }
      const connected = await HolderClient.connect(socket, storeName(repo.identity.id, repo.dir))
      const client = connected as HolderClient
      const entries = [{ type: 'sess/message', body: { role: 'user', content: 'asked' } }]
      const asked = client.work('append', { session: id, entries, token: '00'.repeat(12), again: false })
      asked.catch(() => undefined) // it may fail before it is waited for
      await client.yield() // what was asked before was heard
      takenOver(repo, 'at once')
      go()
      await expectFailure(before === 'a write that is lost' ? 'fenced' : 'cancelled', () => held)
      // The client may have repeated it there. On a busy machine it suspects the holder before it hears of that.
      const end = await asked.catch((error: unknown) => asSessError(error).code)
      expect(['fenced', 'lost']).toContain(end)
      // The next write waits until the request has run, if it does.
      await repo.write({}, () => undefined)
      expect((await saidIn(repo, id)).map(([, text]) => text)).toEqual(['root'])
      client.close()
    })

  it('is written, or fails with an error', async () => {
    const store = await begin()
    const { repo } = store
    const set = (value: number, made: 'at once' | 'later'): Promise<string> =>
      repo.write({}, async ({ reader, move }) => {
        const before = await reader.ref(name)
        takenOver(repo, made)
        move(name, before, value)
        return 'done'
      })
    await expectFailure('fenced', () => set(1, 'at once'))
    expect(await repo.read((reader) => reader.ref(name))).toBe(undefined)
    expect(await set(2, 'later')).toBe('done')
    expect(await repo.read((reader) => reader.ref(name))).toBe(2)
  })

  it('fails with uncertain where its outcome is unknown', async () => {
    const store = await begin()
    const { repo, id } = store
    store.meanwhile = () => {
      takenOver(repo, 'later')
      writeFileSync(join(repo.dir, `db.${readGeneration(repo.dir)}`), '')
    }
    const { retryable } = await expectFailure('uncertain', () => say(repo, id, 'lost or not'))
    expect(retryable).toBe(false)
  })
})

/** Has operations written in a database that another process took over, and says what that has under a number now. */
function lookedFor(
  { dir }: Repo,
  kept: Operation | undefined,
  last: number,
  ...written: readonly Operation[]
): Promise<void> {
  const backend = { operation: () => kept, operationLog: () => ({ latest: last }) } as unknown as LevelBackend
  const copy = (): Promise<LeaseHandle> => Promise.resolve({ backend, release: () => undefined })
  const inFlight = new InFlightCommits(dir, { copy })
  const one = (operation: Operation, isLost: boolean): Promise<void> =>
    inFlight.track<void>({ operation }, () =>
      isLost ? Promise.reject(new SessError('fenced', dir)) : Promise.resolve(),
    )
  return written.reduce(
    (before, operation, i) => before.then(() => one(operation, i === written.length - 1)),
    Promise.resolve(),
  )
}

it('has an unknown outcome where gc dropped the operations of that time', async () => {
  const { repo } = await begin()
  const mine = (await repo.read((reader) => reader.operation(1))) as Operation
  await expectFailure('uncertain', () => lookedFor(repo, undefined, 1, mine))
  await expectFailure('fenced', () => lookedFor(repo, undefined, 0, mine))
})

it('has an unknown outcome where an expunge changed the ids of operations', async () => {
  const { repo } = await begin()
  const mine = (await repo.read((reader) => reader.operation(1))) as Operation
  const joined = { ...mine, id: '1'.repeat(32) }
  const anew = { ...mine, id: '2'.repeat(32) }
  await lookedFor(repo, joined, 1, mine, joined)
  await expectFailure('uncertain', () => lookedFor(repo, anew, 1, mine, joined))
  await expectFailure('uncertain', () => lookedFor(repo, anew, 1, mine))
  // The commit acknowledged before it, and the one of another process.
  await expectFailure('fenced', () => lookedFor(repo, mine, 1, mine, joined))
  await expectFailure('fenced', () => lookedFor(repo, { ...anew, time: mine.time + 1 }, 1, mine))
})
