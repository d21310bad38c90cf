import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { LogId } from '../../../src/model/record.ts'
import { branchRef, graftRef, labelRef, metaRef, sourceLogRef } from '../../../src/model/refname.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import type { Finding } from '../../../src/ops/fsck/finding.ts'
import { fsck } from '../../../src/ops/fsck/fsck.ts'
import { importPaths } from '../../../src/ops/import/import.ts'
import { reindex } from '../../../src/ops/indexing.ts'
import { getSession, type NativeHead } from '../../../src/repo/session.ts'
import { renewList } from '../../../src/repo/sessionlist.ts'
import { addChecksum, removeChecksum } from '../../../src/storage/checksum.ts'
import { lastWriter } from '../../../src/storage/directory/identity.ts'
import type { EntryPage } from '../../../src/storage/levelbackend/entrypage.ts'
import { decodeEntryPage, encodeEntryPage } from '../../../src/storage/levelbackend/entrypagecodec.ts'
import {
  oidKey,
  operationKey,
  pageKey,
  refKey,
  SPACE,
  segmentKey,
} from '../../../src/storage/levelbackend/keys.ts'
import { newFolder } from '../../support/folder.ts'
import { nativeOf, nativeRefIn } from '../../support/nativelogs.ts'
import { changePair, pairsOf } from '../../support/pairs.ts'
import { openRepo } from '../../support/store.ts'
import { answered, asked, claudeLines } from '../../support/transcripts.ts'

const GONE = 'ab'.repeat(32) as Oid

/** A store with a session of twenty entries, and one that was imported. */
interface Made {
  readonly dir: string
  readonly id: string
  readonly oids: readonly Oid[]
  readonly talk: string
  /** The log of the first session's appends. */
  readonly log: LogId
}

async function made(): Promise<Made> {
  const repo = await openRepo()
  const id = await createSession(repo)
  const says = Array.from({ length: 20 }, (_, i) => ({ body: { role: 'user', content: `says ${i}` } }))
  const oids = await append(repo, id, says)
  const file = join(newFolder(), 'talk.jsonl')
  writeFileSync(file, claudeLines('talk', asked('q', null), answered('a', 'q')).join(''))
  const { files } = await importPaths(repo, [file])
  const { log } = nativeOf(await repo.read((reader) => getSession(reader, id))) as NativeHead
  await repo.close()
  return { dir: repo.dir, id, oids, talk: files[0]?.session ?? '', log }
}

const inRun = (dir: string, change: (run: EntryPage) => void): Promise<void> =>
  changePair(dir, pageKey(0), (value) => {
    const run = decodeEntryPage(0, removeChecksum(pageKey(0), value, 'the run'))
    change(run)
    return addChecksum(pageKey(0), encodeEntryPage(run))
  })

const spoilt = (dir: string, key: Uint8Array): Promise<void> =>
  changePair(dir, key, (value) => value.map((byte, i) => (i === value.length - 1 ? byte ^ 1 : byte)))

/** Moves a ref as no command does. */
async function moved(dir: string, name: string, change: (value: never) => unknown): Promise<void> {
  const repo = await openRepo(dir)
  await repo.write({}, async ({ reader, move }) => {
    const before = await reader.ref(name as never)
    move(name as never, before, change(before as never) as never)
  })
  await repo.close()
}

/** The largest file of a store's database. */
const largest = (dir: string): string => {
  const names = readdirSync(join(dir, 'db.1')).filter((name) => /\.(?:log|ldb)$/.test(name))
  const sizes = names.map((name) => [statSync(join(dir, 'db.1', name)).size, name] as const)
  return join(dir, 'db.1', sizes.sort(([one], [other]) => other - one)[0]?.[1] ?? '')
}

interface Case {
  readonly code: string
  readonly damage: (store: Made) => unknown
  /** The finding: its subject, the damaged refs, the last intact entry. */
  readonly says: (store: Made) => readonly [subject: string, refs: readonly string[], lastGood: Oid | null]
}

/** One entry is damaged, on the path of a branch behind another. */
const atEntry = (code: string, n: number, change: (run: EntryPage) => void): Case => ({
  code,
  damage: ({ dir }) => inRun(dir, change),
  says: ({ id, oids }) => [oids[n] as Oid, [`${id}/main`], oids[n - 1] as Oid],
})

const CASES: readonly Case[] = [
  atEntry('jump', 18, (run) => void (run.jump[18] = 18)),
  atEntry('weight', 19, (run) => void (run.tokens[19] = 1000)),
  atEntry('depth', 19, (run) => void (run.depth[19] = 7)),
  atEntry('near', 19, (run) => void ((run.near[0] as Float64Array)[19] = 5)),
  atEntry('traits', 19, (run) => void (run.traits[19] = 2)),
  {
    code: 'order',
    damage: ({ dir }) => inRun(dir, (run) => void (run.first[18] = 19)),
    says: () => ['row 18', [], null],
  },
  {
    code: 'entry',
    damage: ({ dir }) => inRun(dir, (run) => void (run.index[19] = 99)),
    says: ({ id, oids }) => [oids[19] as Oid, [`${id}/main`], oids[18] as Oid],
  },
  {
    code: 'body',
    damage: ({ dir }) => inRun(dir, (run) => void (run.index[19] = run.index[18] as number)),
    says: ({ id, oids }) => [oids[19] as Oid, [`${id}/main`], oids[18] as Oid],
  },
  {
    code: 'missing',
    damage: ({ dir, id }) => moved(dir, branchRef(id, 'main'), () => GONE),
    says: ({ id, oids }) => [`${id}/main`, [`${id}/main`], oids[19] as Oid],
  },
  {
    code: 'missing',
    damage: ({ dir, id }) => moved(dir, labelRef(id, 'here'), () => GONE),
    says: ({ id }) => [`${id}/here`, [`${id}/here`], null],
  },
  {
    code: 'missing',
    damage: ({ dir, oids }) =>
      moved(dir, graftRef(oids[0] as Oid), () => ({ parent: GONE, native: 'x', session: 'y' })),
    says: ({ oids }) => [graftRef(oids[0] as Oid), [graftRef(oids[0] as Oid)], null],
  },
  {
    code: 'graft',
    damage: ({ dir, oids }) =>
      moved(dir, graftRef(oids[0] as Oid), () => ({ parent: oids[3] as Oid, native: 'x', session: 'y' })),
    says: ({ id, oids }) => [graftRef(oids[0] as Oid), [`${id}/main`], null],
  },
  {
    code: 'log',
    damage: ({ dir, id }) => moved(dir, nativeRefIn(dir, id), (head: object) => ({ ...head, count: 21 })),
    says: ({ dir, id, oids }) => [id, [`${id}/natives/${lastWriter(dir)}`], oids[19] as Oid],
  },
  {
    code: 'log',
    damage: ({ dir, log }) => spoilt(dir, segmentKey(log, 0)),
    says: ({ dir, id }) => [id, [`${id}/natives/${lastWriter(dir)}`], null],
  },
  {
    code: 'source',
    damage: ({ dir, talk }) => moved(dir, sourceLogRef(talk), (head: object) => ({ ...head, sha256: GONE })),
    says: ({ talk }) => [talk, [`${talk}/source`], null],
  },
  {
    code: 'ref',
    damage: ({ dir, talk }) => spoilt(dir, refKey(metaRef(talk))),
    says: () => ['the refs', [], null],
  },
  {
    code: 'operation',
    damage: ({ dir }) => spoilt(dir, operationKey(2)),
    says: () => ['the operation log', [], null],
  },
  {
    code: 'journal',
    damage: ({ dir }) => {
      const path = join(dir, 'refs.journal')
      // In front of the others: all of them may be one, and the last may be torn without anything being hurt.
      writeFileSync(path, `\n00000000 [1,1]${readFileSync(path, 'utf8')}`)
    },
    says: () => ['refs.journal', [], null],
  },
  {
    code: 'folder',
    damage: ({ dir }) => rmSync(join(dir, 'generation')),
    says: () => ['generation', [], null],
  },
  {
    code: 'database',
    damage: ({ dir }) => rmSync(join(dir, 'db.1', 'CURRENT')),
    says: () => ['the database', [], null],
  },
  {
    code: 'index',
    damage: ({ dir, oids }) => changePair(dir, oidKey(oids[5] as Oid), () => Uint8Array.of(99)),
    says: ({ id, oids }) => [oids[5] as Oid, [`${id}/main`], oids[4] as Oid],
  },
  {
    code: 'file',
    damage: ({ dir }) => {
      const path = largest(dir)
      const bytes = readFileSync(path)
      bytes[bytes.length >> 2]! ^= 1
      writeFileSync(path, bytes)
    },
    says: ({ dir }) => [basename(largest(dir)), [], null],
  },
]

it.each(CASES)(
  'a finding of $code names what is hurt, the last that is whole, and what to type',
  async ({ code, damage, says }) => {
    const store = await made()
    const repo = await openRepo(store.dir, { tolerant: true })
    expect((await fsck(repo)).findings).toEqual([])
    await repo.close()
    await damage(store)
    const again = await openRepo(store.dir, { tolerant: true })
    const { ok, findings } = await fsck(again)
    expect(ok).toBe(false)
    const [subject, refs, lastGood] = says(store)
    const found = findings.filter((one) => one.code === code)
    expect(found).toContainEqual({
      code,
      subject,
      message: expect.any(String) as string,
      refs,
      lastGood,
    } satisfies Finding)
  },
)

it.each([
  ['source', 'the store is damaged: a cached value fails its checksum'],
  ['coverage', 'the store is damaged: a cached value fails its checksum'],
  ['list', 'the store is damaged: a cached value fails its checksum'],
  ['words', 'the store is damaged: the word index at 0 fails its checksum'],
] as const)('a value of the keyspace %s that is not as it was written is found', async (space, message) => {
  const store = await made()
  const repo = await openRepo(store.dir)
  await append(
    repo,
    store.id,
    Array.from({ length: 200 }, () => ({ body: { role: 'user', content: 'Hi' } })),
  )
  await renewList(repo)
  await reindex(repo)
  await repo.close()
  const [key] = (await pairsOf(store.dir)).find(([one]) => one[0] === SPACE[space]) ?? []
  await changePair(store.dir, key as Uint8Array, (value) => value.subarray(1))
  const again = await openRepo(store.dir, { tolerant: true })
  const found = (await fsck(again)).findings.map((one) => [one.code, one.subject, one.message])
  expect(found).toContainEqual(['index', 'the index', message])
})
