import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256 } from '../../../src/model/hash.ts'
import { SPACE } from '../../../src/storage/keys.ts'
import { headOf, type Item } from '../../../src/storage/runs/indexpage.ts'
import { allPaged, type PageForm, Pages, pagesOf } from '../../../src/storage/runs/pages.ts'
import type { Table } from '../../../src/storage/table.ts'
import { memoryTable } from '../../support/table.ts'

/** Hashes of few bytes, so that several begin alike. */
const FORM: PageForm = { space: SPACE.oids, width: 6, columns: 2 }

const hashOf = (n: number): Uint8Array => sha256(Uint8Array.of(n, n >> 8))

async function tableOf(items: readonly Item[]): Promise<Table> {
  const table = await memoryTable()
  for (const [key, value] of pagesOf(FORM, items)) table.put(key, value)
  await table.commit()
  return table
}

const itemsTo = (count: number): Item[] =>
  Array.from({ length: count }, (_, n) => ({ hash: hashOf(n), numbers: [n, 7] }))

async function all(table: Table): Promise<Item[]> {
  const found: Item[] = []
  for await (const item of allPaged(table, FORM)) found.push(item)
  return found
}

describe('Pages', () => {
  it.each([0, 1, 256, 257, 3000])('finds each of %i items, and nothing else', async (count) => {
    const table = await tableOf(itemsTo(count))
    const pages = new Pages(table, FORM)
    for (let n = 0; n < count; n++) expect(pages.find(hashOf(n))).toEqual([[n, 7]])
    for (let n = count; n < count + 50; n++) expect(pages.find(hashOf(n))).toEqual([])
    const hashes = (await all(table)).map(({ hash }) => Buffer.from(hash).toString('hex'))
    const right = itemsTo(count).map(({ hash }) => Buffer.from(hash.subarray(0, 6)).toString('hex'))
    expect(hashes).toEqual(right.sort())
  })

  it('finds all that begin alike, and those next to each', async () => {
    const tails = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 3 })), {
      maxLength: 40,
    })
    await fc.assert(
      fc.asyncProperty(tails, async (drawn) => {
        const hashes = drawn.map(([head, rest]) => Uint8Array.of(9, 9, 0, head, 0, rest, 1, 1))
        const items = hashes.map((hash, n) => ({ hash, numbers: [n, 0] }))
        const pages = new Pages(await tableOf(items), FORM)
        const rows = (numbers: Iterable<readonly number[]>): number[] =>
          [...numbers].map(([row]) => row as number).sort((a, b) => a - b)
        for (const hash of hashes) {
          const same = (other: Uint8Array): boolean =>
            Buffer.compare(other.subarray(0, 6), hash.subarray(0, 6)) === 0
          expect(rows(pages.find(hash))).toEqual(hashes.flatMap((other, n) => (same(other) ? [n] : [])))
          const head = headOf(hash)
          const inside = hashes.flatMap((other, n) =>
            headOf(other) >= head && headOf(other) <= head + 1 ? [n] : [],
          )
          expect(rows(pages.between(head, head + 1))).toEqual(inside)
          const heads = rows(pages.around(hash)).map((n) => headOf(hashes[n] as Uint8Array))
          const others = hashes.map(headOf)
          const [below, above] = [
            others.filter((other) => other < head),
            others.filter((other) => other > head),
          ]
          expect(new Set(heads)).toEqual(
            new Set([
              head,
              ...(below.length > 0 ? [Math.max(...below)] : []),
              ...(above.length > 0 ? [Math.min(...above)] : []),
            ]),
          )
        }
      }),
    )
  })

  /** Changes a byte of what stands under the keys that a test says. */
  async function spoil(table: Table, isSpoilt: (key: Uint8Array) => boolean): Promise<void> {
    for await (const [key, value] of table.scan(Uint8Array.of(FORM.space)))
      if (isSpoilt(key)) table.put(key, value.with(value.length - 1, (value.at(-1) as number) ^ 1))
    await table.commit()
  }

  it('says that a page is damaged, not that what it held is not there, and finds all by the others', async () => {
    const table = await tableOf(itemsTo(3000))
    await spoil(table, (key) => key[2] === 3)
    const pages = new Pages(table, FORM)
    const lost = (hash: Uint8Array): boolean => headOf(hash) >>> 28 === 3
    let damaged = 0
    for (let n = 0; n < 3000; n++)
      if (lost(hashOf(n))) {
        expect(() => pages.find(hashOf(n))).toThrow('a page of an index fails its checksum')
        expect(() => pages.around(hashOf(n))).toThrow('a page of an index fails its checksum')
        damaged++
      } else expect(pages.find(hashOf(n))).toEqual([[n, 7]])
    expect(damaged).toBeGreaterThan(100)
    expect(() => [...pages.between(0, 0xffffffff)]).toThrow('a page of an index fails its checksum')
    expect((await all(table)).some(({ hash }) => lost(hash))).toBe(false)
  })

  it('says that a page is missing, or its header, not that nothing is there', async () => {
    const without = async (isGone: (key: Uint8Array) => boolean): Promise<Pages> => {
      const table = await tableOf(itemsTo(3000))
      for await (const [key] of table.scan(Uint8Array.of(FORM.space)))
        if (isGone(key)) table.put(key, undefined)
      return new Pages(table, FORM)
    }
    const [page, header] = [await without((key) => key[2] === 3), await without(({ length }) => length === 1)]
    for (let n = 0; n < 50; n++) {
      if (headOf(hashOf(n)) >>> 28 === 3)
        expect(() => page.find(hashOf(n))).toThrow('a page of an index is missing')
      else expect(page.find(hashOf(n))).toEqual([[n, 7]])
      expect(() => header.around(hashOf(n))).toThrow('the header of an index is missing')
    }
    expect(() => [...page.between(0, 0xffffffff)]).toThrow('a page of an index is missing')
  })

  it('finds nothing and takes nothing for missing where its header is damaged', async () => {
    const table = await tableOf(itemsTo(300))
    await spoil(table, (key) => key.length === 1)
    const pages = new Pages(table, FORM)
    for (const look of [
      () => pages.find(hashOf(1)),
      () => [...pages.between(0, 9)],
      () => pages.around(hashOf(1)),
    ])
      expect(look).toThrow('the header of an index fails its checksum')
    expect(await all(table)).toHaveLength(300)
  })
})
