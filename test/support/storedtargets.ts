import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, crc32 } from 'node:zlib'
import { digestOf, oidOfEntry } from '../../src/model/encoding/entry.ts'
import { logId, type WriterId } from '../../src/model/record.ts'
import type { RefName } from '../../src/model/refname.ts'
import { NO_WEIGHT } from '../../src/model/tokens.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { createBranch } from '../../src/ops/branch.ts'
import { setLabel } from '../../src/ops/label.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { resolveTarget } from '../../src/repo/revision.ts'
import { wellFormed } from '../../src/storage/ioerrors.ts'
import { lastCommit, readJournal, recentlyMoved } from '../../src/storage/journal.ts'
import { appendJournal } from '../../src/storage/journalwriter.ts'
import { decodeItems } from '../../src/storage/levelbackend/block.ts'
import { CommitEncoder, decodeCommits } from '../../src/storage/levelbackend/commitlog.ts'
import { compressNow, decompress } from '../../src/storage/levelbackend/compression.ts'
import { EntryPage } from '../../src/storage/levelbackend/entrypage.ts'
import { decodeEntryPage, encodeEntryPage } from '../../src/storage/levelbackend/entrypagecodec.ts'
import { decodeSegment, encodeSegment } from '../../src/storage/levelbackend/recordsegment.ts'
import { decodeRef, encodeRef } from '../../src/storage/levelbackend/refs.ts'
import { NO_ROW } from '../../src/storage/levelbackend/rows.ts'
import type { StoredRecord } from '../../src/storage/levelbackend/storedrecord.ts'
import { damaged, fromFile } from './damaged.ts'
import { newFolder } from './folder.ts'
import type { Target } from './fuzztargets.ts'
import { SOURCES, TEXT } from './sourcetargets.ts'
import { openRepo } from './store.ts'

/** Something that decodes what a store or a file holds, and what to begin with. */
export interface StoredTarget extends Target {
  readonly seeds: () => readonly Buffer[]
}

const decodes =
  (decode: (bytes: Uint8Array) => unknown) =>
  (bytes: Uint8Array): void => {
    try {
      decode(bytes)
    } catch (error) {
      damaged(error)
    }
  }

const body = { role: 'user', content: 'the tide turns' }
const digest = digestOf(body)
const ENTRY = { parents: [], type: 'sess/message', digest, links: {} }
const OID = oidOfEntry(ENTRY)

const RECORDS: readonly StoredRecord[] = [
  {
    row: 0,
    tip: 0,
    time: 1_770_000_000_000,
    native: 'u1',
    usage: { input: 5, output: 2 },
    lead: Buffer.from('\n'),
    content: { raw: [Buffer.from('no JSON')] },
  },
  {
    row: 1,
    tip: 1,
    time: 1_770_000_000_001,
    usage: { cacheWrite: 9, cacheWriteLong: 4, cost: 0.5 },
    lead: Buffer.of(),
    content: { shape: '{"a":1}', values: [{ b: [1.5, null, 'x'] }], spelling: 'p' },
  },
  {
    row: NO_ROW,
    tip: NO_ROW,
    lead: Buffer.of(),
    content: { shape: '{"a":1,"b":1}', values: [true, 1e300], spelling: '' },
  },
]

function aRun(): Buffer {
  const run = new EntryPage(0, 40)
  for (let row = 0; row < 40; row++) {
    if (row % 7 === 3) {
      run.skip()
      continue
    }
    const parents = row === 0 ? [] : row % 5 === 0 ? [row - 1, row - 2] : [row - 1]
    const near = [NO_ROW, NO_ROW, NO_ROW, NO_ROW]
    const traits = row % 3
    const slot = {
      row,
      parents,
      type: `claude/${row % 2 ? 'user' : 'assistant'}`,
      traits,
      digest,
      links: row === 9 ? { target: 2 } : {},
      depth: row,
      weight: { ...NO_WEIGHT, tokens: 10 * row },
      jump: Math.max(0, row - 2),
      merge: NO_ROW,
      near,
      block: 1,
      index: row,
    }
    run.add(slot, OID, () => OID)
  }
  return Buffer.from(encodeEntryPage(run))
}

const LOG = logId('0123456789abcdef' as WriterId, 1)

function aCommit(): Buffer {
  const commit = new CommitEncoder()
  commit.put({ key: Buffer.from('r!x'), value: Buffer.from('v') })
  commit.body(1, Buffer.from('a body'))
  commit.blob(2, Buffer.from('a blob'), Buffer.from('b!y'))
  commit.entry(
    {
      ...ENTRY,
      row: 3,
      parents: [2],
      traits: 0,
      depth: 3,
      weight: NO_WEIGHT,
      jump: 1,
      merge: NO_ROW,
      near: [NO_ROW, 1, 2, NO_ROW],
      block: 1,
      index: 0,
    },
    OID,
  )
  RECORDS.forEach((record, i) => {
    commit.record(LOG, i, record)
  })
  return Buffer.from(commit.bytes)
}

const readsCommits = decodes((bytes) =>
  decodeCommits(bytes, { put: () => 0, body: () => 0, blob: () => 0, entry: () => 0, record: () => 0 }),
)

const summed = (line: string): string => `${crc32(line).toString(16).padStart(8, '0')} ${line}`

const journal: StoredTarget = {
  name: 'journal',
  seeds: () => {
    const dir = newFolder()
    for (const [operation, length] of [
      [1, 3],
      [2, 9000],
    ] as const)
      appendJournal(dir, {
        operation,
        commit: operation,
        refs: [[`sessions/s/branches/b${operation}` as RefName, 'x'.repeat(length)]],
      })
    return [readFileSync(join(dir, 'refs.journal'))]
  },
  take: (bytes) =>
    fromFile('refs.journal', bytes, (_, dir) => {
      readJournal(dir)
      lastCommit(dir)
      recentlyMoved(dir)
    }),
}

const journalLine: StoredTarget = {
  name: 'journal line',
  seeds: () => [
    Buffer.from('[1,1,["s/b","x"],["s/c",null]]'),
    Buffer.from(
      `[2,2,"${Buffer.from(compressNow(Buffer.from(`[["a","${'x'.repeat(500)}"]]`), 5)).toString('base64')}"]`,
    ),
  ],
  take: (bytes) => {
    const lines = Buffer.from(bytes).toString().split('\n').map(summed).join('\n')
    fromFile('refs.journal', Buffer.from(`\n${lines}`), (_, dir) => {
      readJournal(dir)
      lastCommit(dir)
      recentlyMoved(dir)
    })
  },
}

/** Opens a store with titles, branches and labels that revisions may name; it is closed after the test. */
async function named(): Promise<Repo> {
  const repo = await openRepo()
  for (const title of ['Tides', 'a/b', 'HEAD~1', '@']) {
    const id = await createSession(repo, { title })
    await append(repo, id, [{ body }, { body: { role: 'assistant', content: title } }])
    await createBranch(repo, id, 'try/again')
    await setLabel(repo, 'here', id)
  }
  return repo
}

let store: Promise<Repo> | undefined

const revision: StoredTarget = {
  name: 'revision',
  seeds: () =>
    [
      'Tides~1',
      'a/b/try/again^2',
      'Tides/HEAD@{1}',
      '@~2^1',
      'Tides:u1',
      'deadbeef',
      `${OID}^0`,
      'HEAD~1',
    ].map((text) => Buffer.from(text)),
  take: async (bytes) => {
    store ??= named()
    const repo = await store
    try {
      await repo.read((backend) => resolveTarget(backend, Buffer.from(bytes).toString()))
    } catch (error) {
      damaged(error)
    }
  },
}

/** All that decodes what is stored, or a file of another making than lines. */
export const STORED: readonly StoredTarget[] = [
  { name: 'run', seeds: () => [aRun()], take: decodes((bytes) => decodeEntryPage(0, bytes)) },
  { name: 'wal', seeds: () => [aCommit()], take: readsCommits },
  {
    name: 'segment',
    seeds: () => [Buffer.from(encodeSegment(RECORDS))],
    take: decodes((bytes) => wellFormed('a segment', () => decodeSegment(bytes))),
  },
  {
    name: 'ref',
    seeds: () =>
      [{ oid: OID, log: 1, hash: 'ab'.repeat(16), count: 3, tail: [[1, 2]] }, OID].map((value) =>
        Buffer.from(encodeRef(value)),
      ),
    take: (bytes) => {
      try {
        decodeRef(bytes)
      } catch (error) {
        if (!(error instanceof Error)) throw error
      }
    },
  },
  {
    name: 'block',
    seeds: () => [
      Buffer.from(compressNow(Buffer.from(TEXT), 5)),
      Buffer.concat([Buffer.of(1, 255, 255, 255, 255), brotliCompressSync(TEXT)]),
    ],
    take: decodes((bytes) => decodeItems(decompress(bytes))),
  },
  revision,
  journal,
  journalLine,
  ...SOURCES,
]
