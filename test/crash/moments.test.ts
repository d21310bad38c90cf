import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { log } from '../../src/ops/log.ts'
import { Repo } from '../../src/repo/repo.ts'
import { built, script } from '../support/built.ts'
import { rounds, tally } from '../support/faults.ts'
import { copyOf } from '../support/smallstore.ts'
import { openRepo } from '../support/store.ts'
import { lately } from '../support/told.ts'

const build = built()

/** A process is looked at so often before another begins with a new store: what it holds takes longer as it grows. */
const LOOKS = 25

/** After so many looks the store is checked whole. */
const WHOLE = 5

/** The commands that run forever, and whether they print oids or numbers of operations. */
const DOING = {
  'append.mjs': ['appends', 'oids'],
  'gc.mjs': ['collects garbage', 'oids'],
  'turn.mjs': ['undoes', 'operations'],
  'steer.mjs': ['compacts and moves refs', 'operations'],
} as const

/** A process that does something for ever, and what it printed. */
class Going {
  readonly child: ChildProcess
  #text = ''

  constructor(...words: readonly string[]) {
    this.child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void this.child.kill('SIGKILL'))
    this.child.stdout?.on('data', (chunk: Buffer) => {
      this.#text += chunk.toString()
    })
  }

  get lines(): string[] {
    return this.#text.split('\n').slice(1, -1)
  }

  async begun(): Promise<void> {
    while (this.lines.length === 0 && this.child.exitCode === null) await pause(5)
  }

  /** Returns a copy of a folder as it lies at a moment, and what was acknowledged by then. */
  async at(dir: string): Promise<{ readonly copy: string; readonly lines: readonly string[] }> {
    this.child.kill('SIGSTOP')
    // Its earlier output is in the pipe.
    await pause(10)
    const found = { copy: copyOf(dir), lines: this.lines }
    this.child.kill('SIGCONT')
    return found
  }

  async end(): Promise<void> {
    if (this.child.exitCode !== null) throw new Error(`it ended by itself with ${this.child.exitCode}`)
    const closed = once(this.child, 'close')
    this.child.kill('SIGKILL')
    await closed
  }
}

async function expectAll(
  repo: Repo,
  session: string,
  kind: 'oids' | 'operations',
  lines: readonly string[],
): Promise<void> {
  const { last, told, held } = await lately(repo, 50)
  expect(held).toEqual(told)
  if (kind === 'operations') {
    expect(last).toBeGreaterThanOrEqual(Math.max(0, ...lines.map(Number)))
    return
  }
  const there = new Set<string>()
  for await (const { oid } of log(repo, session)) there.add(oid)
  expect(lines.filter((line) => line !== 'gc' && !there.has(line))).toEqual([])
}

/** A killed process leaves the bytes that are on disk: it is stopped, the folder copied, and it goes on. */
describe('class 2: a store as it lies at any moment while a process', () => {
  for (const [name, [doing, kind]] of Object.entries(DOING))
    it(`${doing} has all that was acknowledged`, { timeout: 900_000 }, async () => {
      let runs = 0
      let going: Going | undefined
      let [dir, session] = ['', '']
      for (const round of rounds(5, 400, 0.03)) {
        if (round % LOOKS === 0) {
          await going?.end()
          const repo = await openRepo()
          session = await createSession(repo)
          await append(repo, session, [{ body: { role: 'user', content: 'root' } }])
          dir = repo.dir
          await repo.close()
          going = new Going(script(name), build, dir, session, `${round}`)
          await going.begun()
        }
        await pause(Math.random() * 60)
        const { copy, lines } = await (going as Going).at(dir)
        const repo = await Repo.open(copy)
        await expectAll(repo, session, kind, lines)
        if (round % WHOLE === WHOLE - 1) expect((await fsck(repo)).findings).toEqual([])
        await repo.close()
        rmSync(copy, { recursive: true })
        runs++
      }
      await going?.end()
      tally(2, `its store as it lies at any moment while a process ${doing}`, runs)
    })
})
