import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { sliceOf } from '../../src/model/bytes.ts'
import { BlobRef, encode } from '../../src/model/canonical.ts'
import { subtract } from '../../src/model/envelope.ts'
import { hasVerbatim, type Json, Verbatim } from '../../src/model/json.ts'
import { storedIn, storedValue } from '../../src/model/storedvalue.ts'
import { parseJson } from '../../src/model/value.ts'
import { anyTree, hexOf, select, spellTree } from '../support/json.ts'
import { UNFOLLOWED } from '../support/unfollowed.ts'

const noBlobs = (): string => {
  throw new Error('there is no blob')
}
/** Reads bytes that others stand around, all of which could go on with what is read. */
const read = (bytes: Uint8Array): Json | undefined => {
  const around = Buffer.concat([Buffer.of(0), bytes, new Uint8Array(20)])
  return storedValue({ ...sliceOf(around), from: 1, to: 1 + bytes.length }, noBlobs)
}

const anyValue = anyTree.map((tree) => parseJson(spellTree(tree))?.value ?? null)

describe('storedValue', () => {
  test('gives what was encoded, the keys in their order, but for what JavaScript does not hold', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        const back = read(encode(value))
        expect(back).toEqual(hasVerbatim(value) ? undefined : value)
        if (back !== undefined) expect(hexOf(encode(back))).toBe(hexOf(encode(value)))
      }),
      { numRuns: 1000 },
    )
  })

  it.each<[string, Json]>([
    ['numbers at the bounds of their sizes', [0, 23, 24, 255, 256, 65535, 65536, 4294967295, 4294967296]],
    ['numbers below zero', [-1, -24, -25, -256, -257, -65536, -65537, -4294967296, -4294967297]],
    ['fractions', [1.5, -1.5, 0.1, 5e-324, 1.7976931348623157e308]],
    ['words', [true, false, null]],
    ['texts of any length', ['', 'a', 'x'.repeat(23), 'x'.repeat(24), 'x'.repeat(25), 'é'.repeat(300)]],
    ['a byte order mark', ['\ufeff', '\ufeffx', `\ufeff${'x'.repeat(70_000)}`]],
    ['long lists', Array.from({ length: 70_000 }, (_, i) => i)],
    ['large objects', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]))],
    ['keys that are numbers', { 1: 'a', 2: 'b' }],
  ])('gives %s', (_, value) => {
    expect(read(encode(value))).toEqual(value)
  })

  it('keeps texts apart that are remembered in one place', () => {
    const texts = Array.from({ length: 20_000 }, (_, i) => i.toString(36))
    expect(read(encode(texts))).toEqual(texts)
    expect(read(encode(texts.toReversed()))).toEqual(texts.toReversed())
  })

  it('puts the text of a blob where its place stands', () => {
    const stored = { a: new BlobRef(7, 70_000), b: [new BlobRef(2 ** 40, 0)], c: 'c' }
    const value = storedValue(sliceOf(encode(stored)), (block, index) => `${block} ${index}`)
    expect(value).toEqual({ a: '7 70000', b: [`${2 ** 40} 0`], c: 'c' })
  })

  it.each<[string, Uint8Array]>([
    ['text kept verbatim', encode(new Verbatim('-0'))],
    ['bytes', encode({ a: Uint8Array.of(1, 2) })],
    ['undefined', encode([undefined])],
    ['integers of 64 bits', Uint8Array.of(0x1b, 0, 0, 0, 0, 0, 0, 0, 1)],
    ['half a double', Uint8Array.of(0xf9, 0x3c, 0)],
    ['a list without an end', Uint8Array.of(0x9f, 1, 0xff)],
    ['a key that is no text', Uint8Array.of(0xa1, 1, 1)],
    ['the key __proto__', Uint8Array.of(0xa1, 0x69, ...Buffer.from('__proto__'), 1)],
    ['another tag', Uint8Array.of(0xd9, 0x9d, 0x82, 0x82, 1, 1)],
    ['a place of three', Uint8Array.of(0xd9, 0x9d, 0x81, 0x83, 1, 1, 1)],
    ['more than one value', Uint8Array.of(1, 1)],
    ['a list of more than there is', Uint8Array.of(0x9a, 255, 255, 255, 255, 1)],
    ['nothing', new Uint8Array(0)],
  ])('leaves %s to others', (_, bytes) => {
    expect(read(bytes)).toBeUndefined()
  })

  test('takes nothing that is cut short', () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), (value, cut) => {
        const bytes = encode(value)
        expect(read(bytes.subarray(0, cut % bytes.length))).toBeUndefined()
      }),
    )
  })

  it('reads parts of a buffer as they stand', () => {
    const bytes = encode({ n: 1.5, text: 'in the middle of others' })
    const around = Uint8Array.of(1, 2, 3, ...bytes, 4)
    expect(read(around.subarray(3, -1))).toEqual({ n: 1.5, text: 'in the middle of others' })
  })
})

describe('storedIn', () => {
  const filled = (value: Json, body: Json, at: readonly string[] = []): Json | undefined =>
    storedIn(subtract(value, body, at), sliceOf(encode(body)), noBlobs)

  test('gives back every value of which a body was taken, but for what JavaScript does not hold', () => {
    fc.assert(
      fc.property(anyValue, fc.array(fc.nat(), { minLength: 1 }), (value, numbers) => {
        let next = 0
        const body = select(value, () => numbers[next++ % numbers.length] as number) ?? null
        const back = filled(value, body)
        if (hasVerbatim(body)) expect(back).toBeUndefined()
        else expect(hexOf(encode(back ?? null))).toBe(hexOf(encode(value)))
      }),
      { numRuns: 1000 },
    )
  })

  it('finds a body under some keys of the value', () => {
    const value = { id: 1, payload: { time: 2, message: { role: 'user', at: 3 } }, end: true }
    expect(filled(value, { role: 'user' }, ['payload', 'message'])).toEqual(value)
    expect(filled(value, { role: 'tool' }, ['payload', 'message'])).toEqual(value)
  })

  it('puts the text of a blob where its place stands', () => {
    const body = { text: new BlobRef(7, 8), same: 'x' }
    const { shape, values } = subtract({ text: 'blob', id: 1, same: 'x' }, { text: 'blob', same: 'x' })
    expect(storedIn({ shape, values }, sliceOf(encode(body)), () => 'blob')).toEqual({
      text: 'blob',
      id: 1,
      same: 'x',
    })
  })

  it.each(UNFOLLOWED)('leaves %s to others', (_, shape, body) => {
    expect(storedIn({ shape, values: [] }, sliceOf(encode(body)), noBlobs)).toBeUndefined()
  })
})
