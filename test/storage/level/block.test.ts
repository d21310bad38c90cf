import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  BlockItems,
  compress,
  decodeItems,
  decompress,
  decompressInPool,
  decompressPrefix,
  encodeItems,
  endOfItem,
  storeUncompressed,
} from '../../../src/storage/level/block.ts'
import { expectFailure } from '../../support/errors.ts'

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
    expect([items.between(1, 4), items.slice(3)]).toEqual([undefined, undefined])
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

describe('pack', () => {
  it('is undone by unpack at any quality', async () => {
    for (const size of [0, 1, 399, 400, 5000, 40_000, 300_000])
      for (const quality of [0, 5, 11]) {
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
    const bytes = Buffer.from(Array.from({ length: 20_000 }, (_, i) => `line ${i * i} of many\n`).join(''))
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
