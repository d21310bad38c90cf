import {
  appendFileSync,
  cpSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { Json, JsonObject } from '../../../src/model/json.ts'
import type { RefValue } from '../../../src/model/operation.ts'
import type { LogId } from '../../../src/model/record.ts'
import {
  branchRef,
  exportRef,
  graftRef,
  metaRef,
  nativesRef,
  type RefName,
  sourceLogRef,
} from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { exportTo } from '../../../src/ops/export/destinations.ts'
import { exportSession } from '../../../src/ops/export/export.ts'
import { fork } from '../../../src/ops/fork.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { type Repair, repairStore } from '../../../src/ops/fsck/repairstore.ts'
import { gc } from '../../../src/ops/gc.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { log } from '../../../src/ops/log.ts'
import { removeSessions } from '../../../src/ops/remove.ts'
import { renameSession } from '../../../src/ops/rename.ts'
import { expunge } from '../../../src/ops/secrets/expunge.ts'
import { undo } from '../../../src/ops/undo.ts'
import { rebuildDatabase } from '../../../src/repo/rebuilddatabase.ts'
import type { Repo, RepoOptions } from '../../../src/repo/repo.ts'
import type { NativeHead, SessionMeta, SourceHead } from '../../../src/repo/session.ts'
import {
  blobKey,
  COUNTERS,
  operationKey,
  pageKey,
  refKey,
  SPACE,
  segmentKey,
} from '../../../src/storage/levelbackend/keys.ts'
import { expectFailure } from '../../support/errors.ts'
import { standsIn } from '../../support/everybyte.ts'
import { newFolder } from '../../support/folder.ts'
import { nativeRefIn } from '../../support/nativelogs.ts'
import { addPair, changePair, pairsOf, removePair } from '../../support/pairs.ts'
import { Random } from '../../support/random.ts'
import { GITHUB } from '../../support/secrets.ts'
import { copyOf } from '../../support/smallstore.ts'
import { openRepo } from '../../support/store.ts'
import { seededEnv } from '../../support/storehistory.ts'
import { answered, asked, claudeLine, claudeLines } from '../../support/transcripts.ts'

const env = seededEnv(new Random(1))

const repair = (dir: string, from?: string): Promise<Repair> =>
  repairStore(dir, { env, command: 'sess fsck --repair', ...(from === undefined ? {} : { from }) })

const says = (...contents: readonly string[]) =>
  contents.map((content) => ({ body: { role: 'user', content } }))

/** Makes a store that is closed afterwards, and returns its folder and what the work returned. */
async function during<T>(work: (repo: Repo) => Promise<T>, dir?: string, options: RepoOptions = {}) {
  const repo = await openRepo(dir, { env, command: 'sess test', ...options })
  const result = await work(repo)
  await repo.close()
  return { dir: repo.dir, result }
}

const refIn = async (dir: string, name: RefName): Promise<RefValue | undefined> =>
  (await during((repo) => repo.read((reader) => reader.ref(name)), copyOf(dir))).result

/** Spoils a value of a database. */
const spoil = (dir: string, key: Uint8Array): Promise<void> =>
  changePair(dir, key, (value) => value.map((byte, i) => (i === value.length - 1 ? byte ^ 1 : byte)))

/** Makes a store with a session that has an entry, and returns the session. */
const saying = (content: string): ReturnType<typeof during<string>> =>
  during(async (repo) => {
    const session = await createSession(repo)
    await append(repo, session, says(content))
    return session
  })

/** Makes a session, and a copy of the store before its second append. */
async function appended(): Promise<{ dir: string; older: string; id: string }> {
  const { dir, result: id } = await saying('said')
  const older = copyOf(dir)
  await during((repo) => append(repo, id, says('lost')), dir)
  return { dir, older, id }
}

/** Makes a store with two sessions whose operations but the newest gc has dropped, and returns the first session. */
const collected = (): ReturnType<typeof during<string>> =>
  during(async (repo) => {
    const session = await createSession(repo)
    await createSession(repo)
    await gc(repo, { operations: Infinity, grace: 0 })
    return session
  })

const exported = async (dir: string, session: string): Promise<string> =>
  (
    await during(async (repo) => {
      let text = ''
      for await (const bytes of exportSession(repo, session)) text += Buffer.from(bytes).toString()
      return text
    }, copyOf(dir))
  ).result

/** Writes a transcript, and returns its path and its lines. */
function transcript(exchanges: number, id = 'talk') {
  const exchange = (n: number) => [asked(`q${n}`, n === 0 ? null : `a${n - 1}`), answered(`a${n}`, `q${n}`)]
  const lines = claudeLines(id, ...Array.from({ length: exchanges }, (_, n) => exchange(n)).flat())
  const path = join(newFolder(), `${id}.jsonl`)
  writeFileSync(path, lines.join(''))
  return { path, lines }
}

/** Replaces the database in a store's folder by that of an older copy. */
function rollBack(dir: string, older: string): void {
  for (const name of readdirSync(dir))
    if (name.startsWith('db.')) rmSync(join(dir, name), { recursive: true })
  for (const name of readdirSync(older))
    if (name.startsWith('db.') || name === 'generation')
      cpSync(join(older, name), join(dir, name), { recursive: true })
}

/** The finding where it cannot be known how far a store went. */
const END_LOST = {
  code: 'database',
  message: 'its journal has lost its end too: what was written last may be missing',
}

describe('a repair of refs', () => {
  it('brings no session back from a journal of before gc dropped the operation that removed it', async () => {
    const { dir, result: id } = await during(async (repo) => {
      const gone = await createSession(repo)
      await append(repo, gone, says('removed later'))
      return gone
    })
    const journal = join(copyOf(dir), 'refs.journal')
    await during(async (repo) => {
      await removeSessions(repo, [id])
      await createSession(repo)
      await gc(repo, { operations: Infinity, grace: 0 })
    }, dir)
    cpSync(journal, join(dir, 'refs.journal'))
    expect((await fsck(await openRepo(copyOf(dir)))).findings).toEqual([])
    for (const isBroken of [false, true]) {
      const copy = copyOf(dir)
      if (isBroken) rmSync(join(copy, 'db.2', 'CURRENT'))
      const { done } = await repair(copy)
      expect(done?.after.findings ?? []).toEqual([])
      expect(await refIn(copy, metaRef(id))).toBeUndefined()
    }
  })

  it.each([false, true])(
    'leaves removed what an older database has, by the journal; killed once: %s',
    async (isKilled) => {
      const { dir, result: id } = await during((repo) => createSession(repo))
      const older = copyOf(dir)
      await during(async (repo) => {
        await removeSessions(repo, [id])
        await createSession(repo)
        await gc(repo, { operations: Infinity, grace: 0 })
      }, dir)
      rollBack(dir, older)
      if (isKilled) await rebuildDatabase(dir, 0)
      expect((await repair(dir)).done?.after.findings).toEqual([])
      expect(await refIn(dir, metaRef(id))).toBeUndefined()
    },
  )

  it('takes no operations that gc dropped for lost where the counters are', async () => {
    const { dir } = await during(async (repo) => {
      for (let n = 0; n < 5; n++) await createSession(repo)
      await gc(repo, { operations: Infinity, grace: 0 })
      await createSession(repo)
    })
    await spoil(dir, COUNTERS)
    const { done } = await repair(dir)
    expect([done?.operations, done?.lost, done?.after.findings]).toEqual([[], [], []])
  })

  it('restores a ref that the database lost, though all else in it is sound', async () => {
    const { dir, result } = await during(async (repo) => {
      const id = await createSession(repo)
      const [oid] = await append(repo, id, says('said'))
      return { id, oid }
    })
    await removePair(dir, refKey(branchRef(result.id, 'main')))
    const { before, done } = await repair(dir)
    expect(before.findings.map(({ code }) => code)).toContain('ref')
    expect([done?.lost, done?.after.findings]).toEqual([[], []])
    expect(await refIn(dir, branchRef(result.id, 'main'))).toBe(result.oid)
  })

  it('recovers the appends of another writer from a backup, and names them where there is none', async () => {
    const { dir: original, result: id } = await during(async (repo) => {
      const session = await createSession(repo)
      await append(repo, session, says('there', 'and there'))
      return session
    })
    const dir = copyOf(original)
    await during((repo) => append(repo, id, says('here')), dir)
    const name = nativeRefIn(original, id)
    expect(name).not.toBe(nativeRefIn(dir, id))
    const backup = copyOf(dir)
    await spoil(dir, segmentKey(((await refIn(dir, name)) as NativeHead).log, 0))
    const alone = copyOf(dir)
    expect((await repair(dir, backup)).done?.lost).toEqual([])
    expect((await refIn(dir, name)) as Json).toMatchObject({ count: 2 })
    expect((await repair(alone)).done?.lost).toContain(name)
  })

  it('recovers of a log in a backup only the records that were not undone', async () => {
    const { dir, result: id } = await during(async (repo) => {
      const session = await createSession(repo)
      await append(repo, session, says('kept', 'kept, too'))
      await repo.closeOperation()
      await append(repo, session, says('undone'))
      return session
    })
    const backup = copyOf(dir)
    await during((repo) => undo(repo, { any: true }), dir)
    const name = nativeRefIn(dir, id)
    const head = (await refIn(dir, name)) as NativeHead
    expect(head.count).toBe(2)
    await spoil(dir, segmentKey(head.log, 0))
    const { done } = await repair(dir, backup)
    expect([done?.lost, done?.after.findings]).toEqual([[], []])
    expect((await refIn(dir, name)) as Json).toMatchObject({ count: 2, hash: head.hash })
  })

  it('recovers of a source file that has grown what was imported, so that the rest is imported later', async () => {
    const { path, lines } = transcript(2)
    writeFileSync(path, `${lines.slice(0, 2).join('')}${lines[2]?.slice(0, 9)}`)
    const { dir } = await during((repo) => importPaths(repo, [path]))
    const name = sourceLogRef('talk')
    const head = (await refIn(dir, name)) as SourceHead
    appendFileSync(path, `${lines[2]?.slice(9)}${lines[3]}`)
    await spoil(dir, segmentKey(head.log, 0))
    await spoil(dir, blobKey(Buffer.from(head.tail[0] as string, 'hex')))
    const { done } = await repair(dir)
    expect([done?.lost, done?.after.findings]).toEqual([[], []])
    const { log: _, ...same } = head
    expect(await refIn(dir, name)).toMatchObject(same)
    const { result: oid } = await during(async (repo) => {
      await importPaths(repo, [path])
      return repo.read((reader) => reader.ref(branchRef('talk', 'main')))
    }, dir)
    expect(oid).not.toBe(head.branches.main)
    expect(await exported(dir, 'talk')).toBe(lines.join(''))
  })

  it('recovers what an export wrote from a backup', async () => {
    const { dir, result } = await during(async (repo) => {
      const id = await createSession(repo)
      await append(repo, id, says('to be exported'))
      const { id: there } = await exportTo(repo, id, `${newFolder()}/`, { format: 'pi' })
      return exportRef(id, there)
    })
    const backup = copyOf(dir)
    const { written } = (await refIn(dir, result)) as unknown as {
      readonly written: readonly [LogId, number]
    }
    await spoil(dir, segmentKey(written[0], 0))
    const { before, done } = await repair(dir, backup)
    expect(before.ok).toBe(false)
    expect([done?.lost, done?.after.findings]).toEqual([[], []])
    expect((await refIn(dir, result)) as Json).toMatchObject({ written: [expect.any(String), written[1]] })
  })

  it('recovers the entries that only a graft names', async () => {
    const id = (n: number): string => `${n}`.padStart(8, '0').concat('-0000-4000-8000-000000000000')
    const parent = claudeLines('parent', asked(id(1), null), answered(id(2), id(1)))
    const child = [asked(id(3), id(2)), answered(id(4), id(3))].map((one, i) =>
      claudeLine('child', 10 + i, one),
    )
    const folder = newFolder()
    writeFileSync(join(folder, 'parent.jsonl'), parent.join(''))
    writeFileSync(join(folder, 'child.jsonl'), child.join(''))
    // A parent that a file still written may get is not looked for elsewhere.
    for (const name of readdirSync(folder)) utimesSync(join(folder, name), 1, 1)
    const { dir, result: root } = await during(async (repo) => {
      await importPaths(repo, [folder])
      await removeSessions(repo, ['parent'])
      await gc(repo, { operations: Infinity, grace: Infinity })
      return repo.read(async (reader) => {
        for await (const [name] of reader.refs('grafts/')) return name.slice('grafts/'.length) as Oid
        throw new Error('no graft')
      })
    })
    const backup = copyOf(dir)
    await spoil(dir, pageKey(0))
    rmSync(folder, { recursive: true })
    const { done } = await repair(dir, backup)
    expect([done?.lost, done?.after.findings]).toEqual([[], []])
    expect(await refIn(dir, graftRef(root))).toBeDefined()
  })

  it('takes the refs of a backup where nothing tells which store it is', async () => {
    const { dir, result: id } = await saying('said')
    const backup = copyOf(dir)
    const name = branchRef(id, 'main')
    const oid = await refIn(dir, name)
    await spoil(dir, refKey(name))
    await spoil(dir, operationKey(2))
    for (const file of ['sess.json', 'holder.json', 'refs.journal']) rmSync(join(dir, file))
    await repair(dir, backup)
    expect(await refIn(dir, name)).toBe(oid)
  })

  it('takes from a backup what the database and the journal lost together', async () => {
    const { dir, older, id } = await appended()
    const backup = copyOf(dir)
    const oid = await refIn(dir, branchRef(id, 'main'))
    rollBack(dir, older)
    cpSync(join(older, 'refs.journal'), join(dir, 'refs.journal'))
    const { before, done } = await repair(dir, backup)
    expect([before.ok, done?.lost, done?.after.findings]).toEqual([false, [], []])
    expect(await refIn(dir, branchRef(id, 'main'))).toBe(oid)
    expect((await repair(dir, backup)).done).toBe(null)
  })

  it('takes it too where it writes an operation of its own before', async () => {
    const { dir, older, id } = await appended()
    await during(async (repo) => {
      const other = await createSession(repo)
      const [oid = ''] = await append(repo, other, says('private, all of it, for ever'))
      await expunge(repo, { entries: [oid], force: true })
      await append(repo, id, says('lost too'))
    }, dir)
    const backup = copyOf(dir)
    const oid = await refIn(dir, branchRef(id, 'main'))
    rollBack(dir, older)
    cpSync(join(older, 'refs.journal'), join(dir, 'refs.journal'))
    expect((await repair(dir, backup)).done).toMatchObject({ lost: [], after: { findings: [] } })
    expect(await refIn(dir, branchRef(id, 'main'))).toBe(oid)
  })

  it('keeps a ref removed that a former table has', async () => {
    const { dir, result: id } = await collected()
    const key = refKey(metaRef(id))
    const pair = (await pairsOf(dir)).find(([one]) => Buffer.compare(one, key) === 0)
    await during((repo) => removeSessions(repo, [id]), dir)
    await addPair(dir, key, pair?.[1] as Uint8Array)
    rmSync(join(dir, 'refs.journal'))
    expect((await repair(dir)).before.ok).toBe(false)
    expect(await refIn(dir, metaRef(id))).toBeUndefined()
  })

  it('restores a store of which nothing is left from a backup, and says so where there is none', async () => {
    const { dir, result: id } = await during((repo) => createSession(repo, { title: 'all there is' }))
    const backup = copyOf(dir)
    for (const name of readdirSync(join(dir, 'db.1'))) writeFileSync(join(dir, 'db.1', name), '')
    for (const name of ['sess.json', 'holder.json', 'refs.journal']) writeFileSync(join(dir, name), '')
    const alone = copyOf(dir)
    const { done } = await repair(dir, backup)
    expect([done?.after.findings, await refIn(dir, metaRef(id))]).toMatchObject([
      [END_LOST],
      { title: 'all there is' },
    ])
    expect((await repair(dir)).before.findings).toEqual([])
    expect((await repair(alone)).done?.after.findings).toMatchObject([
      { code: 'database', message: 'nothing in it could be read' },
    ])
  })

  it('rebuilds the current database where a newer one is beside it', async () => {
    const { dir, result: id } = await during((repo) => createSession(repo))
    cpSync(join(dir, 'db.1'), join(dir, 'db.2'), { recursive: true })
    rmSync(join(dir, 'db.1', 'CURRENT'))
    expect((await repair(dir)).done?.after.findings).toEqual([])
    expect(await refIn(dir, metaRef(id))).toBeDefined()
  })

  it('takes from a backup made since a gc refs that were not moved since', async () => {
    const { dir, result: id } = await collected()
    const backup = copyOf(dir)
    rmSync(join(dir, 'refs.journal'))
    await spoil(dir, refKey(metaRef(id)))
    rmSync(join(dir, 'refs.journal'), { force: true })
    expect((await repair(dir, backup)).done?.after.findings).toMatchObject([END_LOST])
    expect(await refIn(dir, metaRef(id))).toBeDefined()
  })

  it('says so where the end of the journal is damaged as well as the database, and only once', async () => {
    const { dir, result: id } = await during((repo) => createSession(repo))
    const journal = join(dir, 'refs.journal')
    writeFileSync(journal, readFileSync(journal, 'utf8').replace(/.$/, '?'))
    await spoil(dir, refKey(metaRef(id)))
    expect((await repair(dir)).done?.after.findings).toMatchObject([END_LOST])
    expect((await repair(dir)).before.findings).toEqual([])
  })

  it('says so where lines within the journal are damaged as well', async () => {
    const { dir, result: id } = await during((repo) => createSession(repo))
    const journal = join(dir, 'refs.journal')
    writeFileSync(journal, `\n00000000 [1,1]${readFileSync(journal, 'utf8')}`)
    await spoil(dir, refKey(metaRef(id)))
    const message = 'its journal has damaged lines too, 1: what they held may be missing'
    expect((await repair(dir)).done?.after.findings).toMatchObject([{ code: 'database', message }])
    expect((await repair(dir)).before.findings).toEqual([])
  })

  it('goes on where one was killed once the database was rebuilt', async () => {
    const { dir, result } = await during(async (repo) => {
      const id = await createSession(repo)
      await createSession(repo)
      await gc(repo, { operations: Infinity, grace: 0 })
      const [oid] = await append(repo, await createSession(repo), says('said'))
      return { id, oid }
    })
    // Only the journal has it: gc dropped the operation.
    await spoil(dir, refKey(metaRef(result.id)))
    await rebuildDatabase(dir, 0)
    const { done } = await repair(dir)
    expect([done?.lost, done?.after.findings]).toEqual([[], []])
    expect(await refIn(dir, metaRef(result.id))).toBeDefined()
  })

  it('changes nothing where the other store cannot be read', async () => {
    const { dir, result: id } = await during((repo) => createSession(repo))
    const broken = copyOf(dir)
    for (const name of readdirSync(join(broken, 'db.1'))) rmSync(join(broken, 'db.1', name))
    await spoil(dir, refKey(metaRef(id)))
    await expectFailure('corrupt', () => repair(dir, broken))
    expect(readdirSync(dir)).not.toContain('broken')
  })

  it('removes what was expunged where an older copy of the database brings it back', async () => {
    const text = 'a private story that nobody should read again, ever'
    const { dir, result } = await during(async (repo) => {
      const id = await createSession(repo, { title: `with ${GITHUB}` })
      const [, oid = ''] = await append(repo, id, says(`use ${GITHUB}`, text))
      return { id, oid }
    })
    const older = copyOf(dir)
    await during(async (repo) => {
      await expunge(repo, { secrets: [GITHUB], entries: [result.oid], why: 'private' })
    }, dir)
    rollBack(dir, older)
    const { done } = await repair(dir)
    expect(done?.after.findings).toEqual([])
    rmSync(join(dir, 'broken'), { recursive: true })
    for (const gone of [GITHUB, text]) expect(await standsIn(copyOf(dir), gone)).toEqual([])
    expect(await exported(dir, result.id)).toContain('[expunged: private]')
  })

  it('finds no expunged text in a journal of before: it is rewritten when the store is opened', async () => {
    const { dir } = await during((repo) => createSession(repo, { title: `with ${GITHUB}` }))
    const journal = join(copyOf(dir), 'refs.journal')
    await during((repo) => expunge(repo, { secrets: [GITHUB] }), dir)
    cpSync(journal, join(dir, 'refs.journal'))
    await during((repo) => createSession(repo), dir)
    expect(await standsIn(copyOf(dir), GITHUB)).toEqual([])
  })

  it('leaves a store that goes on where entries, and bytes that only operations name, are lost', async () => {
    const { path, lines } = transcript(2)
    writeFileSync(path, `${lines[0]}${lines[1]?.slice(0, 9)}`)
    const { dir, result: tail } = await during(async (repo) => {
      await importPaths(repo, [path])
      const head = (await repo.read((reader) => reader.ref(sourceLogRef('talk')))) as SourceHead
      appendFileSync(path, `${lines[1]?.slice(9)}`)
      await importPaths(repo, [path])
      const id = await createSession(repo)
      await append(repo, id, says(...Array.from({ length: 20 }, (_, n) => `says ${n}`)))
      return head.tail[0] as string
    })
    rmSync(path)
    await spoil(dir, blobKey(Buffer.from(tail, 'hex')))
    await spoil(dir, pageKey(0))
    expect((await repair(dir)).done?.after.findings).toEqual([])
    await during(async (repo) => {
      const id = await createSession(repo)
      const [oid = ''] = await append(repo, id, says('goes on', 'and is private, all of it, for ever'))
      await expunge(repo, { entries: [oid], force: true })
      await gc(repo, { operations: 0, grace: 0 })
      expect((await fsck(repo)).findings).toEqual([])
    }, dir)
  })

  it('begins new logs afterwards: none gets other records in the place of lost ones', async () => {
    const { dir, older, id } = await appended()
    const former = nativeRefIn(dir, id)
    const head = (await refIn(dir, former)) as NativeHead
    rollBack(dir, older)
    await repair(dir)
    await during((repo) => append(repo, id, says('said instead')), dir)
    const next = (await refIn(dir, nativeRefIn(dir, id))) as NativeHead
    expect([head.count, next.log === head.log]).toEqual([2, false])
    expect(nativeRefIn(dir, id)).not.toBe(former)
  })

  it.each(['with', 'without'])(
    'names the lost records that a fork shares, once: %s its original',
    async (kept) => {
      const { dir, result } = await during(async (repo) => {
        const id = await createSession(repo)
        await append(repo, id, says('said before', 'and then'))
        const forked = await fork(repo, id)
        const head = (await repo.read((reader) => reader.ref(nativesRef(id, reader.writer)))) as NativeHead
        if (kept === 'without') await removeSessions(repo, [id])
        return { log: head.log, fork: forked.session }
      })
      await removePair(dir, segmentKey(result.log, 0))
      const { before, done } = await repair(dir)
      const found = before.findings.filter(({ refs }) => refs.includes(result.fork))
      expect(found.map(({ code }) => code)).toEqual(['log'])
      expect(found[0]?.message).toContain(`records of the log ${result.log} are missing`)
      expect(done?.lost).toContain(metaRef(result.fork))
      expect(done?.after.findings).toEqual([])
      expect(await refIn(dir, metaRef(result.fork))).toMatchObject({ fork: { base: [[result.log, 0]] } })
      expect(await repair(dir)).toMatchObject({ before: { findings: [] }, done: null })
      const text = await exported(dir, result.fork)
      for (const said of ['said before', 'and then']) expect(text).toContain(said)
    },
  )

  it('is needed still where it was killed once the database had been replaced, and loses nothing then', async () => {
    const { dir, result: id } = await saying('said')
    const backup = copyOf(dir)
    for (const name of readdirSync(join(dir, 'db.1')))
      if (/\.(?:ldb|log)$/.test(name)) writeFileSync(join(dir, 'db.1', name), new Uint8Array(2000))
    rmSync(join(dir, 'refs.journal'))
    await rebuildDatabase(dir, 0)
    await during(
      async (repo) =>
        expect((await fsck(repo)).findings.map(({ message }) => message)).toEqual([
          'an earlier repair did not finish',
        ]),
      copyOf(dir),
    )
    const other = copyOf(dir)
    const { before, done } = await repair(dir, backup)
    expect(before.findings.map(({ code }) => code)).toEqual(['database'])
    // With the journal the end of the database may be lost, whatever the backup has.
    expect(done?.after.findings.map(({ message: text }) => text)).toEqual([
      'its journal has lost its end too: what was written last may be missing',
    ])
    expect(await exported(dir, id)).toContain('said')
    expect(readdirSync(dir)).not.toContain('repair.json')
    expect((await repair(dir)).done).toBeNull()

    const [lost] = (await repair(other)).done?.after.findings ?? []
    expect(lost?.message).toBe('nothing in it could be read')
    expect((await repair(other)).done).toBeNull()
  })

  it.each([...['', '[', 'null', '{"lost":[{}],"known":"x"}', '{"operation":-1,"damaged":1e999}'].entries()])(
    'reads what a record of a repair should hold, whatever it holds: %i',
    async (_, text) => {
      const { dir, result: id } = await during((repo) => createSession(repo, { title: 'kept' }))
      writeFileSync(join(dir, 'repair.json'), text)
      const { done } = await repair(dir)
      expect(done?.after.findings).toEqual([])
      expect(await refIn(dir, metaRef(id))).toMatchObject({ title: 'kept' })
      expect(readdirSync(dir)).not.toContain('repair.json')
    },
  )

  it('is repeated where it was killed before the new database had its name', async () => {
    const { dir, result: id } = await during((repo) => createSession(repo, { title: 'kept' }))
    const copy = copyOf(dir)
    await rebuildDatabase(copy, 0)
    cpSync(join(copy, 'repair.json'), join(dir, 'repair.json'))
    writeFileSync(join(dir, 'generation'), '2')
    const { done } = await repair(dir)
    expect(done?.after.findings).toEqual([])
    expect(await refIn(dir, metaRef(id))).toMatchObject({ title: 'kept' })
    expect((await repair(dir)).done).toBeNull()
  })

  it('names what an earlier repair found lost that was killed before it could', async () => {
    const { dir } = await appended()
    await rebuildDatabase(dir, 0)
    const record = JSON.parse(readFileSync(join(dir, 'repair.json'), 'utf8')) as JsonObject
    writeFileSync(join(dir, 'repair.json'), JSON.stringify({ ...record, lost: [nativesRef('s', 'w')] }))
    expect((await repair(dir)).done?.lost).toEqual([nativesRef('s', 'w')])
    expect((await repair(dir)).done).toBeNull()
  })

  it('takes as much of a log as a backup has, for each of the forks that share it', async () => {
    const { dir, result } = await during(async (repo) => {
      const id = await createSession(repo)
      await append(repo, id, says('one', 'two'))
      const first = await fork(repo, id)
      const head = (await repo.read((reader) => reader.ref(nativesRef(id, reader.writer)))) as NativeHead
      return { id, log: head.log, first: first.session }
    })
    const backup = copyOf(dir)
    const { result: second } = await during(async (repo) => {
      await append(repo, result.id, says('three', 'four'))
      return (await fork(repo, result.id)).session
    }, dir)
    const base = async (session: string): Promise<unknown> =>
      ((await refIn(dir, metaRef(session))) as SessionMeta).fork?.base.map(([, count]) => count)
    for (const [key] of await pairsOf(dir)) if (key[0] === SPACE.log) await removePair(dir, key)
    const name = nativeRefIn(dir, result.id)
    const { done } = await repair(dir, backup)
    expect(done?.lost).toEqual([name, metaRef(second)])
    expect([await base(result.first), await base(second)]).toEqual([[2], [2]])
    expect(done?.after.findings).toEqual([])
    expect((await repair(dir, backup)).done).toBeNull()
    for (const said of ['one', 'four']) expect(await exported(dir, second)).toContain(said)
  })

  it('reads a store as it was before records were lost, without their times', async () => {
    const { dir, id } = await appended()
    await spoil(dir, segmentKey(((await refIn(dir, nativeRefIn(dir, id))) as NativeHead).log, 0))
    await repair(dir)
    const { result: past } = await during(
      async (repo) => {
        const texts: unknown[] = []
        for await (const { text } of log(repo, id)) texts.push(text)
        return texts
      },
      dir,
      { atOperation: '2' },
    )
    expect(past.length).toBeGreaterThan(0)
  })

  it('keeps the damaged database where it was killed before it moved it', async () => {
    const { dir, result: id } = await during((repo) => createSession(repo, { title: 'kept' }))
    const { aside } = await rebuildDatabase(dir, 0)
    renameSync(join(aside, 'database'), join(dir, 'db.1'))
    await during(async (repo) => expect((await fsck(repo)).findings).toHaveLength(1), dir, { tolerant: true })
    expect(readdirSync(dir)).toContain('db.1')
    const { done } = await repair(dir)
    expect(done?.after.findings).toEqual([])
    const kept = readdirSync(join(dir, 'broken'), { recursive: true, encoding: 'utf8' })
    expect(kept.filter((name) => /\/(?:database|db\.1)$/.test(name))).toHaveLength(2)
    expect(await refIn(dir, metaRef(id))).toMatchObject({ title: 'kept' })
  })

  it('drops a head of another writer that this store appends to again', async () => {
    const { dir: original, result: id } = await saying('said before')
    const dir = copyOf(original)
    await during((repo) => append(repo, id, says('said in the copy')), dir)
    const [kept, own] = [nativeRefIn(original, id), nativeRefIn(dir, id)]
    const before = (await refIn(original, kept)) as NativeHead
    const after = (await refIn(dir, own)) as NativeHead
    expect(await refIn(dir, kept)).toEqual(before)
    await removePair(dir, segmentKey(after.log, 0))
    const { done } = await repair(dir)
    expect(done?.lost).toContain(own)
    expect([await refIn(dir, own), await refIn(dir, kept)]).toEqual([undefined, before])
    await during((repo) => append(repo, id, says('said afterwards')), dir)
    expect(await refIn(dir, kept)).toEqual(before)
    expect(await refIn(dir, own)).toBeUndefined()
  })

  it('expects no values of before an operation that was lost: that may have moved any ref', async () => {
    const { dir, result: id } = await during(async (repo) => {
      const made = await createSession(repo, { title: 'one' })
      for (const title of ['two', 'three']) await renameSession(repo, made, title)
      return made
    })
    await removePair(dir, operationKey(3))
    rmSync(join(dir, 'refs.journal'))
    const { before, done } = await repair(dir)
    expect(before.findings.map(({ code }) => code)).toEqual(['operation'])
    expect(done?.after.findings.map(({ code }) => code)).toEqual(['database'])
    expect(await refIn(dir, metaRef(id))).toMatchObject({ title: 'three' })
    expect((await repair(dir)).before.findings).toEqual([])
  })
})
