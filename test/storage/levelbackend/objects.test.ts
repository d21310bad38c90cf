import { describe, expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import type { EntryHandle } from '../../../src/model/node.ts'
import { NO_WEIGHT } from '../../../src/model/tokens.ts'
import { append, createSession } from '../../../src/ops/append/append.ts'
import { gc } from '../../../src/ops/gc.ts'
import { revParse } from '../../../src/ops/revparse.ts'
import { shortestPrefix } from '../../../src/repo/revision.ts'
import { EntryPage, PAGE_ROWS } from '../../../src/storage/levelbackend/entrypage.ts'
import { oidKey } from '../../../src/storage/levelbackend/keys.ts'
import { Objects } from '../../../src/storage/levelbackend/objects.ts'
import { addRow } from '../../../src/storage/levelbackend/rows.ts'
import { expectFailure } from '../../support/errors.ts'
import { memoryKeyValues } from '../../support/keyvaluestore.ts'
import { openRepo } from '../../support/store.ts'

/** Two messages whose oids begin with the same 8 digits, as found by trying 59,356. */
const ALIKE = [41_688, 59_356].map((n) => ({ body: { role: 'user', content: `says ${n}` } }))

describe('two entries whose oids begin with the same 8 digits', () => {
  // Pages keep 4 bytes of an oid, keys of their own 8.
  it.each([
    ['as they were appended', [false, false]],
    ['one collected, one appended since', [true, false]],
    ['both collected', [false, true]],
    ['one collected, both collected again', [true, true]],
  ])('are named by as many digits as tell them apart: %s', async (_, collects) => {
    const repo = await openRepo()
    const oids: Oid[] = []
    for (const [i, says] of ALIKE.entries()) {
      oids.push(...(await append(repo, await createSession(repo), [says])))
      if (collects[i] === true) await gc(repo, { grace: Infinity, operations: 0 })
    }
    const [one, other] = oids as [Oid, Oid]
    expect([one.slice(0, 8), one.slice(0, 9) === other.slice(0, 9)]).toEqual([other.slice(0, 8), false])
    for (const oid of [one, other]) {
      expect(await repo.read((reader) => shortestPrefix(reader, oid))).toBe(9)
      expect(await repo.read(async (reader) => reader.oid((await reader.find(oid)) as EntryHandle))).toBe(oid)
      expect(await revParse(repo, oid.slice(0, 9))).toBe(oid)
    }
    const { candidates } = await expectFailure('ambiguous-revision', () => revParse(repo, one.slice(0, 8)))
    expect(candidates.toSorted()).toEqual([one, other].toSorted())
    expect(await repo.read((reader) => reader.findByPrefix(one.slice(0, 8), 5))).toHaveLength(2)
    await repo.close()
  })
})

describe('two entries whose oids begin with as many digits as the index keeps', () => {
  const [one, other] = ['a', 'b'].map((digit) => `${'0123456789abcdef'.padEnd(63, '7')}${digit}` as Oid) as [
    Oid,
    Oid,
  ]
  const near = '0123456789abcde0'.padEnd(64, '7') as Oid

  /** Rows 0 to 2 are theirs. */
  async function objectsOf(): Promise<Objects> {
    const store = await memoryKeyValues()
    const oids = [one, other, near]
    for (const [row, oid] of oids.entries()) store.put(oidKey(oid), addRow(store.get(oidKey(oid)), row))
    await store.commit()
    const objects = new Objects(store)
    const page = new EntryPage(0)
    for (const [row, oid] of oids.entries()) page.add({ ...SLOT, row }, oid, () => oid)
    objects.openPages.set(0, page)
    return objects
  }

  it('are found among many with turns of the event loop in between', async () => {
    const objects = await objectsOf()
    const oids = Array.from({ length: 1000 }, (_, i) => i.toString(16).padStart(64, 'f') as Oid)
    let turns = 0
    const count = (): void => {
      turns++
      counting = setImmediate(count)
    }
    let counting = setImmediate(count)
    const found = await objects.findMany([one, ...oids, near])
    clearImmediate(counting)
    expect([...found]).toEqual([
      [one, 0],
      [near, 2],
    ])
    expect(turns).toBeGreaterThan(2)
  })

  it('are named whole', async () => {
    const objects = await objectsOf()
    expect([objects.find(one), objects.find(other), objects.find(near)]).toEqual([0, 1, 2])
    const reader = {
      capabilities: { durable: false, prefixes: true },
      findByPrefix: (prefix: string, limit: number) => objects.findByPrefix(prefix, limit),
    }
    expect(await shortestPrefix(reader, one)).toBe(64)
    expect(await shortestPrefix(reader, other)).toBe(64)
    expect(await shortestPrefix(reader, near)).toBe(16)
    expect((await objects.findByPrefix(one.slice(0, 40), 5)).toSorted()).toEqual([one, other])
    expect(await objects.findByPrefix(other, 5)).toEqual([other])
  })
})

it('yields the rows of a range that begins with a hole, up to the next page', async () => {
  const objects = new Objects(await memoryKeyValues())
  const page = new EntryPage(PAGE_ROWS)
  page.skip()
  page.add({ ...SLOT, row: PAGE_ROWS + 1 }, '01'.repeat(32) as Oid, () => '' as Oid)
  objects.openPages.set(PAGE_ROWS, page)
  for (const from of [0, PAGE_ROWS]) expect([...objects.rows(from, 3 * PAGE_ROWS)]).toEqual([PAGE_ROWS + 1])
})

const SLOT = {
  parents: [],
  type: 't/t',
  traits: 0,
  digest: '00'.repeat(32) as never,
  links: {},
  depth: 0,
  weight: NO_WEIGHT,
  jump: 0,
  merged: false,
  merge: -1,
  near: [-1, -1, -1, -1],
  block: 0,
  index: 0,
}
