import { expect, it } from 'vitest'
import type { RefName } from '../../../src/model/refname.ts'
import { addChecksum } from '../../../src/storage/checksum.ts'
import { DENSITIES } from '../../../src/storage/levelbackend/compression.ts'
import { coverageKey, refKey } from '../../../src/storage/levelbackend/keys.ts'
import type { KeyValueStore } from '../../../src/storage/levelbackend/keyvaluestore.ts'
import { decodeRef, encodeRef } from '../../../src/storage/levelbackend/refs.ts'
import { SmallValueCopier } from '../../../src/storage/rewrite/rewrite.ts'
import { coveragePut, readAllCoverage, type StoredCoverage } from '../../../src/storage/search/coverage.ts'
import { expectFailure } from '../../support/errors.ts'
import { memoryKeyValues } from '../../support/keyvaluestore.ts'

const withoutSecret = (text: string): string => text.replace(/hunter\d*/, 'gone')

/** Names of refs in the order of their keys; without the secret all are the first one. */
const PLAIN = 'sessions/s/gone' as RefName
const FIRST = 'sessions/s/hunter1' as RefName
const SECOND = 'sessions/s/hunter2' as RefName

function copier(target: KeyValueStore): SmallValueCopier {
  const revision = {
    namePart: withoutSecret,
    sessionName: withoutSecret,
    ref: <T>(value: T): T => value,
  }
  return new SmallValueCopier(target, DENSITIES.same, revision)
}

async function putRef(store: KeyValueStore, name: RefName, value: number | undefined): Promise<void> {
  const key = refKey(name)
  store.put(key, value === undefined ? undefined : addChecksum(key, encodeRef(value)))
  await store.commit()
}

async function putCoverage(store: KeyValueStore, session: string, more: StoredCoverage): Promise<void> {
  const { key, content } = coveragePut(store, session, more) as unknown as {
    readonly [of in 'key' | 'content']: Uint8Array
  }
  store.put(key, addChecksum(key, content))
  await store.commit()
}

function refIn(store: KeyValueStore, name: RefName): unknown {
  const content = store.getChecked(refKey(name), 'a ref')
  return content && decodeRef(content)
}

it('refuses two refs that get the same name', async () => {
  for (const names of [
    [FIRST, SECOND],
    [PLAIN, FIRST],
  ] as RefName[][]) {
    const [source, target] = [await memoryKeyValues(), await memoryKeyValues()]
    for (const name of names) await putRef(source, name, 1)
    await expectFailure('exists', () => copier(target).copy(source, 0))
  }
})

it('copies a ref that is renamed between two passes, and gets the same name again', async () => {
  for (const [before, after] of [
    [FIRST, SECOND],
    [SECOND, FIRST],
    [PLAIN, FIRST],
    [FIRST, PLAIN],
  ] as [RefName, RefName][]) {
    const [source, target] = [await memoryKeyValues(), await memoryKeyValues()]
    const copy = copier(target)
    await putRef(source, before, 1)
    await copy.copy(source, 0)
    await putRef(source, before, undefined)
    await putRef(source, after, 2)
    await copy.copy(source, 0)
    expect([before, refIn(target, PLAIN), refIn(target, FIRST), refIn(target, SECOND)]).toEqual([
      before,
      2,
      undefined,
      undefined,
    ])
    await putRef(source, after, undefined)
    await copy.copy(source, 0)
    expect([before, refIn(target, PLAIN)]).toEqual([before, undefined])
  }
})

it('refuses a ref that gets the name of another one in a later pass', async () => {
  const [source, target] = [await memoryKeyValues(), await memoryKeyValues()]
  const copy = copier(target)
  await putRef(source, SECOND, 1)
  await copy.copy(source, 0)
  await putRef(source, FIRST, 1)
  await expectFailure('exists', () => copy.copy(source, 0))
})

it('joins the search coverage of sessions that get the same id, and keeps it while one of them is there', async () => {
  const [source, target] = [await memoryKeyValues(), await memoryKeyValues()]
  const copy = copier(target)
  await putCoverage(source, 'gone', { ranges: [[0, 1]], time: 3, names: ['a'] })
  await putCoverage(source, 'hunter1', { ranges: [[4, 5]], time: 9, names: ['b hunter1'] })
  await putCoverage(source, 'hunter2', { ranges: [[8, 9]], time: null, names: [] })
  await copy.copy(source, 0)
  const joined = (await readAllCoverage(target)).get('gone')
  expect(joined).toMatchObject({
    ranges: [
      [0, 1],
      [4, 5],
      [8, 9],
    ],
    time: 9,
  })
  expect([...(joined?.names ?? [])].sort()).toEqual(['a', 'b gone'])
  await putCoverage(source, 'hunter1', { ranges: [[20, 21]], time: 10, names: [] })
  source.put(coverageKey('hunter2'), undefined)
  await source.commit()
  await copy.copy(source, 0)
  expect([...(await readAllCoverage(target)).keys()]).toEqual(['gone'])
  expect((await readAllCoverage(target)).get('gone')?.ranges).toEqual(
    expect.arrayContaining([
      [0, 1],
      [4, 5],
      [20, 21],
    ]),
  )
  source.put(coverageKey('gone'), undefined)
  source.put(coverageKey('hunter1'), undefined)
  await source.commit()
  await copy.copy(source, 0)
  expect([...(await readAllCoverage(target)).keys()]).toEqual([])
})
