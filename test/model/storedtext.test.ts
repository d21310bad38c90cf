import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { sliceOf } from '../../src/model/bytes.ts'
import { BlobRef, encode } from '../../src/model/canonical.ts'
import { type Envelope, subtract } from '../../src/model/envelope.ts'
import { hasVerbatim, type Json, jsonText, Verbatim } from '../../src/model/json.ts'
import { addStoredIn } from '../../src/model/storedtext.ts'
import { Utf8Room } from '../../src/model/utf8room.ts'
import { parseJson } from '../../src/model/value.ts'
import { anyTree, select, spellTree } from '../support/json.ts'
import { UNFOLLOWED } from '../support/unfollowed.ts'

const noBlobs = (): never => {
  throw new Error('there is no blob')
}

/** Gives the text of a record, undefined where it is left to others. */
function textIn(envelope: Envelope, bytes: Uint8Array): string | undefined {
  const room = new Utf8Room()
  return addStoredIn(room, envelope, sliceOf(bytes), noBlobs)
    ? Buffer.from(room.take()).toString()
    : undefined
}

const anyValue = anyTree.map((tree) => parseJson(spellTree(tree))?.value ?? null)

describe('addStoredIn', () => {
  const textOf = (value: Json, body: Json, at: readonly string[] = []): string | undefined =>
    textIn(subtract(value, body, at), encode(body))

  test('spells every value of which a body was taken, but for what JavaScript does not hold', () => {
    fc.assert(
      fc.property(anyValue, fc.array(fc.nat(), { minLength: 1 }), (value, numbers) => {
        let next = 0
        const body = select(value, () => numbers[next++ % numbers.length] as number) ?? null
        expect(textOf(value, body)).toBe(hasVerbatim(body) ? undefined : jsonText(value))
        expect(textOf({ in: value, n: 1 }, body, ['in'])).toBe(
          hasVerbatim(body) ? undefined : jsonText({ in: value, n: 1 }),
        )
      }),
      { numRuns: 1000 },
    )
  })

  it.each<[string, Json]>([
    [
      'numbers of all sizes',
      [0, 23, 24, 255, 256, 65535, 65536, 4294967295, 4294967296, -1, -257, -4294967297],
    ],
    ['fractions', [1.5, -1.5, 0.1, 5e-324, 1.7976931348623157e308]],
    ['words', [true, false, null]],
    ['what is empty', [{}, [], '', { a: {}, b: [] }]],
    ['a byte order mark', ['\ufeff', `\ufeff${'x'.repeat(70_000)}`]],
    ['large objects', Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i]))],
    ['keys that have to be escaped', { 'a"b': 1, '\n': { 'é\\': 2 } }],
  ])('spells %s', (_, value) => {
    expect(textOf(value, value)).toBe(JSON.stringify(value))
    expect(textOf({ value }, { value })).toBe(JSON.stringify({ value }))
    expect(textOf({ value }, {})).toBe(JSON.stringify({ value }))
  })

  it('spells what the record has otherwise than the body', () => {
    expect(textOf({ a: 1, b: [2, { c: 'x' }] }, { a: 'é', b: [{ d: 1 }, { c: [] }] })).toBe(
      '{"a":1,"b":[2,{"c":"x"}]}',
    )
  })

  it('spells a body under some keys of the value', () => {
    const value = { id: 1, payload: { time: 2, message: { role: 'user', at: 3 } }, end: true }
    for (const role of ['user', 'tool'])
      expect(textOf(value, { role }, ['payload', 'message'])).toBe(JSON.stringify(value))
  })

  it('has the blob added whose place stands there', () => {
    const body = { text: new BlobRef(7, 2 ** 40), same: 'x' }
    const envelope = subtract({ text: 'blob', id: 1, same: 'x' }, { text: 'blob', same: 'x' })
    const room = new Utf8Room()
    const isSpelled = addStoredIn(room, envelope, sliceOf(encode(body)), (into, ...place) =>
      into.text(place.join()),
    )
    expect([isSpelled, Buffer.from(room.take()).toString()]).toEqual([
      true,
      '{"text":7,1099511627776,"id":1,"same":"x"}',
    ])
  })

  it.each(UNFOLLOWED)('leaves %s to others', (_, shape, body) => {
    expect(textIn({ shape, values: [] }, encode(body))).toBeUndefined()
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
    ['text that is no UTF-8', Uint8Array.of(0x61, 0xff)],
    ['another tag', Uint8Array.of(0xd9, 0x9d, 0x82, 0x82, 1, 1)],
    ['a place of three', Uint8Array.of(0xd9, 0x9d, 0x81, 0x83, 1, 1, 1)],
    ['more than one value', Uint8Array.of(1, 1)],
    ['a list of more than there is', Uint8Array.of(0x9a, 255, 255, 255, 255, 1)],
    ['an object of more than there is', Uint8Array.of(0xba, 255, 255, 255, 255, 0x61, 0x61, 1)],
    ['nothing', new Uint8Array(0)],
  ])('leaves %s to others', (_, bytes) => {
    expect(textIn({ shape: '0', values: [] }, bytes)).toBeUndefined()
  })

  test('takes nothing that is cut short', () => {
    fc.assert(
      fc.property(anyValue, fc.nat(), (value, cut) => {
        const bytes = encode(value)
        expect(textIn({ shape: '0', values: [] }, bytes.subarray(0, cut % bytes.length))).toBeUndefined()
      }),
    )
  })
})
