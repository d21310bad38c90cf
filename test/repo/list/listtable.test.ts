import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../../src/model/oid.ts'
import { CELLS, type CellKey, rowsOf } from '../../../src/repo/list/listcells.ts'
import type { Listed } from '../../../src/repo/list/listed.ts'
import { decodeList, encodeList } from '../../../src/repo/list/listtable.ts'

const text = fc.oneof(
  fc.constantFrom(
    'pi',
    'Größe',
    'Größe 🚀',
    '__proto__',
    '\ud800',
    '',
    `${'a'.repeat(63)}🚀`,
    'ü'.repeat(120),
  ),
  fc.string({ unit: 'binary' }),
)
const known = fc.option(text)
const count = fc.nat()
const time = fc.option(fc.date({ noInvalidDate: true }).map((date) => date.toISOString()))
const oid = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((b) => Buffer.from(b).toString('hex') as Oid)
const oids = fc.dictionary(text, oid, { maxKeys: 3 })

const row: fc.Arbitrary<Listed> = fc.record({
  id: text,
  format: text,
  title: known,
  prompt: known,
  cwd: known,
  entries: count,
  records: count,
  prompts: count,
  calls: count,
  tokens: fc.option(
    fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count, total: count }),
  ),
  cost: fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }).map((cost) => cost + 0)),
  model: known,
  branches: oids,
  labels: oids,
  set: fc.dictionary(text, text, { maxKeys: 2 }),
  head: known,
  parent: known,
  agents: oids,
  created: time,
  updated: time,
  source: known,
})

const rows = (least: number): fc.Arbitrary<Listed[]> =>
  fc.uniqueArray(row, { minLength: least, maxLength: 8, selector: ({ id }) => id })

const byId = (all: readonly Listed[]): Listed[] => all.toSorted((a, b) => (a.id < b.id ? -1 : 1))

describe('the table of what lists say', () => {
  it('gives back every row, in the order of their ids, and the order of its keys', () => {
    fc.assert(
      fc.property(rows(1), (all) => {
        const table = decodeList(encodeList(all))
        expect(JSON.stringify(table && rowsOf(table))).toBe(JSON.stringify(byId(all)))
      }),
      { numRuns: 200 },
    )
  })

  it('gives every column, whichever is asked for first', () => {
    const keys = Object.keys(CELLS) as CellKey[]
    fc.assert(
      fc.property(rows(1), fc.shuffledSubarray(keys, { minLength: 1 }), (all, asked) => {
        const table = decodeList(encodeList(all))
        for (const key of asked)
          expect([key, table?.column(key)]).toEqual([key, byId(all).map((one) => CELLS[key](one))])
      }),
    )
  })

  it('is not read where another version wrote it', () => {
    for (const version of [1, 99]) {
      const bytes = encodeList(fc.sample(row, 1)).slice()
      bytes[0] = version
      expect(decodeList(bytes)).toBeUndefined()
    }
  })

  it('keeps once what most rows share', () => {
    const [one] = fc.sample(row, { numRuns: 1, seed: 1 }) as [Listed]
    const many = Array.from({ length: 1000 }, (_, i) => ({
      ...one,
      id: `${i}`,
      branches: {},
      labels: {},
      agents: {},
    }))
    expect(encodeList(many).length).toBeLessThan(4000)
  })
})
