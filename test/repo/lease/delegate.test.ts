import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { field } from '../../../src/model/json.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../../src/ops/append/handlers.ts'
import { createBranch } from '../../../src/ops/branch.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { log } from '../../../src/ops/log.ts'
import { FrameReader, frameOf, PROTOCOL } from '../../../src/repo/lease/messages.ts'
import { newSocketPath } from '../../../src/repo/lease/socket.ts'
import type { Repo } from '../../../src/repo/repo.ts'
import { readGeneration } from '../../../src/storage/directory/generation.ts'
import { writeHolder } from '../../../src/storage/directory/holder.ts'
import { ALL } from '../../support/amount.ts'
import { built, script } from '../../support/built.ts'
import { expectFailure } from '../../support/errors.ts'
import { rounds } from '../../support/faults.ts'
import { newFolder } from '../../support/folder.ts'
import { sayMeanwhile } from '../../support/meanwhile.ts'
import { openRepo } from '../../support/store.ts'

const build = built()

/** A process that appends, and what it printed so far: for each message what came of it. */
class Appender {
  readonly child: ChildProcess
  readonly #exit: Promise<unknown>
  #text = ''

  constructor(
    repo: Repo,
    session: string,
    branch: string,
    count: number,
    name: string,
    ...more: readonly string[]
  ) {
    const args = [script('many.mjs'), build, repo.dir, session, branch, `${count}`, name, ...more]
    this.child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString()
    })
    this.#exit = once(this.child, 'close')
  }

  get lines(): string[][] {
    return this.#text
      .split('\n')
      .slice(0, -1)
      .map((line) => line.split(' '))
  }

  /** Waits until so many messages were acknowledged. */
  async reaches(count: number): Promise<void> {
    while (this.lines.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
  }

  end(): Promise<unknown> {
    return this.#exit
  }
}

/** Returns the texts on a branch, the newest first, each with its oid. */
async function saidOn(repo: Repo, session: string, branch: string): Promise<[string, string | null][]> {
  const said: [string, string | null][] = []
  for await (const { oid, text } of log(repo, `${session}/${branch}`)) said.push([oid, text])
  return said
}

async function begin(dir?: string): Promise<{ readonly repo: Repo; readonly id: string }> {
  const repo = await openRepo(dir, { works: REQUEST_HANDLERS, lockTimeout: 20_000 })
  const id = await createSession(repo)
  await append(repo, id, [{ body: { role: 'user', content: 'root' } }])
  await createBranch(repo, id, 'side')
  return { repo, id }
}

/** Expects each acknowledged message where it was acknowledged, once, in order. */
function expectKept(
  said: readonly [string, string | null][],
  name: string,
  lines: readonly string[][],
): void {
  const own = said.filter(([, text]) => text?.startsWith(`${name} `)).reverse()
  expect(new Set(own.map(([, text]) => text)).size).toBe(own.length)
  const places = new Map(own.map(([oid], i) => [oid, i]))
  const acknowledged = lines.map(([oid]) => places.get(oid as Oid))
  expect(acknowledged).toEqual([...acknowledged].sort((a, b) => (a ?? -1) - (b ?? -1)))
  expect(acknowledged).not.toContain(undefined)
}

/** Expects of the operation log that each move begins where the one before ended, and that the last are what the refs are. */
async function expectWhole(repo: Repo): Promise<void> {
  const moves = new Map<string, unknown>()
  await repo.read(async (reader) => {
    for (let n = 1; n <= (await reader.operationLog()).latest; n++)
      for (const { name, old, new: next } of (await reader.operation(n))?.moves ?? []) {
        expect(old).toEqual(moves.get(name))
        moves.set(name, next)
      }
    for await (const [name, value] of reader.refs('')) expect(moves.get(name)).toEqual(value)
  })
}

describe('several processes', () => {
  it('append to branches of one session at once, each entry where it was acknowledged', async () => {
    const { repo, id } = await begin()
    for (const side of ['side-5', 'side-6', 'side-7']) await createBranch(repo, id, side)
    const branches = ALL
      ? ['main', 'main', 'main', 'main', 'side', 'side-5', 'side-6', 'side-7']
      : ['main', 'main', 'side', 'side-5']
    const appenders = branches.map((branch, i) => new Appender(repo, id, branch, 50, `p${i}`))
    for (const appender of appenders) await appender.end()
    for (const branch of new Set(branches)) {
      const said = await saidOn(repo, id, branch)
      const own = appenders.flatMap(({ lines }, i) =>
        branches[i] === branch ? [{ lines, name: `p${i}` }] : [],
      )
      expect(said.length).toBe(1 + 50 * own.length)
      for (const { lines, name } of own) {
        expect(lines.length).toBe(50)
        expectKept(said, name, lines)
      }
    }
    expect((await fsck(repo)).findings).toEqual([])
    await expectWhole(repo)
  })

  it('write the work of one process in order while another process holds the database', async () => {
    const { repo, id } = await begin()
    const other = await openRepo(repo.dir, { lockTimeout: 20_000 })
    const expected = ['root']
    const say = (): Promise<Oid[]> =>
      append(repo, id, [{ body: { role: 'user', content: `${expected.push(`${expected.length}`) - 1}` } }])
    for (const _ of rounds(4, 4)) {
      let first: Promise<Oid[]> | undefined
      await other.write({}, async () => {
        first = say()
        await new Promise((resolve) => setTimeout(resolve, 30))
      })
      expect(await sayMeanwhile(repo, first, say)).toBeGreaterThan(0)
      expect((await saidOn(repo, id, 'main')).map(([, text]) => text).reverse()).toEqual(expected)
    }
  })

  it('get a conflict with both oids where another process moved the expected tip', async () => {
    const { repo, id } = await begin()
    const appenders = [0, 1, 2, 3].map(
      (i) => new Appender(repo, id, 'main', 30, `p${i}`, ...(i < 2 ? ['expected'] : [])),
    )
    for (const appender of appenders) await appender.end()
    const said = (await saidOn(repo, id, 'main')).reverse()
    expect(said.length).toBe(121)
    const after = new Map(said.map(([oid], i) => [oid, said[i - 1]?.[0]]))
    appenders.forEach(({ lines }, i) => {
      const acknowledged = lines.filter(([oid]) => oid?.length === 64)
      expect(acknowledged.length).toBe(30)
      expectKept(said.toReversed(), `p${i}`, acknowledged)
      let expected: string | undefined
      for (const [came, , wanted, found] of lines) {
        if (came === 'conflict') {
          // Both are entries of the branch, and what was found is not what was expected.
          expect([after.has(wanted as Oid), after.has(found as Oid), wanted === found]).toEqual([
            true,
            true,
            false,
          ])
          expected = found
        } else {
          if (i < 2 && expected !== undefined) expect(after.get(came as Oid)).toBe(expected)
          expected = came
        }
      }
    })
    await expectWhole(repo)
  })

  it('continue when the holder hangs, which later finds what they wrote', async () => {
    const { repo: first, id } = await begin()
    await first.close()
    const end = join(newFolder(), 'end')
    const child = spawn(process.execPath, [script('hang.mjs'), build, first.dir, id, end], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    const ended = once(child, 'close')
    while (!text.includes('\n')) await new Promise((resolve) => setTimeout(resolve, 5))
    const repo = await openRepo(first.dir, { works: REQUEST_HANDLERS, lockTimeout: 20_000 })
    const [oid] = await append(repo, id, [{ body: { role: 'user', content: 'meanwhile' } }])
    expect(text.split('\n').length).toBe(2)
    expect(readdirSync(repo.dir)).toContain('db.2')
    writeFileSync(end, '')
    await ended
    const [before, after] = text.split('\n')
    const said = (await saidOn(repo, id, 'main')).slice(0, 3)
    expect(said).toEqual([
      [after, 'after'],
      [oid, 'meanwhile'],
      [before, 'before'],
    ])
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('continue with appends and other work when the holder answers without progress', async () => {
    const { repo, id } = await begin()
    await repo.close()
    const works = [
      (waiting: Repo): Promise<unknown> =>
        append(waiting, id, [{ body: { role: 'user', content: 'all the same' } }]),
      (waiting: Repo): Promise<unknown> => createBranch(waiting, id, 'too'),
    ]
    for (const [i, work] of works.entries()) {
      const child = spawn(process.execPath, [script('stuck.mjs'), build, repo.dir], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      await once(child.stdout, 'data')
      const waiting = await openRepo(repo.dir, { works: REQUEST_HANDLERS, lockTimeout: 20_000 })
      await work(waiting)
      expect(child.exitCode).toBe(null)
      expect(readGeneration(repo.dir)).toBe(i + 2)
      child.kill('SIGKILL')
      await once(child, 'close')
      if (i === 0) expect((await saidOn(waiting, id, 'main'))[0]?.[1]).toBe('all the same')
      else expect((await saidOn(waiting, id, 'too')).length).toBe(2)
      expect((await fsck(waiting)).findings).toEqual([])
      await waiting.close()
    }
  })

  it('continue when the holder is killed, and write nothing twice', async () => {
    const { repo, id } = await begin()
    const count = ALL ? 80 : 40
    const appenders = [0, 1, 2].map((i) => new Appender(repo, id, 'main', count, `p${i}`))
    for (const appender of appenders) await appender.reaches(10)
    appenders[0]?.child.kill('SIGKILL')
    for (const appender of appenders) await appender.end()
    const said = await saidOn(repo, id, 'main')
    appenders.forEach(({ lines }, i) => {
      if (i > 0) expect(lines.length).toBe(count)
      expectKept(said, `p${i}`, lines)
    })
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('take the store over from a stopped holder, which cannot overwrite later writes', async () => {
    const { repo: first, id } = await begin()
    await first.close()
    // It stops itself: it may be done before another process stops it.
    const stopped = new Appender(first, id, 'main', 60, 'p0', '', '20')
    await stopped.reaches(20)
    const repo = await openRepo(first.dir, { works: REQUEST_HANDLERS, lockTimeout: 20_000 })
    const [oid] = await append(repo, id, [{ body: { role: 'user', content: 'meanwhile' } }])
    expect(readdirSync(repo.dir).filter((name) => /^db\.\d+$/.test(name))).toContain('db.2')
    const said = await saidOn(repo, id, 'main')
    expect(said[0]).toEqual([oid, 'meanwhile'])
    expectKept(said, 'p0', stopped.lines)
    stopped.child.kill('SIGCONT')
    await stopped.end()
    const after = await saidOn(repo, id, 'main')
    expect(after.map(([at]) => at)).toContain(oid)
    const acknowledged = stopped.lines.filter(([at]) => at?.length === 64)
    expectKept(after, 'p0', acknowledged)
    expect(acknowledged.length).toBeGreaterThan(50)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('read while another process writes, and miss nothing that was acknowledged', async () => {
    const { repo, id } = await begin()
    const count = ALL ? 200 : 60
    const writer = new Appender(repo, id, 'main', count, 'p0')
    await writer.reaches(1)
    for (let seen = 0; seen < count; ) {
      const acknowledged = writer.lines.length
      const said = await saidOn(repo, id, 'main')
      expect(said.length).toBeGreaterThan(acknowledged)
      seen = acknowledged
    }
    await writer.end()
    // The copy that was read before the last one goes once nobody uses it.
    const copies = (): string[] => readdirSync(repo.dir).filter((name) => name.startsWith('snapshot'))
    await expect.poll(() => copies().length).toBeLessThan(2)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('report different versions of the protocol', async () => {
    const { repo, id } = await begin()
    await repo.close()
    const child = spawn(process.execPath, [script('hold.mjs'), build, repo.dir], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    const other = createServer((socket) => {
      const frames = new FrameReader()
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => {
        for (const message of frames.push(chunk))
          socket.write(frameOf({ id: field(message, 'id') ?? null, protocol: PROTOCOL + 1, store: 'any' }))
      })
    })
    await new Promise<void>((resolve) => other.listen(newSocketPath('abc0.later.sock'), resolve))
    const holder = { pid: child.pid ?? 0, command: 'sess watch', since: '2026-01-02T03:04:05.678Z' }
    writeHolder(repo.dir, { ...holder, socket: 'abc0.later.sock' })
    const waiting = await openRepo(repo.dir, { lockTimeout: 300 })
    const { message } = await expectFailure('busy', () =>
      append(waiting, id, [{ body: { role: 'user', content: 'no' } }]),
    )
    expect(message).toContain(
      `it speaks version ${PROTOCOL + 1} of the protocol, this sess version ${PROTOCOL}`,
    )
    other.close()
    child.stdin.end()
    await once(child, 'close')
  })

  it("connect whatever the length of the store's path", async () => {
    const { repo, id } = await begin(join(newFolder(), ...Array.from({ length: 8 }, () => 'deep'.repeat(8))))
    const appenders = [0, 1].map((i) => new Appender(repo, id, 'main', 40, `p${i}`))
    for (const appender of appenders) await appender.end()
    expect((await saidOn(repo, id, 'main')).length).toBe(81)
  })
})
