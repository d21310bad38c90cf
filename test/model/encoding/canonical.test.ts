import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { BlobRef, decode, decodeStored, encode, layOut } from '../../../src/model/encoding/canonical.ts'
import { Verbatim } from '../../../src/model/encoding/verbatim.ts'
import { parseJson } from '../../../src/model/value.ts'
import { runs } from '../../support/amount.ts'
import { anyTree, hexOf, spellTree } from '../../support/json.ts'

const hex = (value: unknown): string => hexOf(encode(value))
const bytes = (digits: string): Uint8Array => Uint8Array.from(Buffer.from(digits, 'hex'))

describe('encode', () => {
  it.each<[unknown, string]>([
    [null, 'f6'],
    [true, 'f5'],
    [0, '00'],
    [23, '17'],
    [24, '1818'],
    [-1, '20'],
    [4294967295, '1affffffff'],
    [4294967296, 'fb41f0000000000000'],
    [1.5, 'fb3ff8000000000000'],
    ['é', '62c3a9'],
    [[1, 'a'], '82016161'],
    [{}, 'a0'],
    [{ b: 1, a: 2 }, 'a2616201616102'],
    [new Verbatim('-0'), 'd90106422d30'],
  ])('gives %j the shortest definite form', (value, digits) => {
    expect(hex(value)).toBe(digits)
  })

  it('writes map headers of the least length', () => {
    const keys = (count: number): object =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, 0]))
    expect(hex(keys(23)).slice(0, 2)).toBe('b7')
    expect(hex(keys(24)).slice(0, 4)).toBe('b818')
    expect(hex(keys(300)).slice(0, 6)).toBe('b9012c')
  })

  it('keeps the order of keys', () => {
    expect(hex({ a: 1, b: 2 })).not.toBe(hex({ b: 2, a: 1 }))
  })

  it('tells a text kept verbatim from a string of the same characters', () => {
    expect(hex(new Verbatim('"x"'))).not.toBe(hex('"x"'))
  })

  it('gives the same bytes whatever was encoded before', () => {
    const before = hex({ a: [1, 2], c: 'x' })
    for (let i = 0; i < 100; i++) encode({ [`k${i}`]: 'y'.repeat(i * 100) })
    expect(hex({ a: [1, 2], c: 'x' })).toBe(before)
  })
})

describe('layOut', () => {
  it('gives the bytes that encode gives, whatever is encoded meanwhile', () => {
    for (const value of [{ a: 1 }, 'x'.repeat(100_000), [null]]) {
      const laid = layOut(value)
      encode({ b: 'y'.repeat(200_000) })
      expect(hexOf(laid)).toBe(hex(value))
    }
  })
})

describe('decode', () => {
  test('is the inverse of encode', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const value = parseJson(spellTree(tree))?.value ?? null
        const back = decode(encode(value))
        expect(back).toEqual(value)
        expect(hex(back)).toBe(hex(value))
      }),
      { numRuns: runs(500) },
    )
  })

  it('keeps a byte order mark and long texts', () => {
    for (const text of ['\ufeffx', `\ufeff${'é'.repeat(70_000)}`, 'x'.repeat(200_000)])
      expect(decode(encode([text]))).toEqual([text])
  })

  it('accepts bytes that encode never writes: only the bytes tell, not the value', () => {
    expect(decode(bytes('a2616101616102'))).toEqual({ a: 2 })
    expect(decode(bytes('1805'))).toBe(5)
    expect(hex(decode(bytes('1805')))).toBe('05')
  })

  it('gives the places of blobs and bytes of stored forms', () => {
    const stored = { a: new BlobRef(7, 70000), b: Uint8Array.of(1, 2) }
    const back = decodeStored(encode(stored)) as { a: BlobRef; b: Uint8Array }
    expect(back.a).toEqual(new BlobRef(7, 70000))
    expect([...back.b]).toEqual([1, 2])
  })
})
