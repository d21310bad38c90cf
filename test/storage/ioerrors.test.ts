import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openStore, SessError, type Store } from '../../src/index.ts'
import { readError, writeError } from '../../src/storage/ioerrors.ts'
import { openError } from '../../src/storage/leveldb/database.ts'
import { newFolder } from '../support/folder.ts'

it('tells damage from what else may fail', () => {
  const caused = new Error('Iterator failed', { cause: new Error('Corruption: bad block') })
  expect(readError(caused)).toMatchObject({ code: 'corrupt', kind: 'corrupt' })
  expect(readError(new Error('IO error: 000005.ldb: No such file or directory'))).toMatchObject({
    code: 'corrupt',
  })
  const sick = new Error('IO error: /store/db.1/000005.ldb: Input/output error')
  expect(readError(sick)).toMatchObject({ code: 'unreadable-path', kind: 'user' })
  expect((readError(sick) as SessError).message).toContain("'/store/db.1/000005.ldb' could not be read")
  // It may have come in the middle of a command.
  expect(readError(sick)).toMatchObject({ hint: '', remedy: { kind: 'check-disk' } })
  for (const reason of ['Too many open files', 'Cannot allocate memory', 'Permission denied'])
    expect(readError(new Error(`IO error: /store/db.1/000005.ldb: ${reason}`))).toMatchObject({
      code: 'unreadable-path',
      remedy: undefined,
    })
  const other = new Error('Too many open files')
  expect(readError(other)).toBe(other)
  expect(writeError(new Error('IO error: No space left on device'), '/store')).toMatchObject({
    code: 'no-space',
  })
  expect(writeError(new Error('IO error: denied'), '/store').message).toContain("'/store'")
})

it('takes no database for damaged where the system lacks something to open it', () => {
  const codeOf = (reason: string): unknown =>
    (
      openError(
        '/store',
        new Error('open', { cause: new Error(`IO error: /store/1.log: ${reason}`) }),
      ) as SessError
    ).code
  const lacking = ['Too many open files', 'File too large', 'Cannot allocate memory', 'Stale file handle']
  expect(lacking.map(codeOf)).toEqual(lacking.map(() => 'cannot-write'))
  expect(['No space left on device', 'Disk quota exceeded'].map(codeOf)).toEqual(['no-space', 'no-space'])
  expect(['No such file or directory', 'Is a directory'].map(codeOf)).toEqual(['corrupt', 'corrupt'])
})

it('says that a database could not be read where the disk fails while it is opened, unless it was being written', () => {
  const messageOf = (error: Error): string => (openError('/store', error) as SessError).message
  const ofCall = (syscall: string): Error =>
    Object.assign(new Error('EIO: i/o error'), { code: 'EIO', syscall, path: '/store/db.1/CURRENT' })
  expect(
    messageOf(new Error('open', { cause: new Error('IO error: /s/1.log: Input/output error') })),
  ).toContain("'/s/1.log' could not be read")
  expect(messageOf(ofCall('read'))).toContain("'/store/db.1/CURRENT' could not be read")
  expect(messageOf(ofCall('fsync'))).toContain("'/store/db.1/CURRENT' could not be written")
})

it('says that a database could not be written where the disk fails at a file that opening it makes', () => {
  const path = join(newFolder(), '5.ldb')
  const error = new Error(`IO error: ${path}: Input/output error`)
  const codeOf = (began: number): unknown => (openError('/store', error, began) as SessError).code
  const began = Date.now()
  writeFileSync(path, '')
  expect(codeOf(began)).toBe('cannot-write')
  expect(codeOf(began + 60_000)).toBe('unreadable-path')
  rmSync(path)
  expect(codeOf(began)).toBe('cannot-write')
})

/** Returns what an operation comes to: a value, or the code of the error. */
const outcome = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await work()
  } catch (error) {
    return error instanceof SessError ? error.code : error
  }
}

const ask = (dir: string, work: (store: Store) => Promise<unknown>): Promise<unknown> =>
  outcome(async () => {
    const store = await openStore(dir)
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  })

it('calls a damaged table corrupt, never a bug, and never gives a wrong answer', async () => {
  const temp = mkdtempSync(join(tmpdir(), 'sess-fault-'))
  try {
    const dir = join(temp, 'store')
    const store = await openStore(dir, { create: true })
    const session = await store.createSession({ title: 'damaged' })
    await session.appendAll(
      Array.from({ length: 3000 }, (_, i) => ({
        body: { role: 'user', content: `${i} ${Math.sqrt(i + 2)}` },
      })),
    )
    await store.close()
    // Opening moves what was logged into a table.
    const texts = async (s: Store): Promise<unknown> => {
      const all: (string | null)[] = []
      for await (const { text } of (await s.session('damaged')).log()) all.push(text)
      return all
    }
    const whole = await ask(dir, texts)
    expect(whole).toHaveLength(3000)
    const folder = join(dir, 'db.1')
    const tables = readdirSync(folder).filter((name) => name.endsWith('.ldb'))
    const table = tables.sort((a, b) => statSync(join(folder, b)).size - statSync(join(folder, a)).size)[0]
    const path = join(folder, table as string)
    const sound = readFileSync(path)
    const outcomes = new Set<string>()
    for (let n = 1; n < 12; n++) {
      const bytes = Buffer.from(sound)
      bytes.fill(0xa5, Math.floor((bytes.length * n) / 13), Math.floor((bytes.length * n) / 13) + 16)
      writeFileSync(path, bytes)
      const got = await ask(dir, texts)
      const right = JSON.stringify(got) === JSON.stringify(whole)
      outcomes.add(right ? 'right' : String(got))
    }
    expect(
      [...outcomes].filter((o) => !['right', 'corrupt', 'no-session', 'empty-session'].includes(o)),
    ).toEqual([])
    expect(outcomes).toContain('corrupt')
  } finally {
    rmSync(temp, { recursive: true, force: true })
  }
})
