import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { appendFileSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import type { Json } from '../../src/model/json.ts'
import type { EntryHandle } from '../../src/model/node.ts'
import { createSession } from '../../src/ops/append/append.ts'
import { exportSession } from '../../src/ops/export/export.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { gc } from '../../src/ops/gc.ts'
import { readHeaders } from '../../src/repo/records.ts'
import { Repo } from '../../src/repo/repo.ts'
import { getSession, nativeLogs, tipOf } from '../../src/repo/session.ts'
import { ALL } from '../support/amount.ts'
import { built, script } from '../support/built.ts'
import { eachRound, tally } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { nativeOf } from '../support/nativelogs.ts'
import { refsOf } from '../support/told.ts'
import { answered, asked, claudeLine } from '../support/transcripts.ts'

/** How often a process is killed in each test: always, and in a soak at most. */
const USUAL = ALL ? 12 : 3
const KILLS = 250

/** A store is checked whole after each so many kills: that takes longer than the kill. */
const WHOLE = 6

const build = built()

/**
 * Runs a script, kills it at some moment after it printed so many lines, the first that it is ready, and gives those
 * that it printed whole.
 */
async function killed(name: string, most: number, ...rest: readonly string[]): Promise<string[]> {
  const child = spawn(process.execPath, [script(name), build, ...rest], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  // After the line that it is ready, and one at least that it acknowledges.
  const after = 2 + Math.floor(Math.random() * most)
  let [text, lines] = ['', 0]
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString()
    const before = lines
    lines = text.split('\n').length - 1
    if (before < after && lines >= after) setTimeout(() => child.kill('SIGKILL'), Math.random() * 20)
  })
  await once(child, 'close')
  const [ready, ...whole] = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  expect(ready).toBe('ready')
  return whole.slice(0, -1)
}

async function withRepo<T>(dir: string, work: (repo: Repo) => Promise<T>): Promise<T> {
  const repo = await Repo.open(dir, { create: true })
  try {
    return await work(repo)
  } finally {
    await repo.close()
  }
}

const expectSound = async (repo: Repo): Promise<void> => expect((await fsck(repo)).findings).toEqual([])

/** Returns the oids from the root to where a session stands, and those that its own log carries. */
const oidsOf = (repo: Repo, session: string): Promise<{ path: Oid[]; log: Oid[] }> =>
  repo.read(async (reader) => {
    const found = await getSession(reader, session)
    const tip = tipOf(found)
    const path: Oid[] = []
    let entry = tip === undefined ? undefined : await reader.find(tip)
    expect(entry === undefined).toBe(tip === undefined)
    for (; entry !== undefined; entry = (await reader.node(entry)).parents[0])
      path.push(await reader.oid(entry))
    const log: Oid[] = []
    for (const [number, count] of nativeOf(found) ? nativeLogs(nativeOf(found)!).toReversed() : [])
      for await (const [, header] of readHeaders(reader, number, 0, count))
        log.push(await reader.oid(header.entry as EntryHandle))
    return { path: path.reverse(), log }
  })

describe('class 2: a process that is killed', () => {
  it('while it appends loses nothing that was acknowledged', { timeout: 900_000 }, async () => {
    const dir = join(newFolder(), 'store')
    const session = await withRepo(dir, (repo) => createSession(repo))
    const acknowledged: string[] = []
    let runs = 0
    for (const round of eachRound(USUAL, KILLS, 0.065)) {
      runs++
      acknowledged.push(...(await killed('append.mjs', 60, dir, session, `${round}`)))
      await withRepo(dir, async (repo) => {
        const { path, log } = await oidsOf(repo, session)
        expect(log).toEqual(path)
        const there = new Set<string>(path)
        expect(acknowledged.filter((oid) => !there.has(oid))).toEqual([])
        if (round % WHOLE === WHOLE - 1) await expectSound(repo)
      })
    }
    // How many there are depends on the machine; that there are any shows that something was tried.
    expect(acknowledged.length).toBeGreaterThan(0)
    tally(2, 'killed while it appends', runs)
  })

  it('while it collects garbage has the store as it was or anew, and leaves nothing half made', {
    timeout: 900_000,
  }, async () => {
    const dir = join(newFolder(), 'store')
    const session = await withRepo(dir, (repo) => createSession(repo))
    const acknowledged: string[] = []
    let [collected, runs] = [0, 0]
    for (const round of eachRound(USUAL, KILLS, 0.065)) {
      runs++
      const lines = await killed('gc.mjs', 30, dir, session, `${round}`)
      collected += lines.filter((line) => line === 'gc').length
      acknowledged.push(...lines.filter((line) => line !== 'gc'))
      await withRepo(dir, async (repo) => {
        const { path, log } = await oidsOf(repo, session)
        expect(log).toEqual(path)
        const there = new Set<string>(path)
        expect(acknowledged.filter((oid) => !there.has(oid))).toEqual([])
        if (round % WHOLE === WHOLE - 1) await expectSound(repo)
      })
    }
    expect([acknowledged.length, collected].map((count) => count > 0)).toEqual([true, true])
    await withRepo(dir, (repo) => gc(repo, { grace: Infinity, operations: Infinity }))
    const left = readdirSync(dir).filter((name) => /^(?:db|snapshot)\./.test(name))
    expect(left).toEqual([`db.${readFileSync(join(dir, 'generation'), 'utf8').trim()}`])
    tally(2, 'killed while it collects garbage', runs)
  })

  for (const [name, doing] of [
    ['turn.mjs', 'undoes'],
    ['steer.mjs', 'compacts and moves refs'],
  ] as const)
    it(`while it ${doing} has done each operation whole or not at all`, {
      timeout: 900_000,
    }, async () => {
      const dir = join(newFolder(), 'store')
      const session = await withRepo(dir, (repo) => createSession(repo))
      const acknowledged: number[] = []
      let runs = 0
      for (const round of eachRound(USUAL, KILLS, 0.065)) {
        const lines = await killed(name, 9, dir, session, `${round}`)
        acknowledged.push(...lines.map(Number))
        await withRepo(dir, async (repo) => {
          const { last, told, held } = await refsOf(repo)
          expect(last).toBeGreaterThanOrEqual(Math.max(0, ...acknowledged))
          expect(held).toEqual(told)
          if (round % WHOLE === WHOLE - 1) await expectSound(repo)
        })
        runs++
      }
      expect(acknowledged.length).toBeGreaterThan(0)
      tally(2, `killed while it ${doing}`, runs)
    })

  it('while it imports loses nothing that was acknowledged', { timeout: 900_000 }, async () => {
    const [dir, folder] = [join(newFolder(), 'store'), newFolder()]
    await withRepo(dir, (repo) => createSession(repo))
    const files = Array.from({ length: 8 }, (_, i) => join(folder, `s${i}.jsonl`))
    const tips = files.map(() => null as string | null)
    /** Lets a file grow by some exchanges, one of them of bytes that do not compress. */
    const grow = (i: number, round: number): void => {
      const lines: string[] = []
      for (let n = 0; n < 20 + 60 * (i % 3); n++) {
        const noise = n === 0 ? Buffer.from(randomBytes(i === 7 ? 1_000_000 : 20_000)).toString('base64') : ''
        const [ask, answer] = [`${round}-${n}-q`, `${round}-${n}-a`]
        const text: Json = `what of ${n}? ${noise}`
        lines.push(
          claudeLine(`s${i}`, n, asked(ask, tips[i] ?? null, text)),
          claudeLine(`s${i}`, n, answered(answer, ask)),
        )
        tips[i] = answer
      }
      appendFileSync(files[i]!, lines.join(''))
    }
    const acknowledged = new Map<string, number>()
    let [most, runs] = [0, 0]
    for (const round of eachRound(USUAL, KILLS, 0.065)) {
      runs++
      for (const i of files.keys()) if (round === 0 || (i + round) % 4 < 2) grow(i, round)
      for (const line of await killed('import.mjs', 9, dir, ...files)) {
        const [session = '', bytes] = line.split(' ')
        if (session !== 'done') acknowledged.set(session, Number(bytes))
      }
      most = Math.max(most, acknowledged.size)
      await withRepo(dir, async (repo) => {
        for (const [session, bytes] of acknowledged) {
          const { source } = await repo.read((reader) => getSession(reader, session))
          expect(source!.bytes).toBeGreaterThanOrEqual(bytes)
          if (round % WHOLE !== WHOLE - 1) continue
          const pieces: Uint8Array[] = []
          for await (const piece of exportSession(repo, session)) pieces.push(piece)
          // A file that begins with a line of a megabyte has an id made of its name and that line.
          const file = readFileSync(join(folder, `${session.split('-')[0]}.jsonl`))
          expect(Buffer.compare(Buffer.concat(pieces), file.subarray(0, source!.bytes))).toBe(0)
        }
        if (round % WHOLE === WHOLE - 1) await expectSound(repo)
      })
    }
    expect(most).toBeGreaterThan(0)
    tally(2, 'killed while it imports', runs)
  })
})
