import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { field } from '../../src/model/json.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../src/ops/append/handlers.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { repairStore } from '../../src/ops/fsck/repairstore.ts'
import { gc } from '../../src/ops/gc.ts'
import { log } from '../../src/ops/log.ts'
import { backUp, restore, verifyBackup } from '../../src/repo/backup.ts'
import { FrameReader, frameOf, PROTOCOL } from '../../src/repo/lease/messages.ts'
import { newSocketPath, storeName } from '../../src/repo/lease/socket.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { ALL, sampled } from '../support/amount.ts'
import { answersOf, wrongOf } from '../support/answers.ts'
import { built, script } from '../support/built.ts'
import { rounds, tally } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { copyOf, smallStore } from '../support/smallstore.ts'
import { openRepo, quietEnv } from '../support/store.ts'

const build = built()

function begin(name: string, ...words: readonly string[]): ChildProcess {
  const child = spawn(process.execPath, [script(name), build, ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

/** A process that appends or does more for ever, and what it printed so far. */
class Going {
  readonly child: ChildProcess
  #text = ''

  constructor(name: string, ...words: readonly string[]) {
    this.child = begin(name, ...words)
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString()
    })
  }

  /** The oids that were acknowledged to it. */
  get acknowledged(): string[] {
    return this.#text
      .split('\n')
      .slice(0, -1)
      .filter((line) => /^[0-9a-f]{64}$/.test(line))
  }

  async reaches(count: number): Promise<void> {
    while (this.acknowledged.length < count && this.child.exitCode === null) await pause(5)
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null) throw new Error(`it ended by itself with ${this.child.exitCode}`)
    const closed = once(this.child, 'close')
    this.child.kill('SIGCONT')
    this.child.kill('SIGKILL')
    await closed
  }
}

async function pathOf(repo: Repo, session: string): Promise<Set<string>> {
  const path = new Set<string>()
  for await (const { oid } of log(repo, session)) path.add(oid)
  return path
}

async function expectKept(repo: Repo, session: string, ...all: readonly Going[]): Promise<void> {
  const acknowledged = all.flatMap((going) => going.acknowledged)
  const path = await pathOf(repo, session)
  expect(acknowledged.filter((oid) => !path.has(oid))).toEqual([])
  expect((await fsck(repo)).findings).toEqual([])
}

const says = (content: string) => [{ body: { role: 'user', content } }]

async function started(): Promise<{ readonly repo: Repo; readonly id: string }> {
  const repo = await openRepo(undefined, { lockTimeout: 60_000, works: REQUEST_HANDLERS })
  const id = await createSession(repo)
  await append(repo, id, says('root'))
  return { repo, id }
}

/** The answers of processes that hold a database and do not do what is requested. */
const LIARS: { readonly [name: string]: (socket: Socket, store: string) => unknown } = {
  'says nothing': () => undefined,
  'says noise': (socket) =>
    socket.write(Buffer.from(Array.from({ length: 999 }, (_, i) => (i * i * 31) % 251))),
  'hangs up': (socket) => socket.destroy(),
  'begins an answer and stops': (socket, store) =>
    socket.write(frameOf({ id: 0, protocol: PROTOCOL, store }).subarray(0, 20)),
  'answers the first question alone': (socket, store) =>
    socket.write(frameOf({ id: 0, protocol: PROTOCOL, store })),
  'answers whether it is there, and does no work': (socket, store) => {
    socket.write(frameOf({ id: 0, protocol: PROTOCOL, store }))
    const frames = new FrameReader()
    socket.on('data', (chunk: Buffer) => {
      for (const message of frames.push(chunk))
        if (field(message, 'ask') !== 'work')
          socket.write(frameOf({ id: field(message, 'id') ?? null, steps: 7, isLong: false }))
    })
  },
}

describe('class 13: a process that has the database and', () => {
  for (const [name, lie] of sampled(Object.entries(LIARS), 3))
    it(`${name} keeps nobody from it`, { timeout: 120_000 }, async () => {
      const { repo, id } = await started()
      await repo.close()
      const holder = begin('hold.mjs', repo.dir)
      await once(holder.stdout as NodeJS.ReadableStream, 'data')
      const server = createServer((socket) => {
        socket.on('error', () => undefined)
        socket.on('data', () => undefined)
        socket.once('data', () => lie(socket, storeName(repo.identity.id, repo.dir)))
      }).listen(newSocketPath('abc0.liar.sock'))
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      const said = {
        pid: holder.pid,
        command: 'sess watch',
        since: '2026-01-02T03:04:05.678Z',
        socket: 'abc0.liar.sock',
      }
      writeFileSync(join(repo.dir, 'holder.json'), JSON.stringify(said))
      const again = await openRepo(repo.dir, { lockTimeout: 60_000, works: REQUEST_HANDLERS })
      const [oid] = await append(again, id, says('in spite of it'))
      expect(await pathOf(again, id)).toContain(oid)
      expect((await fsck(again)).findings).toEqual([])
      tally(13, 'a process that has the database and lies or stalls', 1)
    })
})

describe('class 8: garbage is collected', () => {
  it('by two processes beside one that appends: nothing acknowledged is lost', {
    timeout: 300_000,
  }, async () => {
    const { repo, id } = await started()
    const collectors = [0, 1].map((n) => new Going('gc.mjs', repo.dir, id, `${n}`))
    const appender = new Going('append.mjs', repo.dir, id, '2')
    let runs = 0
    for (const _ of rounds(2, 40)) {
      for (const going of [...collectors, appender]) await going.reaches(going.acknowledged.length + 3)
      for (const { child } of [...collectors, appender]) expect(child.exitCode).toBeNull()
      await expectKept(repo, id, ...collectors, appender)
      runs++
    }
    for (const going of [...collectors, appender]) await going.end()
    await expectKept(repo, id, ...collectors, appender)
    const counts = [...collectors, appender].map(({ acknowledged }) => acknowledged.length > 0)
    expect(counts).toEqual([true, true, true])
    tally(8, 'looks while two processes collect and a third appends', runs)
  })
})

describe('class 11: a holder', () => {
  it('that is stopped, and wakes up while garbage is collected, loses nothing', {
    timeout: 300_000,
  }, async () => {
    let runs = 0
    for (const round of rounds(1, 12)) {
      const { repo, id } = await started()
      const going = new Going('append.mjs', repo.dir, id, `${round}`)
      await going.reaches(30)
      going.child.kill('SIGSTOP')
      const collected = gc(repo, { grace: Infinity, operations: Infinity }).catch((error: unknown) =>
        expect(error).toMatchObject({ code: 'busy' }),
      )
      await pause(Math.random() * (ALL ? 3000 : 1000))
      going.child.kill('SIGCONT')
      await collected
      const before = going.acknowledged.length
      await going.reaches(before + 10)
      await going.end()
      await expectKept(repo, id, going)
      await repo.close()
      runs++
    }
    tally(11, 'a stopped holder that wakes up while garbage is collected', runs)
  })

  it('that takes the store over and is killed meanwhile, loses nothing', { timeout: 300_000 }, async () => {
    let runs = 0
    for (const round of rounds(1, 12)) {
      const { repo, id } = await started()
      await repo.close()
      const stopped = new Going('append.mjs', repo.dir, id, `${round} a`)
      await stopped.reaches(30)
      stopped.child.kill('SIGSTOP')
      const heir = new Going('append.mjs', repo.dir, id, `${round} b`)
      await pause(1200 + Math.random() * 1500)
      await heir.end()
      stopped.child.kill('SIGCONT')
      const again = await openRepo(repo.dir, { lockTimeout: 60_000, works: REQUEST_HANDLERS })
      await append(again, id, says('after both'))
      await stopped.reaches(stopped.acknowledged.length + 5)
      await stopped.end()
      await expectKept(again, id, stopped, heir)
      await again.close()
      runs++
    }
    tally(11, 'a process killed while it takes the store over from a stopped one', runs)
  })
})

describe('class 10: a copy', () => {
  it('that is taken while others write and collect garbage is a store of one moment', {
    timeout: 300_000,
  }, async () => {
    const { repo, id } = await started()
    const collector = new Going('gc.mjs', repo.dir, id, '0')
    const appender = new Going('append.mjs', repo.dir, id, '1')
    const target = join(newFolder(), 'backup')
    let runs = 0
    for (const _ of rounds(3, 40)) {
      await appender.reaches(appender.acknowledged.length + 3)
      const before = [...collector.acknowledged, ...appender.acknowledged]
      backUp(repo.dir, target, quietEnv())
      expect(verifyBackup(target)).toEqual([])
      const restored = join(newFolder(), 'restored')
      restore(target, restored)
      const copy = await openRepo(restored)
      const path = await pathOf(copy, id)
      expect(before.filter((oid) => !path.has(oid))).toEqual([])
      expect((await fsck(copy)).findings).toEqual([])
      await copy.close()
      runs++
    }
    for (const going of [collector, appender]) await going.end()
    tally(10, 'backups taken while others write and collect garbage', runs)
  })

  it('that is put over its own store gives the right answers of one of them, or says that it is damaged', async () => {
    const { dir, sessions } = await smallStore()
    const older = copyOf(dir)
    const before = await answersOf(copyOf(dir), sessions)
    const repo = await openRepo(dir)
    for (const id of sessions.slice(0, 3)) await append(repo, id, says('later'))
    await repo.close()
    const after = await answersOf(copyOf(dir), sessions)
    cpSync(older, dir, { recursive: true, force: true })
    const got = await answersOf(dir, sessions)
    const typed = new Set(['!corrupt'])
    expect([wrongOf(got, before, typed), wrongOf(got, after, typed)]).toContainEqual([])
    const { done } = await repairStore(dir, { env: quietEnv(), command: 'sess fsck --repair', from: older })
    expect(done?.after.findings ?? []).toEqual([])
    tally(10, 'an older copy put over its own store', 1)
  })
})
