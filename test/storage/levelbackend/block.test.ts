import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import {
  BlockBuffer,
  BlockItems,
  decodeItems,
  encodeItems,
  endOfItem,
  itemsUpTo,
} from '../../../src/storage/levelbackend/block.ts'
import {
  compress,
  decompress,
  decompressInPool,
  decompressPrefix,
  storeUncompressed,
} from '../../../src/storage/levelbackend/compression.ts'
import { ALL } from '../../support/amount.ts'
import { expectFailure } from '../../support/errors.ts'
import { Random } from '../../support/random.ts'

const plainOf = (bytes: Uint8Array): number[] => [...bytes]

describe('joinItems', () => {
  it('is undone by splitItems', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array()), (items) => {
        expect(decodeItems(encodeItems(items)).map(plainOf)).toEqual(items.map(plainOf))
      }),
    )
  })

  it('gives one item at a time, and none beside them', () => {
    const items = new BlockItems(encodeItems([Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(3)]))
    expect([0, 1, 2].map((i) => plainOf(items.at(i)!))).toEqual([[1, 2], [], [3]])
    expect([items.length, items.size, items.at(3)]).toEqual([3, 19, undefined])
    expect([plainOf(items.between(0, 3)!), plainOf(items.between(1, 2)!)]).toEqual([[1, 2, 3], []])
    expect(items.between(1, 4)).toBeUndefined()
  })

  it('gives of a beginning the items that lie in it, and where one ends that it tells the length of', () => {
    const items = [Uint8Array.of(1, 2), new Uint8Array(0), Uint8Array.of(3), Uint8Array.of(4, 5)]
    const bytes = encodeItems(items)
    for (let length = 4; length <= bytes.length; length++) {
      const first = new BlockItems(bytes.subarray(0, length), false)
      const held = length < 20 ? 0 : items.filter((_, i) => [22, 22, 23, 25][i]! <= length).length
      expect(first.length).toBe(held)
      expect(items.map((_, i) => first.at(i) ?? null)).toEqual(
        items.map((item, i) => (i < held ? item : null)),
      )
      const ends = items.map((_, i) => endOfItem(bytes.subarray(0, length), i))
      expect(ends).toEqual([22, 22, 23, 25].map((end, i) => (length < 8 + 4 * i ? undefined : end)))
    }
    expect(endOfItem(bytes, 4)).toBeUndefined()
  })

  it('lays out counts and lengths as 32 bits, little endian', () => {
    expect(plainOf(encodeItems([Uint8Array.of(7), new Uint8Array(0), Uint8Array.of(8, 9)]))).toEqual([
      3, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 7, 8, 9,
    ])
  })

  it('is refused where it is cut short', async () => {
    const bytes = encodeItems([Uint8Array.of(1, 2), Uint8Array.of(3)])
    for (let length = 0; length < bytes.length; length++)
      await expectFailure('corrupt', () => decodeItems(bytes.subarray(0, length)))
  })
})

describe('compress', () => {
  it('is undone by decompress at any quality', async () => {
    for (const size of [0, 1, 399, 400, 5000, 40_000, 300_000])
      for (const quality of ALL || size < 100_000 ? [0, 5, 11] : [0, 5]) {
        const text = new Uint8Array(Buffer.from('like stands beside like, '.repeat(size / 20)))
        const noise = Uint8Array.from({ length: size }, (_, i) => (i * i * 2_654_435_761) >>> 13)
        for (const bytes of [text, noise]) {
          const packed = await compress(bytes, quality)
          expect(Buffer.compare(decompress(packed), bytes)).toBe(0)
          expect(Buffer.compare(await decompressInPool(packed), bytes)).toBe(0)
        }
      }
  }, 20_000)

  it('keeps as they are small bytes and those that do not shrink', async () => {
    const small = new Uint8Array(399)
    expect((await compress(small, 5)).length).toBe(400)
    expect(decompress(storeUncompressed(small))).toEqual(small)
    expect((await compress(new Uint8Array(100_000), 5)).length).toBeLessThan(100)
  })

  it('is undone as far as some of the packed bytes tell', async () => {
    const bytes = Buffer.from(Array.from({ length: 6000 }, (_, i) => `line ${i * i} of many\n`).join(''))
    const packed = await compress(bytes, 11)
    for (const part of [0, 0.1, 0.5, 0.9, 1]) {
      const beginning = decompressPrefix(packed, Math.ceil(part * packed.length))
      expect(beginning.length).toBeLessThanOrEqual(bytes.length)
      expect(beginning.length).toBeGreaterThan((part - 0.1) * bytes.length)
      expect(Buffer.compare(beginning, bytes.subarray(0, beginning.length))).toBe(0)
    }
    expect(decompressPrefix(storeUncompressed(bytes), 5)).toEqual(new Uint8Array(bytes))
    new DataView(packed.buffer).setUint32(1, 1000, true)
    expect(() => decompressPrefix(packed, packed.length)).toThrow('larger than 1000 bytes')
    expect(() => decompressPrefix(Uint8Array.of(1, 9, 0, 0, 0, 255, 255, 255), 3)).toThrow(
      'cannot be unpacked',
    )
  })

  it('never makes more than the block says it holds', async () => {
    const packed = await compress(new Uint8Array(1_000_000), 5)
    new DataView(packed.buffer).setUint32(1, 1000, true)
    expect(() => decompress(packed)).toThrow('larger than 1000 bytes')
    await expect(decompressInPool(packed)).rejects.toThrow('larger than 1000 bytes')
    new DataView(packed.buffer).setUint32(1, 2_000_000, true)
    await expectFailure('corrupt', () => decompress(packed))
    await expectFailure('corrupt', () => decompressInPool(packed))
    await expectFailure('corrupt', () => decompressInPool(packed.subarray(0, 12)))
    await expectFailure('corrupt', () => decompress(Uint8Array.of(9, 1, 2, 3, 4, 5)))
    await expectFailure('corrupt', () => decompress(new Uint8Array(0)))
  })
})

/** Items that shrink to about a quarter, the same ones each time. */
const ITEMS = Array.from({ length: 4000 }, (_, i) =>
  Buffer.from([...new Array(40).keys()].map((k) => (i * (k + 7) ** 3) % 9973).join(' ')),
)

/** Returns items of 32 KiB in which bytes are as likely as in none of the others: Brotli gives each codes of its own. */
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
    for (let part = 0; part < bytes.length; part += 4 << 10) {
      const weights = Array.from({ length: 256 }, () => Math.exp(2 * normal()))
      const sum = weights.reduce((a, b) => a + b)
      const store = weights.flatMap((weight, byte) =>
        new Array<number>(Math.round((weight / sum) * 16384)).fill(byte),
      )
      for (let i = part; i < part + (4 << 10); i++) bytes[i] = store[Math.floor(random() * store.length)] ?? 0
    }
    yield bytes
  }
}

describe('itemsUpTo', () => {
  it('unpacks no more than the first items of a block, where an item is among these', async () => {
    const packed = await compress(encodeItems(ITEMS), 5)
    for (const index of [0, 1, 500, 1500, 2000]) {
      const items = itemsUpTo(packed, index)
      expect(items?.isComplete).toBe(false)
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

  it('gives right items, or none, of a dense block that says little but of its codes at its beginning', async () => {
    const random = new Random(7)
    const parts = Array.from({ length: 130 }, () => {
      const alphabet = Array.from({ length: 256 }, (_, i) => [random.below(2 ** 31), i] as const)
      const bytes = alphabet.sort(([x], [y]) => x - y).map(([, byte]) => byte)
      const rank = (): number => Math.min(255, Math.floor(-14 * Math.log(1 - random.below(1e6) / 1e6)))
      return Uint8Array.from({ length: 300 + random.below(300) }, () => bytes[rank()] ?? 0)
    })
    const items = Array.from({ length: 16 }, () => parts).flat()
    const packed = await compress(encodeItems(items), 11)
    expect(decompressPrefix(packed, 5000)).toHaveLength(0)
    for (const [index, item] of items.entries()) {
      const found = itemsUpTo(packed, index)
      if (found) expect(Buffer.compare(found.at(index)!, item)).toBe(0)
    }
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

const items = fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 30 })

test('lays out its items as one block, in a new buffer, a small one and one that was used before', () => {
  let used: Buffer | undefined
  fc.assert(
    fc.property(items, (all) => {
      const buffers = [new BlockBuffer(), new BlockBuffer(1000), new BlockBuffer(1000, used)]
      for (const buffer of buffers) {
        expect(all.map((item) => buffer.push(item))).toEqual(all.map((_, i) => i))
        expect(buffer.size).toBe(all.reduce((sum, item) => sum + item.length, 0))
        expect(Buffer.from(buffer.encode())).toEqual(Buffer.from(encodeItems(all)))
        expect(all.map((_, i) => Buffer.from(buffer.at(i) ?? []))).toEqual(
          all.map((item) => Buffer.from(item)),
        )
        expect(buffer.at(all.length)).toBeUndefined()
      }
      used = buffers[2]?.release()
    }),
  )
})

test('lays out more items than its header has room for', () => {
  const buffer = new BlockBuffer(100)
  for (let i = 0; i < 5000; i++) buffer.push(Uint8Array.of(i & 255))
  expect(decodeItems(buffer.encode()).map(([byte]) => byte)).toEqual(
    Array.from({ length: 5000 }, (_, i) => i & 255),
  )
})

test('returns copies of its items, which stay when the buffer is used again', () => {
  const buffer = new BlockBuffer(100)
  buffer.push(Uint8Array.of(1, 2))
  const item = buffer.at(0)
  new BlockBuffer(100, buffer.release()).push(Uint8Array.of(9, 9))
  expect(Array.from(item ?? [])).toEqual([1, 2])
})
