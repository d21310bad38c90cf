import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { encode } from '../../../src/model/encoding/canonical.ts'
import type { Json } from '../../../src/model/json.ts'
import { RecordEncoder } from '../../../src/model/recordencoder.ts'
import { matchText } from '../../../src/model/spelling/matchbytes.ts'
import { parseJson } from '../../../src/model/value.ts'
import { anyTree, spellTree } from '../../support/json.ts'

const utf8 = (text: string): Buffer => Buffer.from(text)

/** Returns whether an encoder takes a text for exactly what `JSON.parse` makes of it. */
function isHeld(encoder: RecordEncoder, text: string): boolean {
  return encoder.match(JSON.parse(text) as Json, utf8(text), 0, utf8(text).length) !== undefined
}

test('a text holds its value exactly where the exact parser keeps nothing of it verbatim', () => {
  const encoder = new RecordEncoder()
  fc.assert(
    fc.property(anyTree, (tree) => {
      const text = spellTree(tree)
      const exact = parseJson(text)?.value as Json
      const plain = JSON.parse(text) as Json
      const isSame =
        Buffer.compare(encode(exact), encode(plain)) === 0 && JSON.stringify(exact) === JSON.stringify(plain)
      expect(isHeld(encoder, text)).toBe(isSame && isPlain(exact))
    }),
    { numRuns: 500 },
  )
})

const isPlain = (value: Json): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Array.isArray(value)
    ? (value as readonly Json[]).every(isPlain)
    : Object.getPrototypeOf(value) === Object.prototype &&
      Object.values(value).every((part) => isPlain(part as Json)))

it('holds for every spelling of a value', () => {
  const encoder = new RecordEncoder()
  for (const text of [
    ' { "a" : [ 1 , 2.50e1, -7, 7.0, true, false, null, {} ] }',
    '{"\\u0061":"\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\"\\\\\\u0000"}',
    '\t[\r\n"é😀"]',
  ])
    expect(isHeld(encoder, text)).toBe(true)
})

it('does not hold for what JavaScript changes, or for another value', () => {
  const encoder = new RecordEncoder()
  for (const text of [
    '[-0]',
    '[-0.0]',
    '[1e400]',
    '[12345678901234567890]',
    `[${'1'.repeat(200)}]`,
    '["\\ud800"]',
    '["\\ud800\\u0041"]',
    '["\\udc00"]',
    '{"a":1,"a":1}',
    '{"b":1,"1":1}',
    '{"__proto__":1}',
    `${'['.repeat(300)}${']'.repeat(300)}`,
  ])
    expect(isHeld(encoder, text)).toBe(false)
  for (const [value, text] of [
    [{ a: 1 }, '{"a":2}'],
    [{ a: 1 }, '{"a":1,"b":2}'],
    [{ a: 1, b: 2 }, '{"a":1}'],
    [['ab'], '["a"]'],
    [['a'], '["ab"]'],
    [[1], '[1,2]'],
    [[true], '[false]'],
    [[null], '[0]'],
  ] as const)
    expect(matchText(encode(value), utf8(text))).toBe(undefined)
  expect(matchText(encode([1]), utf8('[1]x'))).toBe(undefined)
})

const isSpelled = (value: unknown, text: string): boolean =>
  matchText(encode(value), utf8(text)) === 'compact'

describe('a compact text', () => {
  test('is what JSON.stringify writes of any value, and nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'large' }), fc.string(), (value, other) => {
        const text = JSON.stringify(value)
        expect(isSpelled(JSON.parse(text), text)).toBe(text.isWellFormed())
        expect(isSpelled(JSON.parse(text), `${text} `)).toBe(false)
        if (other !== text) expect(isSpelled(JSON.parse(text), other)).toBe(false)
      }),
    )
  })

  it('has numbers and lengths of each size', () => {
    for (const value of [
      0,
      23,
      24,
      255,
      256,
      65_535,
      65_536,
      2 ** 32 - 1,
      2 ** 32,
      -1,
      -24,
      -25,
      -(2 ** 32),
      0.5,
      1e300,
    ])
      expect(
        isSpelled(
          { a: [value, 'x'.repeat(Math.min(70_000, Math.abs(value)))] },
          JSON.stringify({
            a: [value, 'x'.repeat(Math.min(70_000, Math.abs(value)))],
          }),
        ),
      ).toBe(true)
  })

  it('is none that JavaScript changes, or writes otherwise', () => {
    for (const text of [
      '-0',
      '1.0',
      '1e400',
      '12345678901234567890',
      '"\\ud800"',
      '"\\/"',
      '{"a":1,"a":2}',
      '{"b":1,"1":2}',
    ])
      expect(isSpelled(JSON.parse(text), text)).toBe(false)
  })
})

describe('parseJson', () => {
  test('returns the same value with the UTF-8 of a text as without', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const text = spellTree(tree)
        const [from, without] = [parseJson(text, true, utf8(text)), parseJson(text, true)]
        expect(encode(from?.value as Json)).toEqual(encode(without?.value as Json))
        expect(from?.spelling).toBe(without?.spelling)
      }),
    )
  })

  it('scans a key __proto__ and deep nesting exactly, also where the text comes back unchanged', () => {
    const deep = `${'['.repeat(300)}${']'.repeat(300)}`
    for (const text of ['{"__proto__":1}', deep]) {
      const parsed = parseJson(text, false, utf8(text))
      expect(parsed?.spelling).toBe(undefined)
      expect(parsed).toEqual(parseJson(text))
    }
  })
})
