import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import { beginStore, STORE_FORMAT } from '../../../src/storage/directory/identity.ts'
import type { LevelBackend } from '../../../src/storage/levelbackend/levelbackend.ts'
import { openDatabase } from '../../../src/storage/leveldb/database.ts'
import { built, script } from '../../support/built.ts'
import { expectFailure } from '../../support/errors.ts'
import { newFolder } from '../../support/folder.ts'
import { getsIn } from '../../support/getsin.ts'

const build = built()
const holder = { pid: process.pid, command: 'sess import', since: '2026-01-01T00:00:00.000Z' }
const open = (dir: string, lockTimeout = 0): Promise<LevelBackend> =>
  openDatabase(dir, { lockTimeout, holder })
const name = 'a' as RefName
const othersGetIn = (folder: string): Promise<boolean> => getsIn(build, folder)

/** Makes a store whose ref `a` is 1. */
async function newStore(): Promise<string> {
  const dir = newFolder()
  const backend = await openDatabase(dir, { create: true, lockTimeout: 0, holder })
  const transaction = backend.begin()
  transaction.moveRefs([{ name, old: undefined, new: 1 }])
  await transaction.commit()
  await backend.close()
  beginStore(dir, { format: STORE_FORMAT, id: '0'.repeat(32), created: '2026-01-01T00:00:00.000Z' })
  return dir
}

/** Starts another process that holds a store's database. */
async function hold(dir: string, ...rest: string[]): Promise<ChildProcess> {
  const child = spawn(process.execPath, [script('hold.mjs'), build, dir, ...rest], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [said] = (await once(child.stdout, 'data')) as [Buffer]
  expect(said.toString()).toBe('held\n')
  return child
}

async function end(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit')
  child.stdin?.end()
  await exit
}

describe('openDatabase', () => {
  it('waits for its turn, then says who holds the database', async () => {
    const dir = await newStore()
    const child = await hold(dir)
    const before = Date.now()
    const { message, retryable } = await expectFailure('busy', () => open(dir, 300))
    expect(Date.now() - before).toBeGreaterThanOrEqual(300)
    expect(message).toBe(
      `the store '${dir}' is in use (by process ${child.pid}, 'sess watch', since 2026-01-02T03:04:05.678Z)`,
    )
    expect(retryable).toBe(true)
    const said = { ...holder, pid: child.pid }
    const nobody = [{ ...said, socket: 5 }, { ...said, pid: '1' }, { ...said, command: null }, null, 7]
    for (const text of ['{"pid":', ...nobody.map((value) => JSON.stringify(value))]) {
      writeFileSync(join(dir, 'holder.json'), text)
      expect((await expectFailure('busy', () => open(dir))).message).toBe(`the store '${dir}' is in use`)
    }
    await end(child)
    const backend = await open(dir)
    expect(backend.ref(name)).toBe(1)
    await backend.close()
  })

  it('comes in once the holder lets go, or dies', async () => {
    const dir = await newStore()
    await hold(dir, '150')
    const backend = await open(dir, 5000)
    expect(backend.ref(name)).toBe(1)
    await backend.close()
    const child = await hold(dir)
    child.kill('SIGKILL')
    const again = await open(dir, 5000)
    expect(again.ref(name)).toBe(1)
    await again.close()
  })

  it('is shut out by its own process too, and names it', async () => {
    const dir = await newStore()
    const backend = await open(dir)
    const { message } = await expectFailure('busy', () => open(dir))
    expect(message).toContain(`(by process ${process.pid}, 'sess import'`)
    expect(await othersGetIn(join(dir, 'db.1'))).toBe(false)
    await backend.close()
    await (await open(dir)).close()
  })

  it.runIf(existsSync('/proc/locks'))(
    'is shut out by another thread of its process, and stays in there',
    async () => {
      const dir = await newStore()
      const backend = await open(dir)
      const text = `import { parentPort } from 'node:worker_threads'
      const { openDatabase } = await import(${JSON.stringify(pathToFileURL(`${build}/storage/leveldb/database.js`))})
      const opening = openDatabase(${JSON.stringify(dir)}, ${JSON.stringify({ lockTimeout: 0, holder })})
      parentPort.postMessage(await opening.then(() => 'open', (error) => error.code))`
      const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(text)}`))
      expect(await once(thread, 'message')).toEqual(['busy'])
      await thread.terminate()
      expect(await othersGetIn(join(dir, 'db.1'))).toBe(false)
      await backend.close()
    },
  )

  it('refuses a database that lost CURRENT, and deletes nothing', async () => {
    const dir = await newStore()
    const db = join(dir, 'db.1')
    copyFileSync(join(db, 'CURRENT'), join(dir, 'CURRENT'))
    rmSync(join(db, 'CURRENT'))
    const before = readdirSync(db)
    const { message } = await expectFailure('corrupt', () => open(dir))
    expect(message).toMatch(/^the store is damaged: its database does not open \(.*does not exist/)
    expect(readdirSync(db).filter((file) => !/^LOG|^LOCK/.test(file))).toEqual(
      before.filter((file) => !/^LOG|^LOCK/.test(file)),
    )
    copyFileSync(join(dir, 'CURRENT'), join(db, 'CURRENT'))
    const backend = await open(dir)
    expect(backend.ref(name)).toBe(1)
    await backend.close()
  })

  it('refuses a folder without a database, and makes none', async () => {
    const dir = await newStore()
    rmSync(join(dir, 'db.1'), { recursive: true })
    await expectFailure('corrupt', () => open(dir))
    expect(existsSync(join(dir, 'db.1', 'CURRENT'))).toBe(false)
  })

  it('lets go of a database in which it finds something wrong', async () => {
    const dir = await newStore()
    rmSync(join(dir, 'holder.json'))
    // A folder in place of the file cannot be overwritten.
    mkdirSync(join(dir, 'holder.json'))
    await expectFailure('corrupt', () => open(dir))
    rmdirSync(join(dir, 'holder.json'))
    await (await open(dir)).close()
  })

  it('acknowledges nothing once another process took the store over', async () => {
    const dir = await newStore()
    const backend = await open(dir)
    const move = async (from: number): Promise<void> => {
      const transaction = backend.begin()
      transaction.moveRefs([{ name, old: from, new: from + 1 }])
      await transaction.commit()
    }
    await move(1)
    writeFileSync(join(dir, 'generation'), '2\n')
    const { kind } = await expectFailure('fenced', () => move(2))
    expect(kind).toBe('conflict')
    await expectFailure('fenced', () => move(3))
    await backend.close()
  })

  it('writes down who holds the database', async () => {
    const dir = await newStore()
    await (await open(dir)).close()
    expect(JSON.parse(readFileSync(join(dir, 'holder.json'), 'utf8'))).toEqual(holder)
  })
})
