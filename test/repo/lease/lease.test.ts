import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { SessError } from '../../../src/model/errors.ts'
import type { RefName } from '../../../src/model/refname.ts'
import { createSession } from '../../../src/ops/append/append.ts'
import { gc } from '../../../src/ops/gc.ts'
import { Lease, type LeaseHandle } from '../../../src/repo/lease/lease.ts'
import type { Repo, RequestHandlers } from '../../../src/repo/repo.ts'
import { readGeneration } from '../../../src/storage/directory/generation.ts'
import { writeHolder } from '../../../src/storage/directory/holder.ts'
import { STORE_FORMAT } from '../../../src/storage/directory/identity.ts'
import { processName } from '../../../src/storage/directory/processname.ts'
import { generationFolder, takeOver } from '../../../src/storage/directory/takeover.ts'
import { LevelBackend } from '../../../src/storage/levelbackend/levelbackend.ts'
import { built, script } from '../../support/built.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'
import { openRepo } from '../../support/store.ts'

const build = built()
const name = 'a' as RefName

/** Has other processes move the ref on, each so often. */
async function others(repo: Repo, processes: number, times: number): Promise<void> {
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, [script('write.mjs'), build, repo.dir, `${times}`], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  )
  const codes = await Promise.all(children.map(async (child) => (await once(child, 'exit'))[0] as number))
  expect(codes).toEqual(children.map(() => 0))
}

const increment = (repo: Repo): Promise<void> =>
  repo.write({}, async ({ reader, move }) => {
    const now = (await reader.ref(name)) as number | undefined
    move(name, now, (now ?? 0) + 1)
  })

const valueOf = (repo: Repo): Promise<unknown> => repo.read((reader) => reader.ref(name))

const holder = { pid: process.pid, command: 'test', since: '' }
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

describe('a lease', () => {
  it('yields to another process while the store is open and idle', async () => {
    const repo = await openRepo()
    await increment(repo)
    await others(repo, 1, 3)
    expect(await valueOf(repo)).toBe(4)
    await increment(repo)
    await others(repo, 1, 1)
    expect(await valueOf(repo)).toBe(6)
    const last = await repo.read(async (reader) => (await reader.operationLog()).latest)
    expect(last).toBe(6)
  })

  it('survives the removal of its folder before it listens', async () => {
    const repo = await openRepo()
    await increment(repo)
    rmSync(repo.dir, { recursive: true })
    await pause(300) // a rejection that nobody handles fails the test
    expect(existsSync(repo.dir)).toBe(false)
  })

  it('closes a socket that it cannot announce', async () => {
    const runtime = newFolder()
    vi.stubEnv('XDG_RUNTIME_DIR', runtime)
    onTestFinished(() => void vi.unstubAllEnvs())
    const repo = await openRepo()
    await increment(repo)
    const file = join(repo.dir, 'holder.json')
    rmSync(file)
    mkdirSync(file)
    const sockets = join(runtime, 'sess')
    await expect.poll(() => existsSync(sockets)).toBe(true)
    await expect.poll(() => readdirSync(sockets)).toEqual([])
    // The database is closed soon where nobody can ask for it, and the folder would keep it from being opened again.
    rmSync(file, { recursive: true })
    await increment(repo)
    expect(await valueOf(repo)).toBe(2)
  })

  it.each(['removed', 'renamed'])('reports a store whose folder was %s while it is open', async (how) => {
    const repo = await openRepo()
    await increment(repo)
    if (how === 'removed') rmSync(repo.dir, { recursive: true })
    else renameSync(repo.dir, join(newFolder(), 'away'))
    await expectFailure('no-store', () => increment(repo))
    await expectFailure('no-store', () => valueOf(repo))
    await repo.close()
    expect(existsSync(repo.dir)).toBe(false)
  })

  it('lets processes take turns without overwriting one another', async () => {
    const repo = await openRepo()
    await increment(repo)
    const done = others(repo, 3, 20)
    for (let i = 0; i < 20; i++) {
      await increment(repo)
      await pause(60)
    }
    await done
    expect(await valueOf(repo)).toBe(81)
  })

  it('opens the database once for many concurrent users', async () => {
    const { dir, ...repo } = await openRepo()
    expect(repo.identity.format).toBe(STORE_FORMAT)
    let opened = 0
    const onOpen = (): void => {
      opened++
    }
    const lease = new Lease(dir, { lockTimeout: 0, holder, onOpen })
    const ask = async (delay: number): Promise<LeaseHandle> => {
      for (let i = 0; i < delay; i++) await Promise.resolve()
      return lease.acquire('write')
    }
    const holds = await Promise.all(Array.from({ length: 40 }, (_, i) => ask(i)))
    expect([new Set(holds.map(({ backend }) => backend)).size, opened]).toEqual([1, 1])
    for (const { release } of holds) release()
    await pause(100)
    await lease.use('write', () => undefined)
    expect(opened).toBe(1)
    await lease.close()
  })

  it('continues with the next generation when the store was taken over while it was opened', async () => {
    const { dir } = await openRepo()
    let opened = 0
    const onOpen = (): void => {
      if (++opened > 1) return
      const generation = readGeneration(dir)
      takeOver(dir, generation)
      generationFolder(dir, generation + 1)
      throw new SessError('corrupt', dir)
    }
    const lease = new Lease(dir, { lockTimeout: 5000, holder, onOpen })
    await lease.use('write', () => undefined)
    expect(opened).toBe(2)
    await lease.close()
  })

  it('leaves a database that was taken over and cannot be closed', async () => {
    const repo = await openRepo()
    await increment(repo)
    const generation = readGeneration(repo.dir)
    takeOver(repo.dir, generation)
    generationFolder(repo.dir, generation + 1)
    const close = Object.getOwnPropertyDescriptor(LevelBackend.prototype, 'close')
      ?.value as () => Promise<void>
    const closed = vi.spyOn(LevelBackend.prototype, 'close').mockImplementationOnce(async function (
      this: LevelBackend,
    ) {
      await close.call(this)
      throw new SessError('cannot-write', repo.dir)
    })
    await increment(repo)
    await pause(20) // a rejection that nobody handles fails the test
    expect(closed).toHaveBeenCalled()
    expect(await valueOf(repo)).toBe(2)
  })

  it('reports damage of the current database', async () => {
    const { dir } = await openRepo()
    const onOpen = (): never => {
      throw new SessError('corrupt', dir)
    }
    const lease = new Lease(dir, { lockTimeout: 5000, holder, onOpen })
    await expectFailure('corrupt', () => lease.acquire('write'))
    await lease.close()
  })

  it('opens it once, whenever users ask during the opening', async () => {
    const { dir } = await openRepo()
    for (let delay = 0; delay < 30; delay++) {
      const asked: Promise<LeaseHandle>[] = []
      const askLater = async (): Promise<void> => {
        for (let i = 0; i < delay; i++) await Promise.resolve()
        asked.push(Promise.resolve(lease.acquire('write')))
      }
      const onOpen = async (): Promise<void> => {
        for (let i = 0; i < 15; i++) await Promise.resolve()
        void askLater()
      }
      const lease: Lease = new Lease(dir, { lockTimeout: 0, holder, onOpen })
      const first = await lease.acquire('write')
      await pause(2)
      expect((await Promise.all(asked)).map(({ backend }) => backend)).toEqual([first.backend])
      await lease.close()
    }
  })

  it('tells a hold of the database that is open from one of a database that was replaced', async () => {
    const { dir, identity } = await openRepo()
    const lease = new Lease(dir, { lockTimeout: 5000, holder, store: identity.id })
    const former = await lease.acquire('write')
    expect(lease.isCurrent(former)).toBe(true)
    const generation = readGeneration(dir)
    takeOver(dir, generation)
    generationFolder(dir, generation + 1)
    expect(lease.takeNow()).toBeUndefined()
    const next = await lease.acquire('write')
    expect([former, next].map((hold) => lease.isCurrent(hold))).toEqual([false, true])
    former.release()
    next.release()
    await lease.close()
  })

  it('holds the database during a streaming read', async () => {
    const repo = await openRepo()
    await increment(repo)
    const seen: unknown[] = []
    for await (const value of repo.stream(async function* (reader) {
      yield await reader.ref(name)
      await pause(100)
      yield await reader.ref(name)
    }))
      seen.push(value)
    expect(seen).toEqual([1, 1])
    for await (const _ of repo.stream(async function* (reader) {
      yield await reader.ref(name)
      yield await reader.ref(name)
    }))
      break
    await others(repo, 1, 1)
    expect(await valueOf(repo)).toBe(2)
  })

  it('is open again after work that failed', async () => {
    const repo = await openRepo()
    await expect(repo.read(() => Promise.reject(new Error('no')))).rejects.toThrow('no')
    await others(repo, 1, 1)
    expect(await valueOf(repo)).toBe(1)
  })

  it('leaves the database to writers where others were met lately, and reads a snapshot', async () => {
    const repo = await openRepo()
    await increment(repo)
    const lease = new Lease(repo.dir, { lockTimeout: 5000, holder })
    await lease.use('read', () => undefined)
    await repo.close()
    await lease.use('read', () => undefined)
    expect(lease.opened).toBeUndefined()
    await lease.use('write', () => undefined)
    expect(lease.opened).toBeDefined()
    await lease.close()
  })

  it('does not open a database that was left to another process, for a moment', async () => {
    const repo = await openRepo()
    await increment(repo)
    await repo.close()
    const [, namespace] = processName().split('-')
    const next = `${process.ppid}-${namespace}`
    writeHolder(repo.dir, { ...holder, next })
    const { mtimeMs } = statSync(join(repo.dir, 'holder.json'))
    const clock = vi.spyOn(Date, 'now').mockReturnValue(mtimeMs + 200)
    onTestFinished(() => clock.mockRestore())
    const lease = new Lease(repo.dir, { lockTimeout: 5000, holder })
    onTestFinished(() => lease.close())
    expect(await lease.tryWrite()).toBeUndefined()
    await lease.use('read', () => undefined)
    expect(lease.opened).toBeUndefined()
    clock.mockReturnValue(mtimeMs + 300)
    const handle = await lease.tryWrite()
    expect(handle).toBeDefined()
    handle?.release()
  })

  it.each([
    ['to this process', () => processName()],
    ['to one that has ended', () => processName().replace(/^\d+/, '5000000')],
  ])('opens a database that was left %s', async (_, next) => {
    const repo = await openRepo()
    await increment(repo)
    await repo.close()
    writeHolder(repo.dir, { ...holder, next: next() })
    const { mtimeMs } = statSync(join(repo.dir, 'holder.json'))
    const clock = vi.spyOn(Date, 'now').mockReturnValue(mtimeMs)
    onTestFinished(() => clock.mockRestore())
    const lease = new Lease(repo.dir, { lockTimeout: 5000, holder })
    onTestFinished(() => lease.close())
    await lease.use('write', () => undefined)
    expect(lease.opened).toBeDefined()
  })

  it('gives up after a timeout, and tries again for the next user', async () => {
    const repo = await openRepo(undefined, { lockTimeout: 20 })
    const other = await openRepo(repo.dir)
    await other.write({}, () => expectFailure('busy', () => increment(repo)))
    await other.close()
    expect(await valueOf(repo)).toBeUndefined()
  })

  it('closes only after all work for other processes, also that requested through a former database', async () => {
    const gate = new Map<string, () => void>()
    const reached = (at: string): Promise<void> => new Promise((resolve) => gate.set(at, resolve))
    const [asked, begun] = [reached('asked'), reached('begun')]
    const collected = new AbortController()
    // Gc refuses refs of kinds that it does not know.
    const chosen = 'current/folder' as RefName
    const works: RequestHandlers = {
      slow: async (holding) => {
        gate.get('asked')?.()
        // Without progress it would be suspected where this takes long.
        while (!collected.signal.aborted) {
          await holding.yieldToEvents()
          await pause(5)
        }
        return holding.write({}, async ({ reader, move }) => {
          gate.get('begun')?.()
          await pause(30)
          move(chosen, await reader.ref(chosen), { session: 'none' })
          return 'done'
        })
      },
    }
    const repo = await openRepo(undefined, { works })
    const other = await openRepo(repo.dir)
    await createSession(repo)
    const held = repo.read(() => asked)
    await pause(60)
    const answer = other.delegate<string>('slow', {}, () => Promise.reject(new Error('it was done here')))
    await held
    await gc(repo, { operations: 0, grace: 0 })
    collected.abort()
    await begun
    await repo.close()
    expect(await answer).toBe('done')
    expect(await other.read((reader) => reader.ref(chosen))).toEqual({ session: 'none' })
  })
})
