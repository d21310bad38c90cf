import { describe, expect, it } from 'vitest'
import { itemsUpTo } from '../../src/storage/beginning.ts'
import { joinItems, pack, packPlain, splitItems, unpack } from '../../src/storage/block.ts'

/** Items that shrink to about a quarter, the same ones each time. */
const ITEMS = Array.from({ length: 4000 }, (_, i) =>
  Buffer.from([...new Array(40).keys()].map((k) => (i * (k + 7) ** 3) % 9973).join(' ')),
)

describe('itemsUpTo', () => {
  it('unpacks no more than the first items of a block, where an item is among these', async () => {
    const packed = await pack(joinItems(ITEMS), 5)
    for (const index of [0, 1, 500, 1500, 2000]) {
      const items = itemsUpTo(packed, index)
      expect(items?.isWhole).toBe(false)
      expect(items?.length).toBeGreaterThan(index)
      expect(items?.length).toBeLessThan(ITEMS.length)
      for (let i = 0; i <= index; i++) expect(Buffer.from(items!.at(i)!).equals(ITEMS[i]!)).toBe(true)
    }
  })

  it('leaves to be unpacked whole what stands at the end, is no item, is little or is not packed', async () => {
    const packed = await pack(joinItems(ITEMS), 5)
    expect([3900, 3999, 4000].map((index) => itemsUpTo(packed, index))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(itemsUpTo(await pack(joinItems(ITEMS.slice(0, 50)), 5), 0)).toBeUndefined()
    expect(itemsUpTo(packPlain(joinItems(ITEMS)), 0)).toBeUndefined()
    expect(splitItems(unpack(packed))).toHaveLength(4000)
  })

  it('leaves to be unpacked whole a block whose first items take most of its packed bytes', async () => {
    const noise = Uint8Array.from({ length: 200_000 }, (_, i) => (i * i * 2_654_435_761) >>> 13)
    const items = [noise, Buffer.from('a'.repeat(2_000_000))]
    expect(itemsUpTo(await pack(joinItems(items), 5), 0)).toBeUndefined()
  })
})
