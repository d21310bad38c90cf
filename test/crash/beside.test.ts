import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { append, createSession } from '../../src/ops/append/append.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../src/ops/import/import.ts'
import { log } from '../../src/ops/log.ts'
import { undo } from '../../src/ops/undo.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { built, script } from '../support/built.ts'
import { rounds, tally } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { copyOf } from '../support/smallstore.ts'
import { BEGIN, openRepo, quietEnv } from '../support/store.ts'
import { lately, refsOf } from '../support/told.ts'

const build = built()

const begin = (name: string, ...words: readonly string[]): ChildProcess =>
  spawn(process.execPath, [script(name), build, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })

/** Resolves with the first output of a process. Throws if it ends before. */
async function began(child: ChildProcess): Promise<void> {
  const ended = once(child, 'close').then(() => {
    throw new Error('a process ended before it began its work')
  })
  ended.catch(() => undefined)
  await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended])
}

async function end(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

async function saidOn(repo: Repo, revision: string): Promise<string[]> {
  const said: string[] = []
  for await (const { text } of log(repo, revision)) said.unshift(text ?? '')
  return said
}

describe('class 9: 8 processes on one ref', () => {
  it('each count, and each is an operation', async () => {
    const repo = await openRepo()
    const children = Array.from({ length: 8 }, () => begin('write.mjs', repo.dir, '12'))
    const codes = await Promise.all(children.map(async (child) => (await once(child, 'close'))[0] as number))
    expect(codes).toEqual(children.map(() => 0))
    const { last, held, told } = await refsOf(repo)
    expect([last, held.get('a'), held]).toEqual([96, 96, told])
    // Fsck reports the ref itself: it is of no kind.
    expect((await fsck(repo)).findings.map(({ subject }) => subject)).toEqual(['a'])
    tally(9, 'moves of one ref by 8 processes', 96)
  })
})

describe('class 10: a store that was copied and written on both sides', () => {
  it('is joined by exporting from the one and importing into the other: both sides are there', async () => {
    const here = await openRepo()
    const env = quietEnv()
    const id = await createSession(here, { title: 'shared' })
    const say = (repo: Repo, ...texts: string[]) =>
      append(
        repo,
        id,
        texts.map((content) => ({ body: { role: 'user', content } })),
      )
    await say(here, 'before 1', 'before 2')
    await here.close()
    const mine = await openRepo(here.dir, { env })
    const theirs = await openRepo(copyOf(here.dir), { env })
    expect(theirs.identity.id).toBe(mine.identity.id)
    await say(mine, 'mine 1', 'mine 2')
    await say(theirs, 'theirs 1', 'theirs 2')
    const other = await createSession(theirs, { title: 'only there' })
    await append(theirs, other, [{ body: { role: 'user', content: 'new' } }])
    for (const session of [id, other]) {
      const pieces: Uint8Array[] = []
      for await (const piece of exportSession(theirs, session, { format: 'sess' })) pieces.push(piece)
      const file = join(newFolder(), `${session}.jsonl`)
      writeFileSync(file, Buffer.concat(pieces))
      const { refused } = await importPaths(mine, [file])
      expect(refused).toEqual([])
    }
    expect(await saidOn(mine, id)).toEqual(['before 1', 'before 2', 'mine 1', 'mine 2'])
    for (const tip of ['theirs 2', 'new']) {
      const found = await saidOn(mine, (await tipsSaying(mine, tip))[0] as string)
      expect(found).toEqual(tip === 'new' ? ['new'] : ['before 1', 'before 2', 'theirs 1', 'theirs 2'])
    }
    expect((await fsck(mine)).findings).toEqual([])
    tally(10, 'copied, written on both sides, joined', 1)
  })
})

/** Returns the oids of the entries that say a text. */
const tipsSaying = (repo: Repo, text: string): Promise<string[]> =>
  repo.read(async (reader) => {
    const oids: string[] = []
    for await (const entry of reader.entries())
      if (JSON.stringify(await reader.body(entry)).includes(`"${text}"`)) oids.push(await reader.oid(entry))
    return oids
  })

describe('class 11: whoever has the store', () => {
  it('and is stopped, keeps nobody from it', async () => {
    for (const _ of rounds(1, 10)) {
      const repo = await openRepo(undefined, { lockTimeout: 20_000 })
      const id = await createSession(repo)
      await repo.close()
      const child = begin('hold.mjs', repo.dir)
      await began(child)
      child.kill('SIGSTOP')
      const again = await openRepo(repo.dir, { lockTimeout: 20_000 })
      await append(again, id, [{ body: { role: 'user', content: 'meanwhile' } }])
      expect(await saidOn(again, id)).toEqual(['meanwhile'])
      child.kill('SIGCONT')
      await end(child)
      expect((await fsck(again)).findings).toEqual([])
      await again.close()
      tally(11, 'a holder that is stopped', 1)
    }
  })

  it('and whose clock goes back, mixes nothing up', async () => {
    let time = BEGIN
    const env = { ...quietEnv(), now: () => (time -= 3_600_000) }
    const repo = await openRepo(undefined, { env })
    const ids: string[] = []
    for (let n = 0; n < 6; n++) {
      const id = await createSession(repo)
      ids.push(id)
      await append(repo, id, [{ body: { role: 'user', content: `${n}` } }])
      if (n % 2 === 1) await undo(repo, { any: true })
    }
    expect(new Set(ids).size).toBe(6)
    const said = await Promise.all(ids.filter((_, n) => n % 2 === 0).map((id) => saidOn(repo, id)))
    expect(said).toEqual([['0'], ['2'], ['4']])
    const { told, held } = await refsOf(repo)
    expect(held).toEqual(told)
    expect((await fsck(repo)).findings).toEqual([])
    tally(11, 'operations under a clock that goes back', 15)
  })
})

/** The commands that run while another process reads. */
const PUBLISHERS = {
  'turn.mjs': 'undo and redo',
  'steer.mjs': 'compaction and moves of refs',
  'gc.mjs': 'appends and the collection of garbage',
  'publish.mjs': 'whatever else moves refs',
} as const

describe('class 15: who reads while others publish', () => {
  for (const [name, doing] of Object.entries(PUBLISHERS))
    it(`sees all of an operation or nothing (${name})`, { timeout: 300_000 }, async () => {
      const repo = await openRepo(join(newFolder(), 'store'))
      const id = await createSession(repo)
      await append(repo, id, [{ body: { role: 'user', content: 'first' } }])
      const writer = begin(name, repo.dir, id, '0')
      const reader = await openRepo(repo.dir)
      await began(writer)
      let [runs, newest] = [0, 0]
      const going = rounds(12, 400)
      while (!going.next().done || newest < 9) {
        const { last, told, held } = await lately(reader, 8)
        expect(held).toEqual(told)
        expect(last).toBeGreaterThanOrEqual(newest)
        newest = last
        expect(writer.exitCode).toBe(null)
        await reader.yieldToEvents()
        runs++
      }
      await end(writer)
      expect((await fsck(reader)).findings).toEqual([])
      tally(15, `reads beside ${doing}`, runs)
    })
})

describe('class 7: what nothing names', () => {
  it('is no finding, and is built upon by whoever says it again', async () => {
    const repo = await openRepo()
    const folder = newFolder()
    const file = join(folder, 'chat.jsonl')
    const lines = Array.from({ length: 400 }, (_, n) =>
      JSON.stringify({ role: n % 2 === 0 ? 'user' : 'assistant', content: `${n} `.repeat(50) }),
    )
    writeFileSync(file, lines.join('\n'))
    await importPaths(repo, [file])
    await undo(repo, { any: true })
    expect((await fsck(repo)).findings).toEqual([])
    const { entries } = await repo.read((reader) => reader.sizes())
    expect(entries).toBe(400)
    await importPaths(repo, [file])
    expect((await repo.read((reader) => reader.sizes())).entries).toBe(400)
    expect((await fsck(repo)).findings).toEqual([])
    tally(7, 'entries that nothing names, said again', entries)
  })
})
