import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { branchRef } from '../../src/model/refname.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../src/ops/append/handlers.ts'
import { changes, type StoreChange } from '../../src/ops/changes.ts'
import { gc } from '../../src/ops/gc.ts'
import { operations } from '../../src/ops/operations.ts'
import { removeSessions } from '../../src/ops/remove.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { MAIN } from '../../src/repo/session.ts'
import { journalPath } from '../../src/storage/journal.ts'
import { built, script } from '../support/built.ts'
import { expectFailure } from '../support/errors.ts'
import { openRepo } from '../support/store.ts'

const says = (content: string) => ({ body: { role: 'user', content } })

/** Follows the changes of a store in the background, until the test ends. */
class Follower {
  readonly seen: StoreChange[] = []
  readonly #stopping = new AbortController()
  readonly #ended: Promise<void>

  constructor(repo: Repo, since?: string) {
    this.#ended = this.#follow(repo.call({ signal: this.#stopping.signal }), since)
    onTestFinished(() => this.stop())
  }

  async #follow(repo: Repo, since: string | undefined): Promise<void> {
    for await (const change of changes(repo, since === undefined ? {} : { since })) this.seen.push(change)
  }

  /** Returns the tips that a branch took. */
  tips(session: string): unknown[] {
    const name = branchRef(session, MAIN)
    return this.seen.flatMap(({ refs }) => refs.filter((ref) => ref.name === name).map(({ value }) => value))
  }

  stop(): Promise<void> {
    this.#stopping.abort()
    return this.#ended
  }
}

/** A process that appends, with the oids that were acknowledged to it. */
class Appender {
  readonly oids: Oid[] = []
  readonly child: ChildProcess
  readonly exit: Promise<unknown>

  constructor(repo: Repo, session: string, count: number, milliseconds: number) {
    const args = [script('paced.mjs'), built(), repo.dir, session, `${count}`, `${milliseconds}`]
    this.child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    this.child.stdout?.on('data', (chunk: Buffer) => {
      const lines = (text + chunk.toString()).split('\n')
      text = lines.pop() ?? ''
      this.oids.push(...(lines as Oid[]))
    })
    this.exit = once(this.child, 'close')
    onTestFinished(() => void this.child.kill('SIGKILL'))
  }
}

const settled = async (follower: Follower, session: string, tip: unknown): Promise<void> => {
  await expect.poll(() => follower.tips(session).at(-1), { timeout: 20_000 }).toBe(tip)
}

it('yields each of 30 appends of another process in order, and closes no operation', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const follower = new Follower(repo)
  const other = await openRepo(repo.dir)
  const appender = new Appender(repo, id, 30, 25)
  while (appender.oids.length < 30) {
    await pause(100)
    for await (const _ of operations(other)) break
  }
  await appender.exit
  await settled(follower, id, appender.oids.at(-1))
  expect(follower.tips(id)).toEqual(appender.oids)
  expect(follower.seen.every(({ sessions }) => sessions.some(({ id: of, grew }) => of === id && grew))).toBe(
    true,
  )
  const listed: number[] = []
  for await (const { number } of operations(other)) listed.push(number)
  expect(listed).toEqual([2, 1])
})

it('goes on from a cursor, and misses nothing that happened meanwhile', async () => {
  const repo = await openRepo()
  const id = await createSession(repo)
  const first = new Follower(repo)
  await pause(50)
  const oids = [...(await append(repo, id, [says('a')]))]
  await settled(first, id, oids[0])
  await first.stop()
  for (const text of ['b', 'c', 'd']) {
    oids.push(...(await append(repo, id, [says(text)])))
    await pause(25)
  }
  const second = new Follower(repo, first.seen.at(-1)?.cursor)
  oids.push(...(await append(repo, id, [says('e')])))
  await settled(second, id, oids.at(-1))
  expect([...first.tips(id), ...second.tips(id)]).toEqual(oids)
})

it('reports what moved since a cursor though the journal was rewritten, removed sessions too', async () => {
  const repo = await openRepo()
  const [kept, removed] = [await createSession(repo), await createSession(repo)]
  const first = new Follower(repo)
  await pause(50)
  const [oid] = await append(repo, kept, [says('a')])
  await settled(first, kept, oid)
  await first.stop()
  const [next] = await append(repo, kept, [says('b')])
  await removeSessions(repo, [removed])
  await repo.close()
  // The next opening writes it again, from the refs.
  rmSync(journalPath(repo.dir))
  const again = await openRepo(repo.dir)
  const second = new Follower(again, first.seen.at(-1)?.cursor)
  await settled(second, kept, next)
  const meta = second.seen.flatMap(({ refs }) => refs.filter(({ name }) => name.includes(removed)))
  expect(meta.every(({ value }) => value === null)).toBe(true)
  expect(meta.length).toBeGreaterThan(0)
})

it('follows the writer over collections of garbage', async () => {
  const repo = await openRepo(undefined, { works: REQUEST_HANDLERS })
  const id = await createSession(repo)
  const follower = new Follower(repo)
  const appender = new Appender(repo, id, 15, 10)
  while (appender.oids.length < 15) await gc(repo, { grace: Number.POSITIVE_INFINITY, operations: 0 })
  await appender.exit
  await settled(follower, id, appender.oids.at(-1))
  expect(follower.tips(id)).toEqual(follower.tips(id).filter((oid) => appender.oids.includes(oid as Oid)))
  const order = follower.tips(id).map((oid) => appender.oids.indexOf(oid as Oid))
  expect(order).toEqual(order.toSorted((a, b) => a - b))
})

it('ends when the signal aborts, and refuses what is no cursor of the store', async () => {
  const repo = await openRepo()
  await createSession(repo)
  const follower = new Follower(repo)
  await follower.stop()
  expect(follower.seen).toEqual([])
  await expectFailure('no-operation', () => changes(repo, { since: '7.7' }).next())
  await expectFailure('no-operation', () => changes(repo, { since: 'now' }).next())
})
