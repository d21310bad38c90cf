import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeItems, encodeItems } from '../../../src/storage/level/block.ts'
import { BlockBuffer } from '../../../src/storage/level/blockbuffer.ts'

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
