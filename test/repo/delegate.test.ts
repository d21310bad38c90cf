import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/oid.ts'
import { append, createSession } from '../../src/ops/append.ts'
import { createBranch } from '../../src/ops/branch.ts'
import { fsck } from '../../src/ops/fsck.ts'
import { log } from '../../src/ops/log.ts'
import { WORKS } from '../../src/ops/works.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { built, script } from '../support/built.ts'
import { newFolder } from '../support/folder.ts'
import { openRepo } from '../support/store.ts'

const build = built()

/** A process that appends, and what it printed so far: for each message what came of it. */
class Appender {
  readonly child: ChildProcess
  readonly #exit: Promise<unknown>
  #text = ''

  constructor(repo: Repo, session: string, branch: string, count: number, name: string) {
    const args = [script('many.mjs'), build, repo.dir, session, branch, `${count}`, name]
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

/** Gives the texts on a branch, the newest first, each with its oid. */
async function saidOn(repo: Repo, session: string, branch: string): Promise<[string, string | null][]> {
  const said: [string, string | null][] = []
  for await (const { oid, text } of log(repo, `${session}/${branch}`)) said.push([oid, text])
  return said
}

async function begin(dir?: string): Promise<{ readonly repo: Repo; readonly id: string }> {
  const repo = await openRepo(dir, { works: WORKS, lockTimeout: 20_000 })
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

describe('several processes', () => {
  it('append to branches of one session at once, each entry where it was acknowledged', async () => {
    const { repo, id } = await begin()
    const branches = ['main', 'main', 'main', 'main', 'side', 'side', 'side', 'side']
    const appenders = branches.map((branch, i) => new Appender(repo, id, branch, 50, `p${i}`))
    for (const appender of appenders) await appender.end()
    const said = { main: await saidOn(repo, id, 'main'), side: await saidOn(repo, id, 'side') }
    appenders.forEach(({ lines }, i) => {
      expect(lines.length).toBe(50)
      expectKept(said[branches[i] as 'main' | 'side'], `p${i}`, lines)
    })
    expect([said.main.length, said.side.length]).toEqual([201, 201])
    expect((await fsck(repo)).findings).toEqual([])
    const moves = new Map<string, unknown>()
    await repo.read(async (backend) => {
      for (let n = 1; n <= (await backend.lastOperation()); n++)
        for (const { name, old, new: next } of (await backend.operation(n))?.moves ?? []) {
          expect(old).toEqual(moves.get(name))
          moves.set(name, next)
        }
      for await (const [name, value] of backend.refs('')) expect(moves.get(name)).toEqual(value)
    })
  })

  it('go on where the one that has the database is killed, and write nothing twice', async () => {
    const { repo, id } = await begin()
    const appenders = [0, 1, 2].map((i) => new Appender(repo, id, 'main', 80, `p${i}`))
    for (const appender of appenders) await appender.reaches(10)
    appenders[0]?.child.kill('SIGKILL')
    for (const appender of appenders) await appender.end()
    const said = await saidOn(repo, id, 'main')
    appenders.forEach(({ lines }, i) => {
      if (i > 0) expect(lines.length).toBe(80)
      expectKept(said, `p${i}`, lines)
    })
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('take the store over from one that is stopped, which cannot write over what happened since', async () => {
    const { repo, id } = await begin()
    const stopped = new Appender(repo, id, 'main', 60, 'p0')
    await stopped.reaches(20)
    stopped.child.kill('SIGSTOP')
    const before = stopped.lines.length
    const [oid] = await append(repo, id, [{ body: { role: 'user', content: 'meanwhile' } }])
    expect(readdirSync(repo.dir).filter((name) => /^db\.\d+$/.test(name))).toContain('db.2')
    const said = await saidOn(repo, id, 'main')
    expect(said[0]).toEqual([oid, 'meanwhile'])
    expectKept(said, 'p0', stopped.lines.slice(0, before))
    stopped.child.kill('SIGCONT')
    await stopped.end()
    const after = await saidOn(repo, id, 'main')
    expect(after.map(([at]) => at)).toContain(oid)
    const acknowledged = stopped.lines.filter(([at]) => at?.length === 64)
    expectKept(after, 'p0', acknowledged)
    expect(acknowledged.length).toBeGreaterThan(50)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('read beside one that writes, and miss nothing that was acknowledged', async () => {
    const { repo, id } = await begin()
    const writer = new Appender(repo, id, 'main', 200, 'p0')
    await writer.reaches(1)
    for (let seen = 0; seen < 200; ) {
      const acknowledged = writer.lines.length
      const said = await saidOn(repo, id, 'main')
      expect(said.length).toBeGreaterThan(acknowledged)
      seen = acknowledged
    }
    await writer.end()
    expect(readdirSync(repo.dir).filter((name) => name.startsWith('snapshot')).length).toBeLessThan(2)
    expect((await fsck(repo)).findings).toEqual([])
  })

  it('meet however long the path of the store is', async () => {
    const { repo, id } = await begin(join(newFolder(), ...Array.from({ length: 8 }, () => 'deep'.repeat(8))))
    const appenders = [0, 1].map((i) => new Appender(repo, id, 'main', 40, `p${i}`))
    for (const appender of appenders) await appender.end()
    expect((await saidOn(repo, id, 'main')).length).toBe(81)
  })
})
