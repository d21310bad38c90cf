import { expect, it } from 'vitest'
import { decompressSnappy } from '../../../src/storage/leveldb/tablefile.ts'

const text = (bytes: readonly number[]): string =>
  Buffer.from(decompressSnappy(Uint8Array.from(bytes))).toString()
const a = 'a'.charCodeAt(0)

it('unpacks literals, and copies of each width', () => {
  expect(text([0])).toBe('')
  expect(text([3, 2 << 2, a, a + 1, a + 2])).toBe('abc')
  // One byte, then nine copied from one back, in each of the three forms.
  expect(text([10, 0, a, 1 | (5 << 2), 1])).toBe('a'.repeat(10))
  expect(text([10, 0, a, 2 | (8 << 2), 1, 0])).toBe('a'.repeat(10))
  expect(text([10, 0, a, 3 | (8 << 2), 1, 0, 0, 0])).toBe('a'.repeat(10))
  expect(text([100, 60 << 2, 99, ...Buffer.from('x'.repeat(100))])).toBe('x'.repeat(100))
})

it('refuses what is none', () => {
  for (const bytes of [
    [],
    [3, 2 << 2, a],
    [1, 1 << 2, a, a],
    [2, 0, a],
    [4, 1, 0],
    [5, 0, a, 1, 2],
    [255, 255, 3, 0, a],
  ])
    expect(() => decompressSnappy(Uint8Array.from(bytes))).toThrow(RangeError)
})
