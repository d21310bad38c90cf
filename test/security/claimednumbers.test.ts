import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeStored, encode } from '../../src/model/encoding/canonical.ts'
import type { Operation } from '../../src/model/operation.ts'
import { append, createSession } from '../../src/ops/append/append.ts'
import { fsck } from '../../src/ops/fsck/fsck.ts'
import { repairStore } from '../../src/ops/fsck/repairstore.ts'
import { gc } from '../../src/ops/gc.ts'
import { operations } from '../../src/ops/operations.ts'
import type { Repo } from '../../src/repo/repo.ts'
import { listedIn, renewList } from '../../src/repo/sessionlist.ts'
import type { SessionList } from '../../src/storage/backend.ts'
import { addChecksum, removeChecksum } from '../../src/storage/checksum.ts'
import { readGeneration } from '../../src/storage/directory/generation.ts'
import { journalPath } from '../../src/storage/journal.ts'
import { decompress } from '../../src/storage/levelbackend/compression.ts'
import type { EntryPage } from '../../src/storage/levelbackend/entrypage.ts'
import { decodeEntryPage, encodeEntryPage } from '../../src/storage/levelbackend/entrypagecodec.ts'
import {
  blockKey,
  COMMIT_LOG,
  COUNTERS,
  type Key,
  operationKey,
  pageKey,
  prefixEnd,
  SPACE,
  segmentKey,
  spaceKey,
} from '../../src/storage/levelbackend/keys.ts'
import { operationPut } from '../../src/storage/levelbackend/operations.ts'
import { decodeRef, encodeRef } from '../../src/storage/levelbackend/refs.ts'
import { newLevel } from '../../src/storage/leveldb/database.ts'
import { ByteWriter } from '../../src/storage/varint.ts'
import { sampled } from '../support/amount.ts'
import { expectFailure } from '../support/errors.ts'
import { Shell } from '../support/shell.ts'
import { openRepo, quietEnv } from '../support/store.ts'

type Database = ReturnType<typeof newLevel>

const REPAIR = { env: quietEnv(), command: 'sess fsck --repair' } as const
const says = (content: string) => [{ body: { role: 'user', content } }]

async function during<T>(dir: string, work: (repo: Repo) => Promise<T>): Promise<T> {
  const repo = await openRepo(dir)
  try {
    return await work(repo)
  } finally {
    await repo.close()
  }
}

/** A store whose database is changed by somebody who keeps to its format: checksums match. */
async function claiming(
  change: (level: Database, dir: string) => unknown,
): Promise<{ readonly shell: Shell; readonly dir: string; readonly id: string }> {
  const shell = new Shell({ samples: false })
  const dir = shell.path('.sess')
  const id = await during(dir, async (repo) => {
    const made = await createSession(repo, { title: 'tea' })
    for (const text of ['green', 'black', 'white']) await append(repo, made, says(text))
    await gc(repo, { grace: 0, operations: 0 })
    return made
  })
  const level = newLevel(join(dir, `db.${readGeneration(dir)}`), false)
  await level.open()
  await change(level, dir)
  await level.close()
  return { shell, dir, id }
}

const put = (level: Database, key: Key, content: Uint8Array): Promise<void> =>
  level.put(key, addChecksum(key, content))

const contentOf = async (level: Database, key: Key): Promise<Uint8Array> =>
  removeChecksum(key, await level.get(key), 'a value')

async function keysOf(level: Database, space: number): Promise<Key[]> {
  return level.keys({ gte: spaceKey(space), lt: prefixEnd(spaceKey(space)) }).all()
}

/** Sets a counter by its place in the list. */
const count = (at: number, value: number) => async (level: Database) => {
  const counters = [...(decodeStored(await contentOf(level, COUNTERS)) as (number | string)[])]
  while (counters.length <= at) counters.push(0)
  counters[at] = value
  if (at === 6) counters[7] = '0'.repeat(32)
  await put(level, COUNTERS, encode(counters))
}

const operation = (number: number): Operation => ({
  number,
  id: 'ab'.repeat(16),
  time: 1e300,
  who: 'mallory',
  actor: 'program',
  command: 'sess x',
  moves: [],
})

const putOperation = async (level: Database, number: number): Promise<void> => {
  const { key, value } = operationPut(operation(number))
  await level.put(key, value as Uint8Array)
}

const varints = (...numbers: readonly number[]): Uint8Array => {
  const sink = new ByteWriter()
  for (const number of numbers) sink.varint(number)
  return sink.view().slice()
}

const journalled = (text: string) => (_: Database, dir: string) =>
  appendFileSync(journalPath(dir), `\n${crc32(text).toString(16).padStart(8, '0')} ${text}`)

/** Copies the first value of a keyspace to another key. */
const copied = (space: number, to: (key: Key) => Key) => async (level: Database) => {
  const [key] = await keysOf(level, space)
  await put(level, to(key as Key), await contentOf(level, key as Key))
}

/** Changes all entries of the first page, from one of them on. */
const paged = (from: number, change: (page: EntryPage, i: number) => void) => async (level: Database) => {
  const [key] = await keysOf(level, SPACE.page)
  const page = decodeEntryPage(0, await contentOf(level, key as Key))
  for (let i = from; i < page.count; i++) change(page, i)
  await put(level, key as Key, encodeEntryPage(page))
}

/** Changes the number of records in the heads of native logs. */
const headed = (records: number) => async (level: Database) => {
  for (const key of await keysOf(level, SPACE.ref))
    if (Buffer.from(key).toString().includes('/natives/')) {
      const head = decodeRef(await contentOf(level, key)) as object
      await put(level, key, encodeRef({ ...head, count: records }))
    }
}

const withLog = (key: Key, number: number): Key => {
  const other = Buffer.from(key)
  other.writeUInt32BE(number, 9)
  return other
}

type Claim = readonly [claim: string, change: Parameters<typeof claiming>[0]]

const CLAIMS: readonly Claim[] = [
  ['a next row of 2^47', count(0, 2 ** 47)],
  ['a next row beyond all numbers', count(0, 2 ** 53 - 1)],
  ['a next block of 2^48', count(1, 2 ** 48)],
  ['a next log of 2^32', count(2, 2 ** 32)],
  ['a next operation of 2^47', count(3, 2 ** 47)],
  ['a next operation of 2^46, which keys would hold', count(3, 2 ** 46)],
  ['a next operation of 0', count(3, 0)],
  ['a next operation that is there', count(3, 2)],
  ['2^53 - 1 commits', count(4, 2 ** 53 - 1)],
  ['words up to the row 2^47', count(5, 2 ** 47)],
  ['2^47 dropped operations', count(6, 2 ** 47)],
  [
    'an operation 2^46 and that it is the last',
    async (level) => {
      await putOperation(level, 2 ** 46)
      await count(3, 2 ** 46 + 1)(level)
    },
  ],
  ['an operation 2^48 - 1', (level) => putOperation(level, 2 ** 48 - 1)],
  [
    'an operation with another number',
    async (level) => copied(SPACE.operation, () => operationKey(2))(level),
  ],
  ['an operation 2^47 and a commit in the journal', journalled(`[${2 ** 47},999]`)],
  ['2^48 - 1 commits in the journal', journalled(`[12,${2 ** 48 - 1}]`)],
  ['2^53 - 1 groups in the commit log', (level) => put(level, COMMIT_LOG, varints(2 ** 53 - 1))],
  ['a page at the row 2^47', copied(SPACE.page, () => pageKey(2 ** 47))],
  ['a page at the row 2^34', copied(SPACE.page, () => pageKey(2 ** 34))],
  ['a block 2^48 - 1', (level) => put(level, blockKey(2 ** 48 - 1), new Uint8Array(5))],
  ['records of a log 2^32 - 1', copied(SPACE.log, (key) => withLog(key, 2 ** 32 - 1))],
  ['entries that jump to themselves', paged(1, (page, i) => (page.jump[i] = i))],
  ['entries that jump to later ones', paged(0, (page, i) => (page.jump[i] = page.count - 1))],
  [
    'nearest ancestors that are later',
    paged(0, (page, i) => page.near.forEach((near) => (near[i] = page.count))),
  ],
  ['merges that are later', paged(0, (page, i) => (page.merge[i] = page.count))],
  ['entries with 2^47 ancestors', paged(0, (page, i) => (page.depth[i] = 2 ** 47))],
  ['a log with 2^53 - 1 records', headed(2 ** 53 - 1)],
  ['a log with -5 records', headed(-5)],
]

describe.each(sampled(CLAIMS, 9))('a store that claims %s', (_, change) => {
  it('is damaged, is repaired in the time that its content takes, and is added to then', async () => {
    const { dir, id } = await claiming(change)
    const { before, done } = await repairStore(dir, REPAIR)
    expect(before.ok).toBe(false)
    expect(done?.after.findings).toEqual([])
    await during(dir, (repo) => append(repo, id, says('mint')))
    const [checked, commands] = await during(dir, async (repo) => {
      const found: string[] = []
      for await (const { command } of operations(repo)) found.push(command)
      return [await fsck(repo), found] as const
    })
    expect(checked.findings).toEqual([])
    expect(checked.checked.entries).toBeGreaterThanOrEqual(4)
    expect(commands.length).toBeGreaterThan(1)
  })
})

describe.each<Claim>([
  ['2^47 operations', count(3, 2 ** 47)],
  ['2^46 operations', count(3, 2 ** 46)],
  [
    '2^47 rows of a session',
    async (level) => {
      for (const key of await keysOf(level, SPACE.coverage)) await put(level, key, varints(1, 0, 2 ** 47, 0))
    },
  ],
  [
    'rows of a session beyond all numbers',
    async (level) => {
      const most = 2 ** 53 - 1
      for (const key of await keysOf(level, SPACE.coverage))
        await put(level, key, varints(2, 0, most, most, most, 0))
    },
  ],
  ['a page at the row 2^34', copied(SPACE.page, () => pageKey(2 ** 34))],
])('a store with %s', (_, change) => {
  it('is read by every command as if it had what it has', async () => {
    const { shell } = await claiming(change)
    const line = 'sess append tea'
    const stdin = ['{"type":"sess/message","body":{"role":"user","content":"mint"}}\n']
    for (const command of [
      'sess ls',
      'sess log tea',
      'sess tree tea',
      'sess context tea',
      'sess op log',
      'sess reflog tea',
      'sess search green',
    ]) {
      const { code, stdout } = await shell.run(command)
      expect([command, code, stdout]).toEqual([command, 0, expect.stringMatching(/tea|green|library/)])
    }
    for (const command of ['sess undo -n', 'sess gc -n', 'sess fsck', line])
      expect([0, 1, 5]).toContain((await shell.run(command, { stdin: command === line ? stdin : [] })).code)
  })
})

it('a head that claims 2^53 - 1 records is damage, reported at once and repaired', async () => {
  const { shell, dir } = await claiming(headed(2 ** 53 - 1))
  for (const command of ['sess ls', 'sess op log', 'sess reflog tea', 'sess context tea'])
    expect((await shell.run(command)).stdout).toMatch(/tea|library|green/)
  for (const command of ['sess log tea', 'sess fsck']) {
    const { code, stdout, stderr } = await shell.run(command)
    expect([code, `${stdout}${stderr}`]).toEqual([
      5,
      expect.stringMatching(/records of the log \S+ are missing/),
    ])
  }
  await repairStore(dir, REPAIR)
  expect((await shell.run('sess log tea')).stdout).toMatch(/green/)
})

it('is added to nowhere where numbers would take the places of others', async () => {
  const { dir, id } = await claiming(count(0, 2 ** 47))
  const { message } = await expectFailure('corrupt', () => during(dir, (repo) => append(repo, id, says('x'))))
  expect(message).toBe('the store is damaged: the next row would have the number 140737488355328')
})

it('does not use a list of sessions that is later than the store', async () => {
  const { dir } = await claiming(() => undefined)
  await during(dir, async (repo) => {
    await renewList(repo, listedIn, 1)
    await createSession(repo, { title: 'pot' })
    for (const state of [{ operation: 2 ** 50 }, { operation: 2 ** 50, commits: 2 ** 50 }]) {
      await repo.write({ bulk: true }, async ({ reader, keepList }) =>
        keepList({ ...((await reader.cache.list()) as SessionList), ...state }),
      )
      expect((await repo.read((reader) => listedIn(reader, ['id']))).id.length).toBe(2)
    }
  })
})

it('is not decompressed where it claims to have more than any block', async () => {
  const packed = Buffer.alloc(1000, 1)
  packed.writeUInt32LE(2 ** 32 - 1, 1)
  await expectFailure('corrupt', () => decompress(packed))
})

it('reads no segment at a position that no key holds', () => {
  const log = `${'0'.repeat(16)}.1` as Parameters<typeof segmentKey>[0]
  expect(segmentKey(log, 2 ** 53 - 1)).toEqual(segmentKey(log, 2 ** 48 - 1))
  expect(segmentKey(log, -5)).toEqual(segmentKey(log, 0))
})
