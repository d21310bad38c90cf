import { Encoder } from 'cbor-x'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { CborWriter, endOfItem } from '../../../src/model/encoding/cbor.ts'
import { runs } from '../../support/amount.ts'
import { anyText, hexOf } from '../../support/json.ts'

const writer = new CborWriter((value) => (value instanceof Date ? { tag: 262, inner: [+value] } : undefined))

/** The package that reads what is written, set to write the same. */
const peer = new Encoder({
  useRecords: false,
  variableMapSize: true,
  mapsAsObjects: true,
  tagUint8Array: false,
})

const written = (value: unknown): string => hexOf(writer.encode(value))

const numbers = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.maxSafeInteger(),
  fc.constantFrom(23, 24, 255, 256, 65535, 65536, 2 ** 31, 2 ** 32 - 1, 2 ** 32, -24, -25, -256, -257),
  fc.constantFrom(-65536, -65537, -(2 ** 31), -(2 ** 31) - 1, -(2 ** 32), -(2 ** 32) - 1, -0, 0.5),
)

const lengths = [0, 1, 23, 24, 31, 32, 63, 64, 255, 256, 21_845, 21_846, 65_535, 65_536]

describe('CborWriter', () => {
  test('writes what cbor-x writes', () => {
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false, undefined),
        numbers,
        anyText,
        fc.uint8Array({ maxLength: 300 }),
        fc.array(tie('tree'), { maxLength: 30 }),
        fc.dictionary(fc.oneof(fc.constantFrom('constructor', '10', '9'), anyText), tie('tree')),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        expect(written(value)).toBe(hexOf(peer.encode(value)))
      }),
      { numRuns: runs(1000) },
    )
  })

  it.each(['a', 'é', '€', '😀', '\ud800'])('writes texts of any length made of %j as cbor-x does', (char) => {
    for (const length of lengths) {
      const text = char.repeat(length)
      for (const value of [text, [text], { [text]: text }])
        expect(written(value)).toBe(hexOf(peer.encode(value)))
    }
  })

  it('writes lists, maps and bytes of any length as cbor-x does', () => {
    for (const length of lengths) {
      const list = Array.from({ length }, (_, i) => i)
      const map = Object.fromEntries(list.map((i) => [`k${i}`, i]))
      for (const value of [list, map, new Uint8Array(length)])
        expect(written(value)).toBe(hexOf(peer.encode(value)))
    }
  })

  it('marks values of a class of its own', () => {
    expect(written([new Date(5)])).toBe('81d901068105')
  })

  it('gives bytes that nothing overwrites', () => {
    const bytes = writer.encode(['a', 1])
    writer.encode(['x'.repeat(100_000)])
    writer.encode(['b', 2])
    expect(hexOf(bytes)).toBe('82616101')
  })

  it('refuses what is no value', () => {
    expect(() => writer.encode([1n])).toThrow('a bigint is no value')
  })
})

test('endOfItem finds the end of items of every kind and size', () => {
  for (const value of [
    null,
    1.5,
    2 ** 32,
    -(2 ** 31),
    'x',
    'x'.repeat(300),
    'x'.repeat(70_000),
    [],
    Array.from({ length: 300 }, (_, i) => i),
    Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`k${i}`, [i]])),
    Uint8Array.of(1, 2),
  ]) {
    const bytes = writer.encode([value, value])
    const first = endOfItem(bytes, 1)
    expect(first - 1).toBe(writer.encode(value).length)
    expect(endOfItem(bytes, 0)).toBe(bytes.length)
  }
})
