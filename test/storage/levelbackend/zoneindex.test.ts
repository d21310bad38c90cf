import { expect, test } from 'vitest'
import { collected } from '../../../src/model/async.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import type { LogId } from '../../../src/model/record.ts'
import { addChecksum } from '../../../src/storage/checksum.ts'
import { prefixEnd, SPACE, spaceKey } from '../../../src/storage/levelbackend/keys.ts'
import { LevelBackend } from '../../../src/storage/levelbackend/levelbackend.ts'
import { encodeZones } from '../../../src/storage/levelbackend/zonemap.ts'
import { addPath, newLog, recordOf } from '../../conformance/laws/law.ts'
import { type Memory, memory } from '../../support/memory.ts'

const ALL = { gte: spaceKey(SPACE.zones), lt: prefixEnd(spaceKey(SPACE.zones)) }

const zonesIn = async (level: Memory): Promise<string[]> =>
  (await level.iterator(ALL).all()).map(([key, value]) =>
    [key, value].map((bytes) => Buffer.from(bytes).toString('hex')).join(' '),
  )

/** Appends a path to a log, in transactions of a size. */
async function grow(
  backend: LevelBackend,
  log: LogId,
  [from, to]: readonly [number, number],
  size: number,
  parent?: EntryHandle,
): Promise<EntryHandle[]> {
  const entries: EntryHandle[] = []
  for (let start = from; start < to; start += size) {
    const transaction = backend.begin({ bulk: size >= 16 })
    const bodies = Array.from({ length: Math.min(size, to - start) }, (_, i) => `${log} ${start + i}`)
    for (const [i, entry] of (
      await addPath(backend, transaction, bodies, entries.at(-1) ?? parent)
    ).entries()) {
      transaction.appendRecord(log, start + i, recordOf('r', entry))
      entries.push(entry)
    }
    await transaction.commit()
  }
  return entries
}

const rebuild = async (backend: LevelBackend): Promise<void> => {
  const transaction = backend.begin({ bulk: true })
  await transaction.rebuildZoneMaps()
  await transaction.commit()
}

test('zone maps that grew with imports and appends are what a rebuild makes', async () => {
  const level = await memory()
  const backend = new LevelBackend(level)
  const [one, other] = [await newLog(backend), await newLog(backend)]
  let last = (await grow(backend, one, [0, 700], 700)).at(-1)
  await grow(backend, other, [0, 1100], 5)
  last = (await grow(backend, one, [700, 1030], 3, last)).at(-1)
  await grow(backend, one, [1030, 2100], 100, last)
  const transaction = backend.begin({ bulk: true })
  await transaction.rebuildZoneMaps()
  const grown = await zonesIn(level)
  await transaction.commit()
  expect(grown).toHaveLength(2)
  expect(await zonesIn(level)).toEqual(grown)
  expect(await collected(backend.verify())).toEqual([])
  await backend.close()
})

test('entries are found in a database without zone maps', async () => {
  const level = await memory()
  const backend = new LevelBackend(level)
  const log = await newLog(backend)
  const entries = await grow(backend, log, [0, 2000], 2000)
  await level.clear(ALL)
  expect(await backend.recordRanges(log, 2000, entries[600] as EntryHandle)).toEqual([
    { from: 512, to: 1024 },
  ])
  expect(await backend.recordRanges(log, 2000, entries[1600] as EntryHandle)).toEqual([
    { from: 1536, to: 2000 },
  ])
  // The log grows: the zones before are unknown, and made again on demand.
  await grow(backend, log, [2000, 2600], 600, entries.at(-1))
  expect(await collected(backend.verify())).toEqual([])
  const opened = new LevelBackend(level)
  expect(await opened.recordRanges(log, 2560, entries[600] as EntryHandle)).toEqual([{ from: 512, to: 1024 }])
  await rebuild(opened)
  expect(await zonesIn(level)).toHaveLength(1)
  expect(await collected(opened.verify())).toEqual([])
  await opened.close()
})

test('a zone map that leaves out an entry is reported, and a damaged one is not used', async () => {
  const level = await memory()
  const backend = new LevelBackend(level)
  const [log, other] = [await newLog(backend), await newLog(backend)]
  const entries = await grow(backend, log, [0, 600], 600)
  await grow(backend, other, [0, 600], 600)
  const [[key, value], [otherKey]] = (await level.iterator(ALL).all()) as [
    [Uint8Array, Uint8Array],
    [Uint8Array],
  ]
  await level.put(otherKey, value)
  expect(await collected(backend.verify())).toEqual(['the store is damaged: a zone map fails its checksum'])
  expect(await backend.recordRanges(other, 600, entries[5] as EntryHandle)).toEqual([])
  await rebuild(backend)
  expect(await collected(backend.verify())).toEqual([])
  await level.put(key, addChecksum(key, encodeZones([[[1000, 1001]]])))
  expect(await collected(backend.verify())).toEqual([`the zone map of the log ${log} is wrong at 0`])
  await backend.close()
})
