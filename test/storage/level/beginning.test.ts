import { describe, expect, it } from 'vitest'
import { itemsUpTo } from '../../../src/storage/level/beginning.ts'
import {
  compress,
  decodeItems,
  decompress,
  decompressPrefix,
  encodeItems,
  storeUncompressed,
} from '../../../src/storage/level/block.ts'

/** Items that shrink to about a quarter, the same ones each time. */
const ITEMS = Array.from({ length: 4000 }, (_, i) =>
  Buffer.from([...new Array(40).keys()].map((k) => (i * (k + 7) ** 3) % 9973).join(' ')),
)

/** Gives items of 32 KiB in which bytes are as likely as in none of the others: Brotli gives each codes of its own. */
function* manyCodes(): Generator<Uint8Array> {
  let state = 99
  const random = (): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const normal = (): number => Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random())
  for (let item = 0; item < 64; item++) {
    const bytes = new Uint8Array(32 << 10)
    for (let part = 0; part < bytes.length; part += 8 << 10) {
      const weights = Array.from({ length: 256 }, () => Math.exp(2 * normal()))
      const sum = weights.reduce((a, b) => a + b)
      const store = weights.flatMap((weight, byte) =>
        new Array<number>(Math.round((weight / sum) * 16384)).fill(byte),
      )
      for (let i = part; i < part + (8 << 10); i++) bytes[i] = store[Math.floor(random() * store.length)] ?? 0
    }
    yield bytes
  }
}

describe('itemsUpTo', () => {
  it('unpacks no more than the first items of a block, where an item is among these', async () => {
    const packed = await compress(encodeItems(ITEMS), 5)
    for (const index of [0, 1, 500, 1500, 2000]) {
      const items = itemsUpTo(packed, index)
      expect(items?.isWhole).toBe(false)
      expect(items?.length).toBeGreaterThan(index)
      expect(items?.length).toBeLessThan(ITEMS.length)
      for (let i = 0; i <= index; i++) expect(Buffer.from(items!.at(i)!).equals(ITEMS[i]!)).toBe(true)
    }
  })

  it('leaves to be unpacked whole what stands at the end, is no item, is little or is not packed', async () => {
    const packed = await compress(encodeItems(ITEMS), 5)
    expect([3900, 3999, 4000].map((index) => itemsUpTo(packed, index))).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    expect(itemsUpTo(await compress(encodeItems(ITEMS.slice(0, 50)), 5), 0)).toBeUndefined()
    expect(itemsUpTo(storeUncompressed(encodeItems(ITEMS)), 0)).toBeUndefined()
    expect(decodeItems(decompress(packed))).toHaveLength(4000)
  })

  it('leaves to be unpacked whole a block that says little but of its codes at its beginning', async () => {
    const packed = await compress(encodeItems([Buffer.from('small'), ...manyCodes()]), 6)
    expect(decompressPrefix(packed, 16 << 10)).toHaveLength(0)
    expect(itemsUpTo(packed, 0)).toBeUndefined()
    expect(Buffer.from(decodeItems(decompress(packed))[0]!).toString()).toBe('small')
  })

  it('leaves to be unpacked whole a block whose first items take most of its packed bytes', async () => {
    const noise = Uint8Array.from({ length: 200_000 }, (_, i) => (i * i * 2_654_435_761) >>> 13)
    const items = [noise, Buffer.from('a'.repeat(2_000_000))]
    expect(itemsUpTo(await compress(encodeItems(items), 5), 0)).toBeUndefined()
  })
})
