import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../src/model/oid.ts'
import type { Listed } from '../../src/repo/listed.ts'
import { decodeList, encodeList } from '../../src/repo/listtable.ts'

const text = fc.oneof(
  fc.constantFrom('pi', 'Größe 🚀', '__proto__', '\ud800', ''),
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

describe('the table of what lists say', () => {
  it('gives back every row, in the order of its keys', () => {
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 8 }), (rows) => {
        const again = decodeList(encodeList(rows)) ?? []
        expect(JSON.stringify(again)).toBe(JSON.stringify(rows))
      }),
      { numRuns: 200 },
    )
  })

  it('is not read where another version wrote it', () => {
    const bytes = encodeList(fc.sample(row, 1)).slice()
    bytes[0] = 99
    expect(decodeList(bytes)).toBeUndefined()
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
