import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { Json } from '../../../src/model/json.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import { type LogId, logId, partsOfLogId } from '../../../src/model/record.ts'
import type { RefName } from '../../../src/model/refname.ts'
import { demandsOf } from '../../../src/model/search/words.ts'
import type { SessionList } from '../../../src/storage/backend.ts'
import { DENSITIES } from '../../../src/storage/levelbackend/compression.ts'
import { SPACE } from '../../../src/storage/levelbackend/keys.ts'
import type { KeyValueDatabase } from '../../../src/storage/levelbackend/keyvalue.ts'
import { KeyValueStore } from '../../../src/storage/levelbackend/keyvaluestore.ts'
import { LevelBackend } from '../../../src/storage/levelbackend/levelbackend.ts'
import { LogWriter } from '../../../src/storage/levelbackend/recordlogs.ts'
import { ZONE_RECORDS } from '../../../src/storage/levelbackend/zonemap.ts'
import { Rewrite } from '../../../src/storage/rewrite/rewrite.ts'
import { NONE_DROPPED } from '../../../src/storage/rewrite/scope.ts'
import { ALL } from '../../support/amount.ts'
import { type Memory, memory } from '../../support/memory.ts'
import { add } from '../../support/store.ts'

const open = (level: Memory): LevelBackend => new LevelBackend(level, { durable: false, existing: true })

/** Each is made by a transaction of its own, all in bulk but the last one. */
const SESSIONS = ['first', 'second', 'last'] as const

/** The number of the log that is long enough for a zone. */
const LONG = 1

/** Makes a database that holds some of everything, and gives the oids of its entries. */
async function filled(): Promise<{ level: Memory; oids: Oid[] }> {
  const level = await memory()
  const backend = new LevelBackend(level, { durable: false })
  const oids: Oid[] = []
  let before: { handle: EntryHandle; oid: Oid }[] = []
  for (const name of SESSIONS) {
    const bulk = name !== 'last'
    const entries: EntryHandle[] = []
    const transaction = backend.begin({ bulk })
    const log = transaction.newLog()
    for (let i = 0; i < 6; i++) {
      const body = i % 2 === 0 ? { i, name } : { i, name, text: `large ${i} `.repeat(400) }
      const entry = add(transaction, body, ...before)
      transaction.appendRecord(log, i, {
        entry: entry.handle,
        tip: entry.handle,
        time: i,
        native: `n${i}`,
        lead: Uint8Array.of(10),
        content: { shape: '{"id":1}', values: [`value ${i}`], spelling: '' },
      })
      before = [entry]
      oids.push(entry.oid)
      entries.push(entry.handle)
    }
    if (name === 'first') {
      // So many records that they have a zone.
      const long = transaction.newLog()
      const record = {
        tip: before[0]?.handle,
        lead: Uint8Array.of(10),
        content: { shape: '{}', values: [], spelling: '' },
      }
      for (let time = 0; time < ZONE_RECORDS; time++)
        transaction.appendRecord(long, time, { ...record, time, entry: time === 7 ? record.tip : undefined })
      transaction.keepReaderState(long, {
        bytes: Uint8Array.of(1, 2, 3),
        entries: [undefined, before[0]?.handle],
      })
    }
    const moves = [{ name: `tip/${name}` as RefName, old: undefined, new: oids.at(-1)! }]
    transaction.moveRefs(moves)
    transaction.noteSource(`/path/${name}`, { name })
    if (name === 'second') {
      // Made again, the index covers each whole group: all entries of the first transaction.
      await transaction.index.clear()
      await transaction.index.update(() =>
        Promise.resolve([{ place: 'prompt', text: 'some words, said once' }]),
      )
      transaction.keepList({ operation: 1, commits: 1, sessions: 2, bytes: Buffer.from('what lists say') })
    }
    transaction.index.cover(name, { entries, time: entries.length, names: ['name'] })
    transaction.addOperation((number) => ({
      number,
      id: `${number}`,
      time: 0,
      actor: 'program',
      who: 'w',
      command: 'c',
      moves,
    }))
    await transaction.commit()
  }
  return { level, oids }
}

/** Returns how many bytes the blocks take that one transaction packs of some bodies. */
async function packed(bodies: readonly Json[], dense: boolean): Promise<number> {
  const level = await memory()
  const transaction = new LevelBackend(level, { durable: false }).begin({ bulk: true, dense })
  for (const body of bodies) add(transaction, body)
  await transaction.commit()
  const [gte, lt] = [Uint8Array.of(SPACE.block), Uint8Array.of(SPACE.block + 1)]
  let bytes = 0
  for await (const value of level.values({ gte, lt })) bytes += value.length
  return bytes
}

/** The answers of a database, or the codes of its errors. */
async function answers(level: Memory, oids: readonly Oid[]): Promise<Map<string, Json>> {
  const found = new Map<string, Json>()
  const ask = async (question: string, answer: () => unknown): Promise<void> => {
    try {
      found.set(question, (await answer()) as Json)
    } catch (error) {
      found.set(question, `error ${(error as { code?: string }).code ?? String(error)}`)
    }
  }
  let backend: LevelBackend | undefined
  await ask('open', () => {
    backend = open(level)
  })
  if (!backend) return found
  const store = backend
  const missing = -1 as EntryHandle
  // Prefetching never throws and changes no answer.
  const fetched = open(level)
  await fetched.prefetch(Array.from({ length: 600 }, (_, row) => row as EntryHandle))
  for (const oid of oids) {
    await ask(`find ${oid}`, () => store.find(oid) ?? 'error missing')
    await ask(`node ${oid}`, () => store.node(store.find(oid) ?? missing))
    await ask(`body ${oid}`, () => store.body(store.find(oid) ?? missing))
    await ask(`fetched body ${oid}`, () => fetched.body(fetched.find(oid) ?? missing))
  }
  const all = async <T>(items: AsyncIterable<T> | Iterable<T>): Promise<T[]> => {
    const list: T[] = []
    for await (const item of items) list.push(item)
    return list
  }
  for (const number of [0, LONG, 2, 3]) {
    const log = logId(store.writer, number)
    const batches = () => all(store.readLog(log, { from: 0, to: 6 }))
    await ask(`headers ${number}`, async () => (await batches()).map(({ headers }) => headers))
    await ask(`records ${number}`, async () =>
      (await batches()).map(({ records }) => records().map((record) => [record, record.content])),
    )
    await ask(`length ${number}`, () => store.logLength(log))
  }
  await ask('ranges', () => {
    const handle = store.find(oids[5]!)
    if (handle === undefined) return 'error missing'
    return store.recordRanges(logId(store.writer, LONG), ZONE_RECORDS, handle)
  })
  await ask('refs', () => all(store.refs('')))
  for (const number of [1, 2, 3]) await ask(`operation ${number}`, () => store.operation(number))
  await ask('sessions', async () =>
    (await store.index.sessions()).map(({ id, time, names, size }) => [id, time, names, size]),
  )
  for (const name of SESSIONS)
    await ask(`candidates ${name}`, async () => {
      const candidates = await store.index.lookup([[demandsOf('said once')]])
      const entries: Json[] = []
      for (const group of candidates.groups(name))
        entries.push([group.places, ...(await all(group.entries()))] as readonly Json[])
      return entries
    })
  for (const name of SESSIONS) await ask(`note ${name}`, () => store.cache.source(`/path/${name}`))
  await ask('list', () => {
    const list = store.cache.list() as SessionList | undefined
    return list ? [list.sessions, Buffer.from(list.bytes).toString()] : 'error missing'
  })
  await ask('last', () => store.operationLog().latest)
  return found
}

/** Checks that each answer is right or says that something is wrong, and gives how many say so. */
function expectRight(given: ReadonlyMap<string, Json>, right: ReadonlyMap<string, Json>): number {
  const fails = (answer: Json): boolean => answer === 'error corrupt' || answer === 'error missing'
  const answered = [...given].filter(([, answer]) => !fails(answer))
  expect(answered).toEqual(answered.map(([question]) => [question, right.get(question)]))
  return given.size - answered.length
}

/** Returns the same written anew, as gc does. */
async function anew(): Promise<{ level: Memory; oids: Oid[] }> {
  const { level: before, oids } = await filled()
  const level = await memory()
  const backend = open(before)
  const logs = new Map<LogId, number>()
  for await (const [log, count] of backend.logs()) logs.set(log, count)
  const kept = { entries: { has: () => true }, logs, blobs: [], dropped: NONE_DROPPED }
  await backend.copyInto(new Rewrite('', new KeyValueStore(level, () => undefined), DENSITIES.best), kept)
  return { level, oids }
}

/** By how a database was made, which kinds of keys it lacks. */
const MADE = [
  ['as it was added to', filled, []],
  ['written anew', anew, [SPACE.commit, SPACE.reader]],
] as const

describe.each(MADE)('a database in which a byte is wrong, %s,', (_, make, lacks) => {
  it('gives the right answer or an error, never a wrong one, and verify or a read tells', async () => {
    const { level, oids } = await make()
    const right = await answers(level, oids)
    for (const answer of right.values()) expect(JSON.stringify(answer) ?? '').not.toContain('error')
    const pairs: [Uint8Array, Uint8Array][] = []
    for await (const [key, value] of level.iterator()) pairs.push([key, value])
    const spaces = Object.values(SPACE).filter((space) => !(lacks as readonly number[]).includes(space))
    expect(new Set(pairs.map(([key]) => key[0]))).toEqual(new Set(spaces))
    for (const [i, [key, value]] of pairs.entries()) {
      const places = [...new Set([0, 7, 8, value.length >> 1, value.length - 1])]
      // Two of the places in each value, others than in the next one.
      for (const at of ALL ? places : [0, 2].map((step) => places[(i + step) % places.length]!)) {
        if (at >= value.length) continue
        const hurt = value.slice()
        hurt[at]! ^= 1 << (at % 8)
        await level.put(key, hurt)
        const given = await answers(level, oids)
        const wrong = expectRight(given, right)
        const told: string[] = []
        if (given.get('open') === undefined) for await (const line of open(level).verify()) told.push(line)
        expect(wrong + told.length).toBeGreaterThan(0)
      }
      await level.put(key, value)
    }
  })

  it('gives the right answer or an error where a value is missing or lies under another key', async () => {
    const { level, oids } = await make()
    const right = await answers(level, oids)
    const pairs: [Uint8Array, Uint8Array][] = []
    for await (const [key, value] of level.iterator()) pairs.push([key, value])
    // A ref, an operation or a note that is missing cannot be told from one that never was: the journal is for that.
    const known = (space: number | undefined): boolean =>
      [SPACE.page, SPACE.block, SPACE.oid, SPACE.counters].some((one) => one === space)
    for (const [i, [key, value]] of pairs.entries()) {
      const [otherKey, other] = pairs[(i + 1) % pairs.length]!
      if (otherKey[0] === key[0]) {
        await level.put(key, other)
        expectRight(await answers(level, oids), right)
      }
      if (known(key[0])) {
        await level.del(key)
        const given = await answers(level, oids)
        // A search passes over entries whose page is missing, which `fsck` reports.
        for (const name of SESSIONS) given.delete(`candidates ${name}`)
        expectRight(given, right)
      }
      await level.put(key, value)
    }
  })
})

it('knows after a reopening that a ref is as a note says', async () => {
  const level = await memory()
  const [name, value] = ['sessions/s/source' as RefName, { log: 'l', tail: ['a'.repeat(64)] }]
  const transaction = new LevelBackend(level, { durable: false }).begin({ bulk: true })
  transaction.moveRefs([{ name, old: undefined, new: value }])
  transaction.noteSource('/path', { log: 'l' }, name)
  await transaction.commit()
  const { cache } = open(level)
  const note = await cache.source('/path')
  expect(note).toEqual({ log: 'l', head: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown })
  expect(await cache.isAsNoted(note ?? {}, name)).toBe(true)
})

it('writes nothing where a transaction in bulk did nothing, and its numbers where it gave some', async () => {
  const { level } = await filled()
  const backend = open(level)
  // The commit log is checkpointed first.
  await backend.begin({ bulk: true }).commit()
  let writes = 0
  level.on('write', () => {
    writes++
  })
  await backend.begin({ bulk: true }).commit()
  expect(writes).toBe(0)
  const transaction = backend.begin({ bulk: true })
  const log = transaction.newLog()
  await transaction.commit()
  const [writer, number] = partsOfLogId(log)
  expect([writes, open(level).begin().newLog()]).toEqual([1, logId(writer, number + 1)])
})

it.each([true, false])('stores a large string once, wherever it recurs (bulk: %s)', async (bulk) => {
  const backend = new LevelBackend(await memory(), { durable: false })
  const text = 'the same file again\n'.repeat(300)
  for (const bodies of [[text, { text }, [[text]]], [{ other: text }]]) {
    const transaction = backend.begin({ bulk })
    for (const body of bodies) add(transaction, body)
    await transaction.commit()
  }
  expect((await backend.sizes()).blobs).toBe(1)
})

it('packs what is to be dense into fewer bytes', async () => {
  const words = ['read', 'the', 'file', 'of', 'settings', 'and', 'change', 'a', 'line', 'in', 'it']
  const text = (i: number): string =>
    Array.from({ length: 40 }, (_, n) => words[(i * i + n * n * 7) % 11]).join(' ')
  const bodies = Array.from({ length: 400 }, (_, i) => ({ i, text: text(i) }))
  expect(await packed(bodies, true)).toBeLessThan(0.95 * (await packed(bodies, false)))
})

it('is closed once what was being written is, be it that what came together could not be packed', async () => {
  const level = await memory()
  const told: string[] = []
  const slow = Object.create(level) as KeyValueDatabase
  slow.getSync = (key) => level.getSync(key)
  slow.batch = () => pause(20).then(() => void told.push('written'))
  slow.close = () => level.close()
  const backend = new LevelBackend(slow, { closing: () => () => void told.push('closed') })
  vi.spyOn(LogWriter.prototype, 'close').mockRejectedValue(new Error('it cannot be packed'))
  try {
    const transaction = backend.begin()
    add(transaction, { text: 'much '.repeat(200_000) })
    const committed = transaction.commit()
    const closed = backend.close()
    await expect(closed).rejects.toThrow('it cannot be packed')
    await committed
    expect(told).toEqual(['written', 'closed'])
  } finally {
    vi.restoreAllMocks()
  }
})
