import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { Oid } from '../../src/model/encoding/oid.ts'
import { asSessError } from '../../src/model/errors.ts'
import type { Json } from '../../src/model/json.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { REQUEST_HANDLERS } from '../../src/ops/append/handlers.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { repairStore } from '../../src/ops/fsck/repairstore.ts'
import { gc } from '../../src/ops/gc.ts'
import { log } from '../../src/ops/log.ts'
import { expunge } from '../../src/ops/secrets/expunge.ts'
import type { RequestHandlers } from '../../src/repo/repo.ts'
import type { RewriteOptions } from '../../src/repo/rewritestore.ts'
import { built, script } from '../support/built.ts'
import { tally, upTo } from '../support/faults.ts'
import { newFolder } from '../support/folder.ts'
import { GITHUB } from '../support/secrets.ts'
import { openRepo, quietEnv } from '../support/store.ts'
import { answered, asked, claudeLines } from '../support/transcripts.ts'

const build = built()

/** Starts a process that writes, and gives the lines that it printed so far, and what resolves once it has ended. */
function writing(name: string, ...words: readonly string[]) {
  const child = spawn(process.execPath, [script(name), build, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
  return { child, lines: () => text.split('\n').slice(0, -1), ended: once(child, 'close') }
}

/** Returns whether a folder holds some bytes anywhere. */
const holds = (dir: string, bytes: string): boolean =>
  readdirSync(dir, { recursive: true, withFileTypes: true }).some(
    (entry) => entry.isFile() && readFileSync(join(entry.parentPath, entry.name)).includes(bytes),
  )

it('class 8: what is expunged, collected and repaired beside processes that append and import: all else is kept', {
  timeout: 300_000,
}, async () => {
  // The repair opens the store a second time in this process: the lock of its database must outlast that.
  const repo = await openRepo(undefined, { lockTimeout: 60_000, works: REQUEST_HANDLERS })
  const id = await createSession(repo)
  await append(repo, id, [{ body: { role: 'user', content: `Use ${GITHUB}` } }])
  const folder = newFolder()
  const files = upTo(12).map((n) => {
    const path = join(folder, `${n}.jsonl`)
    const secret = n % 3 === 0 ? ` with ${GITHUB}` : ''
    const lines = claudeLines(`s${n}`, asked('q', null, `asks ${n}${secret}`), answered('a', 'q'))
    writeFileSync(path, lines.join(''))
    return path
  })
  const appender = writing('append.mjs', repo.dir, id, '0')
  await expect.poll(() => appender.lines().length, { timeout: 60_000 }).toBeGreaterThan(20)
  const importer = writing('import.mjs', repo.dir, ...files)
  const works: readonly (() => Promise<unknown>)[] = [
    () => expunge(repo, { secrets: [GITHUB], force: true }),
    () => gc(repo, { grace: Infinity, operations: Infinity }),
    () => repairStore(repo.dir, { env: quietEnv(), command: 'sess fsck --repair' }),
  ]
  // Where another process was faster it is said, and nothing was done.
  for (const work of works)
    await work().catch((error: unknown) => expect(asSessError(error).code).toMatch(/^(?:busy|fenced)$/))
  await importer.ended
  expect(importer.lines().at(-1)).toBe('done')
  const killed = once(appender.child, 'close')
  appender.child.kill('SIGKILL')
  await killed
  await expunge(repo, { secrets: [GITHUB], force: true })
  const path = new Set<Oid>()
  for await (const { oid } of log(repo, id)) path.add(oid)
  const acknowledged = appender.lines().filter((line) => /^[0-9a-f]{64}$/.test(line))
  expect(acknowledged.filter((oid) => !path.has(oid as Oid))).toEqual([])
  expect((await fsck(repo)).findings).toEqual([])
  await repo.close()
  expect(holds(repo.dir, GITHUB)).toBe(false)
  tally(8, 'expunged, collected and repaired beside processes that append and import', works.length)
})

it('class 8: what another process asks for while a store is written anew does not keep what was', async () => {
  const whenAsked: (() => void)[] = []
  const works: RequestHandlers = {
    append: (repo, ask, hold) => {
      for (const told of whenAsked.splice(0)) told()
      return REQUEST_HANDLERS.append?.(repo, ask, hold) as Promise<Json>
    },
  }
  const repo = await openRepo(undefined, { lockTimeout: 60_000, works })
  const id = await createSession(repo)
  await append(repo, id, [{ body: { role: 'user', content: `Use ${GITHUB}` } }])
  const rewrite = repo.rewrite.bind(repo)
  let times = 0
  // The second time it is asked of the database itself, while nothing else is written.
  const kept =
    (rewriting: RewriteOptions): RewriteOptions['kept'] =>
    async (reader) => {
      if (++times === 2) await new Promise<void>((told) => whenAsked.push(told))
      return rewriting.kept(reader)
    }
  Object.assign(repo, {
    rewrite: (rewriting: RewriteOptions) => rewrite({ ...rewriting, kept: kept(rewriting) }),
  })
  const appender = writing('append.mjs', repo.dir, id, '0')
  await expunge(repo, { secrets: [GITHUB], force: true })
  expect(times).toBe(2)
  expect(existsSync(join(repo.dir, 'db.1'))).toBe(false)
  const killed = once(appender.child, 'close')
  appender.child.kill('SIGKILL')
  await killed
  await repo.close()
})
