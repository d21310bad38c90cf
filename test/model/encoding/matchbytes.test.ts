import fc from 'fast-check'
import { expect, it, test } from 'vitest'
import { encode } from '../../../src/model/canonical.ts'
import { isTextOf } from '../../../src/model/encoding/matchbytes.ts'
import type { Json } from '../../../src/model/json.ts'
import { RecordEncoder } from '../../../src/model/recordencoder.ts'
import { parseJson } from '../../../src/model/value.ts'
import { anyTree, spellTree } from '../../support/json.ts'

const utf8 = (text: string): Buffer => Buffer.from(text)

/** Returns whether an encoder takes a text for exactly what `JSON.parse` makes of it. */
function holds(encoder: RecordEncoder, text: string): boolean {
  encoder.encode(JSON.parse(text) as Json)
  return encoder.holds(utf8(text), 0, utf8(text).length)
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
      expect(holds(encoder, text)).toBe(isSame && isPlain(exact))
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
    expect(holds(encoder, text)).toBe(true)
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
    expect(holds(encoder, text)).toBe(false)
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
    expect(isTextOf(encode(value), utf8(text))).toBe(false)
  expect(isTextOf(encode([1]), utf8('[1]x'))).toBe(false)
})
