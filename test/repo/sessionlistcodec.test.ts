import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/oid.ts'
import type { Listed } from '../../src/repo/listedsession.ts'
import { columnsOf, decodeList, encodeList, FIELDS, rowsOf } from '../../src/repo/sessionlistcodec.ts'
import { runs } from '../support/amount.ts'

const text = fc.oneof(
  fc.constantFrom('pi', 'Größe 🚀', '__proto__', '\ud800', '', 'ü'.repeat(120)),
  fc.string({ unit: 'binary' }),
)
const known = fc.option(text)
const count = fc.nat()
const time = fc.option(fc.date({ noInvalidDate: true }).map((date) => date.toISOString()))
const oid = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((b) => Buffer.from(b).toString('hex') as Oid)
const oids = fc.dictionary(text, oid, { maxKeys: 3 }).map((map) => ({ ...map }))

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
  set: fc.dictionary(text, text, { maxKeys: 2 }).map((map) => ({ ...map })),
  head: known,
  parent: known,
  agents: oids,
  created: time,
  updated: time,
  source: known,
  state: oid,
})
const rows = fc.array(row, { minLength: 1, maxLength: 8 })
const encoded = (all: readonly Listed[]): Uint8Array => encodeList(columnsOf(all, FIELDS))

describe('the encoded list of sessions', () => {
  it('decodes to the same rows', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const back = rowsOf(decodeList(encoded(all), all.length, FIELDS))
        expect(JSON.stringify(back)).toBe(JSON.stringify(all))
      }),
      { numRuns: runs(200) },
    )
  })

  it('decodes some fields alone', () => {
    fc.assert(
      fc.property(rows, fc.shuffledSubarray([...FIELDS], { minLength: 1 }), (all, fields) => {
        const back = decodeList(encoded(all), all.length, fields)
        expect(JSON.stringify(back)).toBe(JSON.stringify(columnsOf(all, fields)))
      }),
    )
  })

  it('is corrupt where the number of sessions is another', () => {
    const all = fc.sample(row, 2)
    expect(() => decodeList(encoded(all), 3, ['id'])).toThrow(expect.objectContaining({ code: 'corrupt' }))
  })
})
