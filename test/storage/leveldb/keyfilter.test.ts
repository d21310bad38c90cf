import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type Key, SPACE } from '../../../src/storage/levelbackend/keys.ts'
import type { KeyChange, KeyValueDatabase } from '../../../src/storage/levelbackend/keyvalue.ts'
import { FilteredDatabase } from '../../../src/storage/leveldb/keyfilter.ts'

/** A database in memory that counts lookups; batches are written when `release` is called. */
function database() {
  const pairs = new Map<string, Uint8Array>()
  const waiting: (() => void)[] = []
  const counts = { lookups: 0 }
  const text = (key: Key): string => Buffer.from(key).toString('latin1')
  const level: KeyValueDatabase = {
    getSync: (key) => {
      counts.lookups++
      return pairs.get(text(key))
    },
    batch: (changes: readonly KeyChange[]) =>
      new Promise<void>((resolve) =>
        waiting.push(() => {
          for (const change of changes) if (change.type === 'put') pairs.set(text(change.key), change.value)
          resolve()
        }),
      ),
    iterator: () => {
      throw new RangeError('nothing iterates')
    },
    keys: ({ gte, lt }) => {
      const [from, to] = [text(gte as Key), text(lt as Key)]
      let keys = [...pairs.keys()]
        .filter((key) => key >= from && key < to)
        .map((key) => Buffer.from(key, 'latin1'))
      return {
        nextv: (size) => {
          const some = keys.slice(0, size)
          keys = keys.slice(size)
          return Promise.resolve(some)
        },
        close: () => Promise.resolve(),
      }
    },
    close: () => Promise.resolve(),
  }
  const release = (): void => {
    for (const write of waiting.splice(0)) write()
  }
  return { level, counts, release }
}

const keyOf = (space: number, number: number): Key =>
  Buffer.concat([Uint8Array.of(space), createHash('sha256').update(`${number}`).digest().subarray(0, 8)])

const put = (key: Key): KeyChange => ({ type: 'put', key, value: key })

test('an empty database looks up few hashes that it does not hold, and all that were put', async () => {
  const { level, counts, release } = database()
  const filtered = new FilteredDatabase(level)
  filtered.beginEmpty()
  const written = filtered.batch(
    Array.from({ length: 1000 }, (_, i) => put(keyOf(i % 2 ? SPACE.oid : SPACE.blob, i))),
    { sync: true },
  )
  release()
  await written
  for (let i = 0; i < 1000; i++)
    expect(filtered.getSync(keyOf(i % 2 ? SPACE.oid : SPACE.blob, i))).toBeDefined()
  counts.lookups = 0
  for (let i = 1000; i < 11_000; i++) expect(filtered.getSync(keyOf(SPACE.blob, i))).toBeUndefined()
  expect(counts.lookups).toBeLessThan(100)
  expect(filtered.getSync(Uint8Array.of(SPACE.ref, 1))).toBeUndefined()
  expect(counts.lookups).toBeLessThan(101)
})

test('a database that holds entries reads its keys once many were looked up, with what is being written then', async () => {
  const { level, counts, release } = database()
  const filtered = new FilteredDatabase(level)
  const first = filtered.batch([put(keyOf(SPACE.oid, 1))], { sync: true })
  release()
  await first
  await filtered.learn(1)
  for (let i = 10; i < 3000; i++) filtered.getSync(keyOf(SPACE.oid, i))
  expect(counts.lookups).toBe(2990)
  const before = filtered.batch([put(keyOf(SPACE.oid, 2))], { sync: true })
  const learning = filtered.learn(1)
  const during = filtered.batch([put(keyOf(SPACE.blob, 3))], { sync: true })
  // Nothing is taken for absent before all keys were read.
  for (let i = 10; i < 20; i++) filtered.getSync(keyOf(SPACE.oid, i))
  expect(counts.lookups).toBe(3000)
  release()
  await Promise.all([before, during, learning])
  for (const [space, number] of [
    [SPACE.oid, 1],
    [SPACE.oid, 2],
    [SPACE.blob, 3],
  ] as const)
    expect(filtered.getSync(keyOf(space, number))).toBeDefined()
  counts.lookups = 0
  for (let i = 10; i < 3000; i++) filtered.getSync(keyOf(SPACE.oid, i))
  expect(counts.lookups).toBeLessThan(100)
})
