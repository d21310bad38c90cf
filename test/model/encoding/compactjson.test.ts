import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { encode } from '../../../src/model/canonical.ts'
import { isSpelledBy } from '../../../src/model/encoding/compactjson.ts'
import type { Json } from '../../../src/model/json.ts'
import { parseJson } from '../../../src/model/value.ts'
import { anyTree, spellTree } from '../../support/json.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const isSpelled = (value: unknown, text: string): boolean => isSpelledBy(encode(value), utf8(text))

describe('isSpelledBy', () => {
  test('holds for what JSON.stringify writes of any value, and for nothing else', () => {
    fc.assert(
      fc.property(fc.jsonValue({ depthSize: 'large' }), fc.string(), (value, other) => {
        const text = JSON.stringify(value)
        expect(isSpelled(JSON.parse(text), text)).toBe(text.isWellFormed())
        expect(isSpelled(JSON.parse(text), `${text} `)).toBe(false)
        if (other !== text) expect(isSpelled(JSON.parse(text), other)).toBe(false)
      }),
    )
  })

  it('holds for numbers and lengths of each size', () => {
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

  it('does not hold for what JavaScript changes', () => {
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
