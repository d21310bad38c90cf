import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Level } from 'level'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/model/json.ts'
import { metaRef, type RefName } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { createBranch } from '../../../src/ops/branch.ts'
import { fork } from '../../../src/ops/fork.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { Recovery } from '../../../src/ops/fsck/recover.ts'
import { repairStore } from '../../../src/ops/fsck/repairstore.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { log } from '../../../src/ops/log.ts'
import { removeSessions } from '../../../src/ops/remove.ts'
import type { Reader } from '../../../src/repo/reader.ts'
import { Repo } from '../../../src/repo/repo.ts'
import { getSession, type NativeHead } from '../../../src/repo/session.ts'
import { readGeneration } from '../../../src/storage/directory/generation.ts'
import { pageKey, prefixEnd, SPACE, spaceKey } from '../../../src/storage/levelbackend/keys.ts'
import { answersOf } from '../../support/answers.ts'
import { newFolder } from '../../support/folder.ts'
import { nativeRefIn } from '../../support/nativelogs.ts'
import { copyOf, smallStore } from '../../support/smallstore.ts'
import { openRepo, quietEnv } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

const repair = (dir: string) => repairStore(dir, { env: quietEnv(), command: 'sess fsck --repair' })

const BINARY = { keyEncoding: 'view', valueEncoding: 'view' } as const

const says = (n: number) => [{ body: { role: 'user', content: `says ${n}` } }]

/** A store whose journal has a line for each of some appends of one operation and one of another session; in one a bit is flipped. */
async function flipped(from: number): Promise<{ readonly dir: string; readonly session: string }> {
  const repo = await openRepo()
  const session = await createSession(repo)
  for (let n = 0; n < 6; n++) {
    await append(repo, session, says(n))
    // Each line is written by itself.
    await new Promise((resolve) => setTimeout(resolve, 15))
  }
  await createSession(repo)
  await repo.close()
  const path = join(repo.dir, 'refs.journal')
  const bytes = readFileSync(path)
  let at = bytes.length
  for (let lines = 0; lines < from; lines++) at = bytes.lastIndexOf(10, at - 1)
  bytes[at + 3]! ^= 1
  writeFileSync(path, bytes)
  return { dir: repo.dir, session }
}

describe('a repair', () => {
  it.each([1, 2, 3])(
    'leaves a sound database as it is where a bit of the journal is flipped, %d lines from its end',
    async (from) => {
      const { dir, session } = await flipped(from)
      const right = await answersOf(copyOf(dir), [session])
      const { done } = await repair(dir)
      if (from > 1) expect(done).not.toBe(null)
      expect(done?.refs ?? []).toEqual([])
      expect((await answersOf(copyOf(dir), [session])).log).toEqual(right.log)
    },
  )

  it.each([1, 2, 3])(
    'rebuilds a database from itself though a bit of the journal is flipped, %d lines from its end',
    async (from) => {
      const { dir, session } = await flipped(from)
      const right = await answersOf(copyOf(dir), [session])
      rmSync(join(dir, 'db.1', 'CURRENT'))
      const { done } = await repair(dir)
      expect([done?.refs, done?.lost]).toEqual([[], []])
      expect(done?.pairs).toBeGreaterThan(0)
      expect((await answersOf(copyOf(dir), [session])).log).toEqual(right.log)
    },
  )

  it('reads the source files that still exist where the tables are gone, and names what is lost', async () => {
    const repo = await openRepo()
    const file = join(newFolder(), 'chat.jsonl')
    writeFileSync(file, claudeLines('chat', asked('a', null), answered('b', 'a')).join(''))
    const { files } = await importPaths(repo, [file])
    const imported = files[0]?.session ?? ''
    const native = await createSession(repo)
    await append(repo, native, says(1))
    await createBranch(repo, native, 'side')
    await repo.close()
    const right = await answersOf(copyOf(repo.dir), [imported])
    const database = join(repo.dir, 'db.1')
    for (const name of readdirSync(database)) if (/ldb|log/.test(name)) rmSync(join(database, name))
    mkdirSync(database, { recursive: true })
    const { before, done } = await repair(repo.dir)
    expect(before.ok).toBe(false)
    expect(done?.lost.toSorted()).toEqual(
      expect.arrayContaining([`sessions/${native}/branches/main`, `sessions/${native}/branches/side`]),
    )
    expect(done?.lost.filter((name) => name.includes(imported))).toEqual([])
    expect((await answersOf(copyOf(repo.dir), [imported])).export).toEqual(right.export)
    const again = await repair(repo.dir)
    expect([again.before.findings, again.done]).toEqual([[], null])
  })

  it('takes the refs of a backup where the database and the journal lost them', async () => {
    const { dir, sessions } = await smallStore()
    const right = await answersOf(copyOf(dir), sessions)
    const backup = copyOf(dir)
    const repo = await Repo.open(dir, { env: quietEnv() })
    await removeSessions(repo, [sessions[2] as string])
    await repo.close()
    const removed = copyOf(dir)
    // The tables hold the refs, and the journal is the second copy.
    const database = join(dir, 'db.1')
    for (const name of readdirSync(database)) if (/ldb|log/.test(name)) rmSync(join(database, name))
    writeFileSync(join(dir, 'refs.journal'), '')
    const { done } = await repairStore(dir, {
      env: quietEnv(),
      command: 'sess fsck --repair',
      from: backup,
    })
    expect([done?.lost, done?.after.findings]).toMatchObject([
      [],
      [{ message: 'its journal has lost its end too: what was written last may be missing' }],
    ])
    const now = await answersOf(copyOf(dir), sessions)
    expect([now.log, now.export]).toEqual([right.log, right.export])
    // A ref that is known to be removed stays removed.
    rmSync(join(removed, 'db.1', 'CURRENT'))
    await repairStore(removed, { env: quietEnv(), command: 'sess fsck --repair', from: backup })
    const left = await openRepo(removed)
    expect(await left.read((reader) => reader.ref(metaRef(sessions[2] as string)))).toBe(undefined)
    await left.close()
  })

  it('takes no ref of a copy of the store that was written since, as the store was', async () => {
    const { dir, sessions } = await smallStore()
    const copy = copyOf(dir)
    const [session = ''] = sessions
    for (const [folder, count] of [
      [dir, 1],
      [copy, 3],
    ] as const) {
      // Written at another time.
      const repo = await Repo.open(folder, { env: { ...quietEnv(), now: () => 1e12 + count } })
      for (let n = 0; n < count; n++) await createBranch(repo, session, `${count} ${n}`.replace(' ', '-'))
      await repo.close()
    }
    rmSync(join(dir, 'db.1', 'CURRENT'))
    await repairStore(dir, { env: quietEnv(), command: 'sess fsck --repair', from: copy })
    const repo = await openRepo(dir)
    const names = await repo.read(async (reader) => [...(await getSession(reader, session)).branches.keys()])
    await repo.close()
    expect(names.toSorted()).toEqual(['1-0', 'main', 'other'])
  })

  it('recovers sources one after the other, each into a log of its own', async () => {
    const folder = newFolder()
    const lines = (id: string, count: number) =>
      claudeLines(
        id,
        ...Array.from({ length: count }, (_, n) => asked(`${id} ${n}`, n > 0 ? `${id} ${n - 1}` : null)),
      )
    const begin = async (id: string, count: number): Promise<string> => {
      const file = join(folder, `${id}.jsonl`)
      writeFileSync(file, lines(id, count).join(''))
      const repo = await Repo.open(dir, { env: quietEnv() })
      await importPaths(repo, [file])
      await repo.close()
      return file
    }
    const { dir, ...first } = await openRepo()
    expect(first.identity.id).toHaveLength(32)
    const files = [await begin('first', 2)]
    const database = (): string => join(dir, `db.${readGeneration(dir)}`)
    for (const name of readdirSync(database())) if (/ldb|log/.test(name)) rmSync(join(database(), name))
    await repair(dir)
    const older = copyOf(dir)
    files.push(await begin('second', 4))
    // The database loses the second session, and the first one's source is gone by then.
    rmSync(database(), { recursive: true })
    cpSync(join(older, `db.${readGeneration(dir)}`), database(), { recursive: true })
    rmSync(files[0] as string)
    const { done } = await repair(dir)
    expect([done?.after.findings, done?.lost]).toEqual([[], []])
    const { export: exported } = await answersOf(copyOf(dir), ['second'])
    expect(JSON.parse(exported as string)).toEqual([lines('second', 4).join('')])
  })

  it('names what it could not bring back of a damaged table', async () => {
    const { dir } = await smallStore()
    const database = join(dir, 'db.1')
    for (const name of readdirSync(database)) if (name.endsWith('.ldb')) rmSync(join(database, name))
    const { done } = await repair(dir)
    expect(done?.lost.length).toBeGreaterThan(0)
    expect((await repair(dir)).done).toBe(null)
  })

  it('brings a compressed source back from a backup, and no other file in its place', async () => {
    const repo = await openRepo()
    const paths = ['one', 'two'].map((name) => join(newFolder(), `${name}.jsonl.gz`))
    const sessions: string[] = []
    for (const [i, path] of paths.entries()) {
      const lines = claudeLines(`chat${i}`, asked(`q${i}`, null, `says ${i}`), answered(`a${i}`, `q${i}`))
      writeFileSync(path, gzipSync(lines.join('')))
      sessions.push((await importPaths(repo, [path])).files[0]?.session ?? '')
    }
    await repo.close()
    const backup = copyOf(repo.dir)
    const right = await answersOf(copyOf(repo.dir), sessions)
    for (const path of paths) rmSync(path)
    const database = join(repo.dir, 'db.1')
    for (const name of readdirSync(database)) if (/ldb|log/.test(name)) rmSync(join(database, name))
    const { done } = await repairStore(repo.dir, {
      env: quietEnv(),
      command: 'sess fsck --repair',
      from: backup,
    })
    expect(done?.after.findings).toEqual([])
    expect((await answersOf(repo.dir, sessions)).export).toEqual(right.export)
  })

  it.each(['a backup', 'its source'])(
    'leaves a fork its times and native ids where %s has them',
    async (kept) => {
      const repo = await openRepo()
      const path = join(newFolder(), 'chat.jsonl')
      writeFileSync(path, claudeLines('chat', asked('q', null), answered('a', 'q')).join(''))
      await importPaths(repo, [path])
      const { session: id } = await fork(repo, 'chat')
      const entries = async (dir: string) => {
        const opened = await Repo.open(dir, { env: quietEnv() })
        const all = []
        for await (const { oid, time, native } of log(opened, id)) all.push({ oid, time, native })
        await opened.close()
        return all
      }
      await repo.close()
      const backup = copyOf(repo.dir)
      const right = await entries(copyOf(repo.dir))
      expect(right.map(({ native }) => native)).toEqual(['a', 'q'])
      if (kept === 'a backup') rmSync(path)
      // Without the pages of entries, the records stay and what they name is gone.
      const database = new Level<Uint8Array, Uint8Array>(join(repo.dir, 'db.1'), BINARY)
      await database.clear({ gte: pageKey(0), lt: prefixEnd(spaceKey(SPACE.page)) })
      await database.close()
      await repairStore(repo.dir, {
        env: quietEnv(),
        command: 'sess fsck --repair',
        ...(kept === 'a backup' && { from: backup }),
      })
      expect(await entries(repo.dir)).toEqual(right)
    },
  )

  it('is preceded by a check of the compressed file that an export gives back', async () => {
    const repo = await openRepo()
    const path = join(newFolder(), 'one.jsonl.gz')
    writeFileSync(path, gzipSync(claudeLines('chat', asked('q', null), answered('a', 'q')).join('')))
    const id = (await importPaths(repo, [path])).files[0]?.session ?? ''
    expect((await fsck(repo)).findings).toEqual([])
    await repo.write({}, async ({ reader, move, writer }) => {
      const name = `sessions/${id}/source` as RefName
      const head = (await reader.ref(name)) as { readonly [key: string]: Json }
      const other = writer.putBlob(gzipSync('another file, '.repeat(90)))
      move(name, head, { ...head, packed: [other] })
    })
    const { findings } = await fsck(repo)
    expect(findings.map(({ code, message }) => [code, message])).toEqual([
      ['source', 'its compressed file does not unpack to the bytes that were read'],
    ])
  })
})

describe('recovering a log', () => {
  it('adds no records to one that has others here', async () => {
    const repo = await openRepo()
    const session = await createSession(repo)
    await append(repo, session, says(1))
    await repo.close()
    const older = copyOf(repo.dir)
    const grown = async (from: number, count: number): Promise<Repo> => {
      const opened = await openRepo(repo.dir)
      for (let n = from; n < from + count; n++) await append(opened, session, says(n))
      return opened
    }
    await (await grown(10, 3)).close()
    const there = await openRepo(copyOf(repo.dir))
    // The files of an older copy replace those in the folder, which keeps its writer.
    for (const name of ['db.1', 'refs.journal', 'tables']) {
      rmSync(join(repo.dir, name), { recursive: true, force: true })
      if (existsSync(join(older, name))) cpSync(join(older, name), join(repo.dir, name), { recursive: true })
    }
    const here = await grown(20, 2)
    const name = nativeRefIn(repo.dir, session)
    const headIn = (reader: Reader) => reader.ref(name) as Promise<NativeHead>
    const [ours, recovered, theirs] = await there.read((other) =>
      here.write({}, async ({ reader, writer }) => {
        const head = await headIn(other)
        const into = await new Recovery(reader, other, writer).prefix(head.log, head.count)
        return [await headIn(reader), into, head] as const
      }),
    )
    expect(ours.log).toBe(theirs.log)
    expect(recovered).not.toBe(ours.log)
  })
})
