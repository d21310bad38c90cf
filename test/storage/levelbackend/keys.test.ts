import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Oid } from '../../../src/model/encoding/oid.ts'
import { logId, type WriterId } from '../../../src/model/record.ts'
import {
  blobKey,
  blockKey,
  COUNTERS,
  logOfSegment,
  numberAt,
  oidKey,
  operationKey,
  pageKey,
  positionOfSegment,
  prefixEnd,
  refKey,
  segmentKey,
  sourceKey,
} from '../../../src/storage/levelbackend/keys.ts'

const anyNumber = fc.oneof(fc.nat(), fc.integer({ min: 0, max: 2 ** 48 - 1 }))
const WRITER = '0123456789abcdef' as WriterId
const anyWriter = fc.constantFrom(WRITER, '0123456789abcdee' as WriterId, 'f'.repeat(16) as WriterId)
const anyLog = fc.tuple(anyWriter, fc.nat(999_999_999))
const compare = <T extends string | number>(a: T, b: T): number => (a < b ? -1 : Number(a > b))
const hex = (key: Uint8Array): string => Buffer.from(key).toString('hex')

describe('keys of numbers', () => {
  it('are in the order of the numbers and hold them', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (a, b) => {
        for (const keyOf of [pageKey, blockKey, operationKey]) {
          expect(Math.sign(Buffer.compare(keyOf(a), keyOf(b)))).toBe(Math.sign(a - b))
          expect(numberAt(keyOf(a), 1, 6)).toBe(a)
        }
      }),
    )
  })

  it('of segments are in the order of writers, then of their logs, then of positions', () => {
    expect(hex(segmentKey(logId(WRITER, 258), 2 ** 40 + 1))).toBe('6c0123456789abcdef00000102010000000001')
    fc.assert(
      fc.property(anyLog, anyLog, anyNumber, anyNumber, (log, other, a, b) => {
        const key = segmentKey(logId(...log), a)
        expect([logOfSegment(key), positionOfSegment(key)]).toEqual([logId(...log), a])
        const order = compare(log[0], other[0]) || compare(log[1], other[1]) || compare(a, b)
        expect(Math.sign(Buffer.compare(key, segmentKey(logId(...other), b)))).toBe(order)
      }),
    )
  })
})

describe('keys', () => {
  it('never change', () => {
    expect(hex(pageKey(513))).toBe('68000000000201')
    expect(hex(blockKey(1))).toBe('62000000000001')
    expect(hex(operationKey(2 ** 32))).toBe('6f000100000000')
    expect(hex(oidKey('0123456789abcdef'.repeat(4) as Oid))).toBe('690123456789abcdef')
    expect(hex(blobKey(new Uint8Array(32).fill(5)))).toBe(`64${'05'.repeat(20)}`)
    expect(hex(refKey('a/ü'))).toBe('72612fc3bc')
    expect(hex(sourceKey('/x'))).toBe('732f78')
    expect(hex(COUNTERS)).toBe('6d')
  })
})

describe('behind', () => {
  it('is the first key that does not begin with the prefix', () => {
    expect(hex(prefixEnd(Uint8Array.of(0x72, 0x61)))).toBe('7262')
    expect(hex(prefixEnd(Uint8Array.of(0x69, 0xff, 0xff)))).toBe('6a')
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 4 }).map((bytes) => Uint8Array.of(0x70, ...bytes)),
        fc.uint8Array({ maxLength: 4 }),
        (prefix, rest) => {
          expect(Buffer.compare(Uint8Array.of(...prefix, ...rest), prefixEnd(prefix))).toBe(-1)
          const next = prefixEnd(prefix)
          expect(prefix.every((byte, i) => byte === next[i])).toBe(false)
          // Whatever lies between the last key with the prefix and `next` would have to begin with the prefix.
          expect(next.length).toBeLessThanOrEqual(prefix.length)
        },
      ),
    )
  })
})
