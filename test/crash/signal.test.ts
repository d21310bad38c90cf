import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createSession } from '../../src/ops/append/append.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { listSessions } from '../../src/ops/list.ts'
import { Repo } from '../../src/repo/repo.ts'
import { sampled } from '../support/amount.ts'
import { built, script } from '../support/built.ts'
import { tally } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { answered, asked, claudeLines } from '../support/transcripts.ts'

const build = built()
const SCRIPT = '/usr/bin/script'
const FILES = 40
const BYTES = 200_000

interface Run {
  readonly child: ChildProcess
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>
}

function run(dir: string, ...words: readonly string[]): Run {
  const child = spawn(
    process.execPath,
    [script('sess.mjs'), build, '--store', join(dir, 'store'), ...words],
    {
      cwd: dir,
      env: { PATH: process.env.PATH, HOME: dir, TMPDIR: dir },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  )
  let [stdout, stderr] = ['', '']
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  return {
    child,
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr })),
  }
}

/** Makes a folder with sessions in it, each of its own words. */
function sources(files = FILES): string {
  const dir = newFolder()
  mkdirSync(join(dir, 'sessions'))
  for (let i = 0; i < files; i++) {
    const words = Array.from({ length: BYTES / 12 }, (_, n) => `word${i * 31 + ((n * n) % 9973)} `).join('')
    const lines = claudeLines(
      `s${i}`,
      asked('u1', null, `${i}`),
      answered('a1', 'u1'),
      asked('u2', 'a1', words),
    )
    writeFileSync(join(dir, 'sessions', `${String(i).padStart(3, '0')}.jsonl`), lines.join(''))
  }
  return dir
}

async function sessionsOf(dir: string): Promise<number> {
  const repo = await Repo.open(join(dir, 'store'), { create: true })
  try {
    expect((await fsck(repo)).findings).toEqual([])
    return (await listSessions(repo)).count
  } finally {
    await repo.close()
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

/**
 * Makes a store with a session of long texts, which an expression with many states takes minutes to look through, and
 * short ones after them.
 */
async function withLongTexts(short = 0): Promise<string> {
  const dir = newFolder()
  let seed = 1
  const random = (): number => (seed = (seed * 48271) % 2147483647)
  const text = `${Array.from({ length: 3_000_000 }, () => 'xy '[random() % 3]).join('')}\nq`
  const answer = answered('a1', 'u1')
  const message = {
    ...(answer.message as object),
    content: [{ type: 'tool_use', id: 't', name: text, input: {} }],
  }
  writeFileSync(
    join(dir, 'long.jsonl'),
    claudeLines(
      'long',
      asked('u1', null, text),
      { ...answer, message },
      ...Array.from({ length: short }, (_, i) => asked(`s${i}`, i === 0 ? 'a1' : `s${i - 1}`, 'xabcdeq')),
    ).join(''),
  )
  await run(dir, 'import', 'long.jsonl').ended
  return dir
}

describe('a process that is told to stop', () => {
  it('says how many files an import has taken, and goes on there the next time', async () => {
    const dir = sources()
    let stops = 0
    let kept = 0
    for (let wait = 150; kept < FILES || stops === 0; wait *= 1.3) {
      if (kept === FILES) {
        // All was done before it was told: once more, and sooner.
        rmSync(join(dir, 'store'), { recursive: true })
        kept = 0
        wait /= 3
      }
      const { child, ended } = run(dir, 'import', 'sessions')
      await pause(wait)
      child.kill('SIGINT')
      const { code, stderr } = await ended
      const said =
        /^sess: stopped: (?:(\d+) (?:file is|files are) imported|no file is imported yet|nothing was changed)(?:; up to \d+ entries of the next files are kept, and the next import uses them)?\nhint: repeat/
      const taken = said.exec(stderr)
      // Before the command line is loaded nobody hears the signal.
      if (code === null) expect(child.signalCode).toBe('SIGINT')
      else expect([code, taken !== null]).toEqual(code === 0 ? [0, false] : [130, true])
      if (code === 130) stops++
      const before = kept
      kept = await sessionsOf(dir)
      expect(kept).toBeGreaterThanOrEqual(before)
      if (code === 130) expect(kept).toBe(Math.max(before, Number(taken?.[1] ?? 0)))
      if (code === 0) expect(kept).toBe(FILES)
    }
    tally(2, 'told to stop while it imports', stops)
  }, 120_000)

  it('ends at once when it is told twice, and the store is sound', async () => {
    const dir = sources(10)
    for (const wait of sampled([200, 300, 400], 1)) {
      const { child, ended } = run(dir, 'import', 'sessions')
      await pause(wait)
      child.kill('SIGINT')
      child.kill('SIGTERM')
      const { code } = await ended
      expect([null, 0, 130, 143]).toContain(code)
      await sessionsOf(dir)
    }
  }, 60_000)

  it('keeps what append acknowledged', async () => {
    const dir = newFolder()
    const repo = await Repo.open(join(dir, 'store'), { create: true })
    const id = await createSession(repo)
    await repo.close()
    const { child, ended } = run(dir, 'append', id)
    child.stdin?.write('{"body":{"role":"user","content":"kept"}}\n')
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    child.kill('SIGTERM')
    const { code, stdout, stderr } = await ended
    expect([code, stderr]).toEqual([
      143,
      'sess: stopped: what was written before is kept\nhint: repeat the command to continue\n',
    ])
    expect((await run(dir, 'rev-parse', id).ended).stdout).toBe(stdout)
  })

  it('leaves no half file, and nothing of a dry run', async () => {
    const dir = sources(1)
    await run(dir, 'import', 'sessions').ended
    for (const wait of sampled([250, 150, 350, 450], 1)) {
      const file = join(dir, `copy-${wait}.jsonl`)
      const { child, ended } = run(dir, 'export', 's0', '--out', file)
      await pause(wait)
      child.kill('SIGINT')
      await ended
      if (existsSync(file)) expect(statSync(file).size).toBe(statSync(join(dir, 'sessions/000.jsonl')).size)
      const dry = run(dir, 'append', '--new', '-n')
      await pause(wait)
      dry.child.kill('SIGINT')
      await dry.ended
    }
    expect(readdirSync(dir).filter((name) => name.includes('sess-dry-run'))).toEqual([])
    expect(await sessionsOf(dir)).toBe(1)
  }, 60_000)

  it('ends in the middle of a calculation', async () => {
    const dir = await withLongTexts()
    const slow = 're:(.*)*x(.{1,100}){5}q'
    const commands = [
      ['log', 'long', '-r', `text(re:"${slow.slice(3)}")`],
      ['log', '--everywhere', '-r', `tool(re:"${slow.slice(3)}")`],
      ['search', slow],
      ['search', '--json', `role:user ${slow}`],
    ]
    for (const words of sampled(commands, 1)) {
      const { child, ended } = run(dir, ...words)
      await pause(1000)
      child.kill('SIGTERM')
      await ended
      expect(child.signalCode).toBe('SIGTERM')
    }
    expect(await sessionsOf(dir)).toBe(1)
  }, 60_000)

  it.skipIf(!existsSync(SCRIPT))(
    'ends in the middle of a calculation while a pager has the terminal',
    async () => {
      const dir = await withLongTexts(1500)
      // The pager takes what it gets, and would stay for a minute.
      const pager = '#!/bin/sh\necho $PPID > pid\ncat > /dev/null\nexec sleep 60\n'
      writeFileSync(join(dir, 'pager'), pager, { mode: 0o755 })
      const words = [script('sess.mjs'), build, '--store', join(dir, 'store'), 'log', 'long']
      const line = [process.execPath, ...words, '-r', 'text(re:"(.*)*x(.{1,100}){5}q")']
      for (const signal of ['SIGINT', 'SIGTERM'] as const) {
        const command = `stty rows 5 cols 80; exec ${line.map((word) => `'${word}'`).join(' ')}`
        const env = { PATH: process.env.PATH, HOME: dir, TMPDIR: dir, TERM: 'xterm', SESS_PAGER: './pager' }
        const child = spawn(SCRIPT, ['-qec', command, '/dev/null'], { cwd: dir, env, stdio: 'ignore' })
        const ended = once(child, 'close')
        while (!existsSync(join(dir, 'pid')) || statSync(join(dir, 'pid')).size === 0) await pause(20)
        await pause(1000)
        process.kill(Number(readFileSync(join(dir, 'pid'), 'utf8')), signal)
        expect(await ended).toEqual([signal === 'SIGINT' ? 130 : 143, null])
        rmSync(join(dir, 'pid'))
      }
    },
    30_000,
  )

  it('ends in the middle of a long output', async () => {
    const dir = await withLongTexts()
    const lines = [
      'show long',
      'context long',
      'export long',
      'export long --format markdown',
      'scan',
      'fsck',
    ]
    for (const line of sampled(lines, 2)) {
      const { child, ended } = run(dir, ...line.split(' '))
      await Promise.race([once(child.stdout as NodeJS.ReadableStream, 'data'), ended])
      child.kill('SIGINT')
      const { code } = await ended
      // A command that has finished needs no signal.
      expect([0, null]).toContain(code)
    }
  }, 60_000)
})
