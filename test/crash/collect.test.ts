import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../src/ops/append/handlers.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { gc } from '../../src/ops/gc.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { log } from '../../src/ops/log.ts'
import { undo } from '../../src/ops/undo.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { built, script } from '../support/built.ts'
import { atCalls } from '../support/calls.ts'
import { some, tally, upTo } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { copyOf } from '../support/smallstore.ts'
import { openRepo } from '../support/store.ts'
import { answered, asked, claudeLines } from '../support/transcripts.ts'

const build = built()

const ALL = { grace: Number.POSITIVE_INFINITY, operations: Number.POSITIVE_INFINITY }

/** So many milliseconds somebody is waited for who may have to wait for what waits here. */
const WHILE = 500

const said = (content: string) => ({ body: { role: 'user', content } })
const MESSAGES = ['to be dropped, and said again', `at length ${'to be dropped '.repeat(200)}`, 'and more']

interface Prepared {
  readonly dir: string
  readonly file: string
  readonly session: string
  /** How many entries nothing names. */
  readonly unnamed: number
}

/** Makes a store in which much is named by nothing: messages of a session and a file, both undone. */
async function prepared(): Promise<Prepared> {
  const repo = await openRepo()
  const session = await createSession(repo)
  await append(repo, session, [said('stays')])
  const gone = await createSession(repo)
  await append(repo, gone, MESSAGES.map(said))
  const file = join(newFolder(), 'talk.jsonl')
  const exchange = (n: number) => [
    asked(`q${n}`, n === 0 ? null : `a${n - 1}`, `asks ${n} ${'at length '.repeat(150)}`),
    answered(`a${n}`, `q${n}`),
  ]
  writeFileSync(file, claudeLines('talk', ...upTo(6).flatMap(exchange)).join(''))
  await importPaths(repo, [file])
  for (let n = 0; n < 3; n++) await undo(repo, { any: true })
  await append(repo, session, [said('newest')])
  const { dir } = repo
  await repo.close()
  const copy = await openRepo(copyOf(dir))
  const { dropped } = await gc(copy, ALL)
  await copy.close()
  const unnamed = dropped.find(({ kind }) => kind === 'entries')?.count ?? 0
  expect(unnamed).toBe(MESSAGES.length + 12)
  return { dir, file, session, unnamed }
}

/** A process that says it all again when it is asked to. */
class Other {
  readonly #child: ChildProcess
  readonly #lines: AsyncIterator<string>

  constructor(dir: string, { file, session }: Prepared) {
    const words = [script('again.mjs'), build, dir, file, session, JSON.stringify(MESSAGES)]
    this.#child = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] })
    onTestFinished(() => void this.#child.kill('SIGKILL'))
    this.#lines = createInterface({ input: this.#child.stdout! })[Symbol.asyncIterator]()
  }

  async line(): Promise<string> {
    return String((await this.#lines.next()).value)
  }

  async again(): Promise<{ readonly oids: readonly Oid[]; readonly session: string }> {
    this.#child.stdin?.write('again\n')
    return JSON.parse(await this.line()) as { oids: Oid[]; session: string }
  }

  async end(): Promise<void> {
    const closed = once(this.#child, 'close')
    this.#child.stdin?.end()
    await closed
  }
}

/** Collects garbage, and does something before the n-th call of a database that it takes; gives how many those were. */
async function collected(repo: Repo, before: (call: number) => Promise<void>): Promise<number> {
  let calls = 0
  await atCalls(repo.dir, { wait: () => before(calls++) }, () => gc(repo, ALL))
  return calls
}

async function saidBy(repo: Repo, oid: Oid): Promise<Oid[]> {
  const path: Oid[] = []
  for await (const entry of log(repo, oid)) path.unshift(entry.oid)
  return path
}

describe('class 8: garbage is collected', () => {
  it('and at each step another process says again what is about to go: all of that is kept', {
    timeout: 900_000,
  }, async () => {
    const store = await prepared()
    const repo = await openRepo(copyOf(store.dir))
    const calls = await collected(repo, () => Promise.resolve())
    await repo.close()
    expect(calls).toBeGreaterThan(4)
    let runs = 0
    for (const n of some(upTo(calls), 4, 0.03)) {
      const here = await openRepo(copyOf(store.dir), { lockTimeout: 60_000, works: REQUEST_HANDLERS })
      const other = new Other(here.dir, store)
      expect(await other.line()).toBe('ready')
      let answer: ReturnType<Other['again']> | undefined
      await collected(here, async (call) => {
        if (call !== n) return
        answer = other.again()
        await Promise.race([answer, pause(WHILE)])
      })
      const { oids, session } = await (answer ?? other.again())
      expect(oids).toHaveLength(MESSAGES.length + 1)
      expect(await saidBy(here, oids[MESSAGES.length - 1] as Oid)).toEqual(oids.slice(0, -1))
      expect(await saidBy(here, oids.at(-1) as Oid)).toHaveLength(3)
      const pieces: Uint8Array[] = []
      for await (const piece of exportSession(here, session)) pieces.push(piece)
      expect(Buffer.concat(pieces).equals(readFileSync(store.file))).toBe(true)
      expect((await fsck(here)).findings).toEqual([])
      await other.end()
      await here.close()
      runs++
    }
    tally(8, 'what is about to go said again by another process at a step of a collection', runs)
  })
})
