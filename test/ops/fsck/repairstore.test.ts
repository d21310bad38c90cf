import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { branchRef } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { type Repair, repairStore } from '../../../src/ops/fsck/repairstore.ts'
import { gc } from '../../../src/ops/gc.ts'
import { backUp, restore } from '../../../src/repo/backup.ts'
import { realEnv } from '../../../src/repo/env.ts'
import { rebuildDatabase } from '../../../src/repo/rebuilddatabase.ts'
import { Repo } from '../../../src/repo/repo.ts'
import { addChecksum, removeChecksum } from '../../../src/storage/checksum.ts'
import { readIdentity } from '../../../src/storage/directory/identity.ts'
import { decodeEntryPage, encodeEntryPage } from '../../../src/storage/levelbackend/entrypagecodec.ts'
import { pageKey } from '../../../src/storage/levelbackend/keys.ts'
import { ALL, sampled } from '../../support/amount.ts'
import { type Answers, answersOf } from '../../support/answers.ts'
import { expectFailure } from '../../support/errors.ts'
import { some, tally, upTo } from '../../support/faults.ts'
import { newFolder } from '../../support/folder.ts'
import { changePair } from '../../support/pairs.ts'
import { copyOf, type SmallStore, smallStore } from '../../support/smallstore.ts'
import { openRepo, quietEnv } from '../../support/store.ts'

const repair = (dir: string, from?: string): Promise<Repair> =>
  repairStore(dir, {
    env: quietEnv(),
    command: 'sess fsck --repair',
    ...(from === undefined ? {} : { from }),
  })

/** The questions whose answers a repair does not change: it adds operations. */
/** The answers of a store without the digests of sessions: a recovered log has another name. */
const said = ({ ls, log, export: exported }: Answers): unknown => ({
  ls: ls?.replaceAll(/"state":"[0-9a-f]+"/g, '"state":""'),
  log,
  exported,
})

const largest = (dir: string, end: string): string => {
  const names = readdirSync(join(dir, 'db.1')).filter((name) => name.endsWith(end))
  const sizes = names.map((name) => [statSync(join(dir, 'db.1', name)).size, name] as const)
  return join(dir, 'db.1', sizes.sort(([a], [b]) => b - a)[0]?.[1] ?? '')
}

function damage(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at]! ^= 0x21
  writeFileSync(path, bytes)
}

/** The small store of which each test has a copy, with its answers. */
let made: SmallStore & { readonly right: Answers }

const folder = mkdtempSync(join(tmpdir(), 'sess-repair-'))
afterAll(() => rmSync(folder, { recursive: true }))
beforeAll(async () => {
  const { dir, sessions } = await smallStore()
  cpSync(dir, join(folder, 'store'), { recursive: true })
  made = { dir: join(folder, 'store'), sessions, right: await answersOf(dir, sessions) }
})

const newStore = (): SmallStore => ({ dir: copyOf(made.dir), sessions: made.sessions })

const begin = () => ({ ...newStore(), right: made.right, backup: copyOf(made.dir) })

describe('repairing a store', () => {
  it('changes nothing where nothing is wrong', async () => {
    const { dir } = newStore()
    const { before, done } = await repair(dir)
    expect([before.ok, done, existsSync(join(dir, 'broken'))]).toEqual([true, null, false])
  })

  it('brings everything back from a backup, wherever a byte of a table or of the log is another', {
    timeout: 900_000,
  }, async () => {
    const { dir, sessions, right, backup } = begin()
    let runs = 0
    for (const end of ['.ldb', '.log']) {
      const { size } = statSync(largest(dir, end))
      for (const at of some(upTo(size), 4, 0.02)) {
        const copy = copyOf(dir)
        damage(largest(copy, end), at)
        const { before, done } = await repair(copy, backup)
        if (before.ok) continue
        expect(done?.after.findings).toEqual([])
        expect(said(await answersOf(copy, sessions))).toEqual(said(right))
        expect(readdirSync(join(copy, 'broken'))).toHaveLength(1)
        runs++
      }
    }
    expect(runs).toBeGreaterThan(ALL ? 3 : 0)
    tally(4, 'a damaged database repaired from a backup', runs)
  })

  it('survives a page of zeros in a table, whose block would end the process that reads it', async () => {
    const { dir, sessions, right, backup } = begin()
    const copy = copyOf(dir)
    const table = largest(copy, '.ldb')
    const { atime, mtime, size } = statSync(table)
    const page = Math.min(4096, size >> 1)
    writeFileSync(table, readFileSync(table).fill(0, 0, page))
    utimesSync(table, atime, mtime)
    const repo = await Repo.open(copy, { tolerant: true })
    const { findings } = await fsck(repo)
    await repo.close()
    expect(findings.map(({ code }) => code)).toEqual(['file'])
    const { done } = await repair(copy, backup)
    expect(done?.after.findings).toEqual([])
    expect(said(await answersOf(copy, sessions))).toEqual(said(right))
  })

  it('keeps all that is sound where there is no backup, and what is named is there', {
    timeout: 900_000,
  }, async () => {
    const { dir } = begin()
    let runs = 0
    const { size } = statSync(largest(dir, '.ldb'))
    for (const at of some(upTo(size), 4)) {
      const copy = copyOf(dir)
      damage(largest(copy, '.ldb'), at)
      const { before, done } = await repair(copy)
      expect(before.ok).toBe(false)
      expect(
        done?.after.findings.filter(({ code }) => code !== 'entry'),
        `${at}`,
      ).toEqual([])
      expect(done?.pairs).toBeGreaterThan(10)
      runs++
    }
    tally(4, 'a damaged database repaired from itself', runs)
  })

  it('finds all again where what a table says of itself is damaged', { timeout: 900_000 }, async () => {
    const { dir, sessions, right } = begin()
    const { size } = statSync(largest(dir, '.ldb'))
    let runs = 0
    // Its end and what that names: its index among it.
    for (const at of some(
      upTo(320).map((i) => size - 1 - i),
      16,
      0.02,
    )) {
      const copy = copyOf(dir)
      damage(largest(copy, '.ldb'), at)
      const { before, done } = await repair(copy)
      if (before.ok) continue
      expect(done?.after.findings, `${at}`).toEqual([])
      expect(said(await answersOf(copy, sessions)), `${at}`).toEqual(said(right))
      runs++
    }
    expect(runs).toBeGreaterThan(ALL ? 2 : 0)
    tally(4, 'a table whose index is damaged repaired from itself', runs)
  })

  it('takes out an entry whose parent stands behind it, and what continues it', async () => {
    const repo = await openRepo()
    const id = await createSession(repo)
    const says = Array.from({ length: 9 }, (_, i) => ({ body: { role: 'user', content: `says ${i}` } }))
    const oids = await append(repo, id, says.slice(0, 5))
    await repo.close()
    const again = await openRepo(repo.dir)
    await append(again, id, says.slice(5))
    await again.close()
    await changePair(repo.dir, pageKey(0), (value) => {
      const run = decodeEntryPage(0, removeChecksum(pageKey(0), value, 'the run'))
      run.first[6] = 7
      return addChecksum(pageKey(0), encodeEntryPage(run))
    })
    const { before, done } = await repair(repo.dir)
    expect(before.findings.map(({ code }) => code)).toContain('order')
    expect(done?.after.findings).toEqual([])
    const names = done?.refs.map((ref) => [ref.name, ref.new])
    expect(names).toContainEqual([branchRef(id, 'main'), oids[4]])
  })

  it('writes again what says which folder is a store and which database is current, and changes nothing else', async () => {
    const { dir, sessions } = newStore()
    const store = await openRepo(dir)
    await gc(store, { grace: Infinity, operations: 0 })
    await store.close()
    const right = said(await answersOf(copyOf(dir), sessions))
    let runs = 0
    for (const lost of [['generation'], ['sess.json'], ['generation', 'sess.json']])
      for (const left of [undefined, '\u0000\u0000\u0000']) {
        const copy = copyOf(dir)
        for (const file of lost) {
          rmSync(join(copy, file))
          if (left !== undefined) writeFileSync(join(copy, file), left)
        }
        const { before, done } = await repair(copy)
        expect([before.ok, before.findings.map(({ subject }) => subject)]).toEqual([false, lost.toReversed()])
        expect([done?.written, done?.pairs, done?.after.findings]).toEqual([lost.toReversed(), 0, []])
        expect(readFileSync(join(copy, 'generation'), 'utf8')).toBe('2\n')
        expect(said(await answersOf(copy, sessions))).toEqual(right)
        const kept = done?.aside === null ? [] : readdirSync(done?.aside ?? '').sort()
        expect(kept).toEqual(left === undefined ? [] : lost)
        runs++
      }
    tally(5, 'identity or generation removed or garbled, written again', runs)
  })

  it.each([['gone'], ['garbled']])('gives a store back its identity where that is %s', async (how) => {
    const { dir } = newStore()
    const store = await openRepo(dir)
    await gc(store, { grace: Infinity, operations: 0 })
    await store.close()
    const path = join(dir, 'sess.json')
    const { writer: _, ...identity } = readIdentity(dir)!
    const other = await openRepo(undefined, { env: realEnv() })
    await createSession(other)
    await other.close()
    for (const from of [undefined, other.dir]) {
      if (how === 'gone') rmSync(path)
      else writeFileSync(path, '{')
      await repair(dir, from)
      // The writer is drawn again, since who wrote the store before is not known.
      expect(readIdentity(dir)).toMatchObject(identity)
    }
  })

  it('makes the newest database the current one where an older number was put in place', async () => {
    const { dir, sessions, right } = begin()
    await rebuildDatabase(dir, 0)
    writeFileSync(join(dir, 'generation'), '1\n')
    expect((await answersOf(dir, sessions)).log).toBe('!corrupt')
    expect(existsSync(join(dir, 'db.1'))).toBe(false)
    const { before, done } = await repair(dir)
    expect(before.findings.map(({ code }) => code)).toContain('folder')
    expect([done?.written, done?.after.findings]).toEqual([['generation'], []])
    expect(said(await answersOf(dir, sessions))).toEqual(said(right))
  })

  it('is refused where a newer sess held the store whose identity is gone', async () => {
    const { dir } = newStore()
    const [path, holder] = [join(dir, 'sess.json'), join(dir, 'holder.json')]
    const told = JSON.parse(readFileSync(holder, 'utf8')) as { readonly store: { readonly format: number } }
    writeFileSync(
      holder,
      JSON.stringify({ ...told, store: { ...told.store, format: told.store.format + 1 } }),
    )
    rmSync(path)
    await expectFailure('newer-store', () => repair(dir))
    expect(existsSync(path)).toBe(false)
  })

  it('gives a store the identity that its backup has where nothing else tells it, and not that of another store', async () => {
    const { dir } = newStore()
    const identity = readFileSync(join(dir, 'sess.json'), 'utf8')
    const other = await openRepo(undefined, { env: realEnv() })
    await createSession(other)
    await other.close()
    const identityFrom = async (from: string): Promise<string> => {
      const copy = copyOf(dir)
      for (const file of ['sess.json', 'holder.json']) rmSync(join(copy, file))
      await repair(copy, from)
      return readFileSync(join(copy, 'sess.json'), 'utf8')
    }
    expect(await identityFrom(copyOf(dir))).toBe(identity)
    const theirs = JSON.parse(readFileSync(join(other.dir, 'sess.json'), 'utf8')) as { readonly id: string }
    expect(await identityFrom(other.dir)).not.toContain(theirs.id)
  })

  it('is asked for where a store has lost its identity: nobody makes an empty one in its place', async () => {
    const { dir, sessions } = newStore()
    const right = said(await answersOf(copyOf(dir), sessions))
    const backup = join(newFolder(), 'backup')
    backUp(dir, backup, quietEnv())
    for (const lost of [
      ['sess.json'],
      ['sess.json', 'refs.journal'],
      ['sess.json', 'generation', 'tables'],
    ]) {
      const copy = copyOf(dir)
      for (const file of lost) rmSync(join(copy, file))
      const { remedy } = await expectFailure('corrupt', () => Repo.open(copy, { create: true }))
      expect(remedy).toEqual({ kind: 'repair-identity' })
      await expectFailure('exists', () => restore(backup, copy))
      expect((await repair(copy)).done?.after.findings).toEqual([])
      expect(said(await answersOf(copy, sessions))).toEqual(right)
    }
  })

  it('makes a store of one that lost CURRENT, its manifest or its log', async () => {
    const { dir, sessions, right, backup } = begin()
    for (const lost of ['CURRENT', 'MANIFEST']) {
      const copy = copyOf(dir)
      const name = readdirSync(join(copy, 'db.1')).find((file) => file.startsWith(lost)) ?? ''
      rmSync(join(copy, 'db.1', name))
      const { before, done } = await repair(copy)
      expect(before.findings.map(({ code }) => code)).toEqual(['database'])
      expect(done?.after.findings).toEqual([])
      expect(said(await answersOf(copy, sessions))).toEqual(said(right))
    }
    const copy = copyOf(dir)
    rmSync(largest(copy, '.log'))
    const { before, done } = await repair(copy, backup)
    expect(before.findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the database lost its last \d+ writes$/),
      expect.stringMatching(/^the other store has \d+ later writes$/),
    ])
    expect(done?.after.findings).toEqual([])
    expect(said(await answersOf(copy, sessions))).toEqual(said(right))
    expect((await fsck(await openRepo(copy))).ok).toBe(true)
    tally(6, 'a database without CURRENT, manifest or log repaired', 3)
  })

  const SMALL_FILES = ['sess.json', 'generation', 'refs.journal', 'tables', 'holder.json']

  it.each(['a folder', 'a pipe', 'a socket'])(
    'puts %s aside that lies in the place of a small file',
    async (what) => {
      const { dir, sessions } = newStore()
      const right = said(await answersOf(copyOf(dir), sessions))
      for (const name of sampled(SMALL_FILES, what === 'a folder' ? 3 : 1)) {
        const copy = copyOf(dir)
        rmSync(join(copy, name))
        await puts[what]?.(join(copy, name))
        const { message, remedy } = await expectFailure('corrupt', async () => {
          const repo = await openRepo(copy, { create: false })
          await repo.write({}, ({ move }) => move(branchRef('s', 'b'), undefined, 1))
        })
        expect(message).toContain(`/${name}' (it is not a regular file`)
        expect(remedy).toEqual({ kind: 'repair-file' })
        const { before, done } = await repair(copy)
        expect(before.findings.map(({ code, subject }) => [code, subject])).toEqual([['folder', name]])
        expect([done?.pairs, done?.after.findings]).toEqual([0, []])
        expect(said(await answersOf(copy, sessions))).toEqual(right)
        expect(lstatSync(join(done?.aside ?? '', name)).isFile()).toBe(false)
        expect((await repair(copy)).before.ok).toBe(true)
      }
    },
  )

  it('puts a link aside that leads to itself, in the place of a small file', async () => {
    const { dir, sessions } = newStore()
    const right = said(await answersOf(copyOf(dir), sessions))
    for (const name of sampled(SMALL_FILES, 1)) {
      const copy = copyOf(dir)
      rmSync(join(copy, name))
      symlinkSync(name, join(copy, name))
      const { before, done } = await repair(copy)
      expect(before.findings.map(({ code, subject }) => [code, subject])).toEqual([['folder', name]])
      expect(lstatSync(join(done?.aside ?? '', name)).isSymbolicLink()).toBe(true)
      expect(said(await answersOf(copy, sessions))).toEqual(right)
      expect((await repair(copy)).before.ok).toBe(true)
    }
  })

  it.each(['a folder', 'a pipe', 'a socket'])(
    'puts %s aside that lies in the place of a file of the database',
    async (what) => {
      const { dir, sessions, right, backup } = begin()
      const files = ['CURRENT', 'LOCK', 'MANIFEST-', '.ldb', '.log']
      for (const begun of sampled(files, what === 'a folder' ? 3 : 1)) {
        const copy = copyOf(dir)
        const name = readdirSync(join(copy, 'db.1')).find((file) => file.includes(begun)) ?? ''
        rmSync(join(copy, 'db.1', name))
        await puts[what]?.(join(copy, 'db.1', name))
        const { message } = await expectFailure('corrupt', async () =>
          (await openRepo(copy)).read(() => undefined),
        )
        expect(message).toContain(`/${name}' of its database (it is not a regular file`)
        const { before, done } = await repair(copy, backup)
        expect(before.findings.map(({ code, subject }) => [code, subject])).toEqual([['file', name]])
        expect(done?.after.findings).toEqual([])
        expect(said(await answersOf(copy, sessions))).toEqual(said(right))
        expect(lstatSync(join(done?.aside ?? '', 'database', name)).isFile()).toBe(false)
      }
    },
  )

  it('does not bring back operations that a collection dropped', async () => {
    const { dir, sessions } = begin()
    const repo = await openRepo(dir)
    await gc(repo, { operations: Infinity, grace: 0 })
    await append(repo, sessions[0] as string, [{ body: { role: 'user', content: 'more' } }])
    await repo.close()
    const [database = ''] = readdirSync(dir).filter((name) => name.startsWith('db.'))
    rmSync(join(dir, database, 'CURRENT'))
    const { done } = await repair(dir)
    expect([done?.operations, done?.after.findings]).toEqual([[], []])
  })

  it('is refused where somebody writes meanwhile, be it a database without CURRENT', async () => {
    const { dir } = begin()
    rmSync(join(dir, 'db.1', 'CURRENT'))
    const rebuilt = rebuildDatabase(dir, 0)
    const log = largest(dir, '.log')
    writeFileSync(log, readFileSync(log))
    await expectFailure('busy', () => rebuilt)
    expect(existsSync(join(dir, 'broken'))).toBe(false)
  })
})

const puts: Record<string, (path: string) => unknown> = {
  'a folder': (path) => mkdirSync(path),
  'a link': (path) => symlinkSync('/nowhere', path),
  'a pipe': (path) => execFileSync('sh', ['-c', 'mkfifo "$0"', path]),
  'a socket': (path) =>
    execFileSync(process.execPath, [
      '-e',
      `require('net').createServer().listen(${JSON.stringify(path)}, () => process.exit())`,
    ]),
}
