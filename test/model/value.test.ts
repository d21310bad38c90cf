import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { decode, encode } from '../../src/model/encoding/canonical.ts'
import { scanJson } from '../../src/model/encoding/jsontext.ts'
import { Verbatim } from '../../src/model/encoding/verbatim.ts'
import { hasVerbatim, isObject, items, jsonText, plain } from '../../src/model/json.ts'
import { spell } from '../../src/model/spelling/jsonspelling.ts'
import { fromValue, parseJson, tryParse } from '../../src/model/value.ts'
import { ALL, runs } from '../support/amount.ts'
import { anyTree, choices, hexOf, spellTree } from '../support/json.ts'

const LAYOUTS = ['p', 'i2', 'i4+2', 'it', 'i12']

describe('parseJson', () => {
  it.each([
    ['{"a":[1,2.5,"x",null,true,false]}', { a: [1, 2.5, 'x', null, true, false] }],
    ['"é\\n"', 'é\n'],
    [' [ ] ', []],
    ['7.0', 7],
    ['70e-1', 7],
    ['{"9":1,"10":2,"a":3}', { 9: 1, 10: 2, a: 3 }],
  ])('gives the value of %s', (text, value) => {
    expect(parseJson(text)?.value).toEqual(value)
  })

  it.each([
    ['half a surrogate pair', '"\\ud800"', '"\\ud800"'],
    ['half a pair in upper case', '"\\uD800x"', '"\\ud800x"'],
    ['half a pair, not escaped', '"\udc00"', '"\\udc00"'],
    ['a key that is half a pair', '{"\\ud800":1}', '{"\\ud800":1}'],
    ['a key __proto__', '{"__proto__":{"x":1}}', '{"__proto__":{"x":1}}'],
    ['a key __proto__ in escapes', '{"\\u005f_proto__":1}', '{"__proto__":1}'],
    ['a key twice', '{"a":1,"a":2}', '{"a":1,"a":2}'],
    ['integer-like keys out of order', '{"b":1,"10":2,"9":3}', '{"b":1,"10":2,"9":3}'],
    ['minus zero', '-0', '-0'],
    ['minus zero in other digits', '-0.00e7', '-0'],
    ['an integer that no double holds', '9007199254740993', '9007199254740993'],
    ['a fraction that no double holds', '0.10000000000000000001', '10000000000000000001e-20'],
    ['a number beyond all doubles', '-1E+0400', '-1e400'],
    ['a number below all doubles', '0.001e-400', '1e-403'],
  ])('keeps %s as text', (_what, text, kept) => {
    expect(parseJson(`[${text}]`)).toEqual({ value: [new Verbatim(kept)], spelling: undefined })
    expect(parseJson(text)?.value).toEqual(new Verbatim(kept))
  })

  it('keeps what is nested over 256 deep as text', () => {
    const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
    expect(parseJson(nested(256))?.spelling).toBe('')
    expect(hasVerbatim(parseJson(nested(256))?.value ?? null)).toBe(false)
    let value = parseJson(nested(300))?.value
    for (let depth = 0; depth < 256; depth++) value = items(value)[0]
    expect(value).toEqual(new Verbatim(nested(44)))
  })

  it.each([5_000, 10_000, ALL ? 1_000_000 : 100_000])(
    'reads, writes and encodes %d levels without recursion',
    (depth) => {
      const text = '{"a":['.repeat(depth / 2) + ']}'.repeat(depth / 2)
      const value = parseJson(text)?.value ?? null
      expect(jsonText(value) === text).toBe(true)
      expect(jsonText(decode(encode(value))) === text).toBe(true)
    },
  )

  it('gives undefined for what is no JSON', () => {
    for (const text of [
      '',
      ' ',
      '{',
      '[1,]',
      '{"a"}',
      '01',
      '1 2',
      'nul',
      '"\n"',
      "'a'",
      '\ufeff1',
      'NaN',
      '"\\x"',
    ])
      expect(parseJson(text)).toBeUndefined()
  })

  it('takes a record as agents read it: a key twice counts by its last value', () => {
    expect(parseJson('{"a":1,"b":{"c":1,"c":2},"a":3}', true)?.value).toEqual({
      a: 3,
      b: new Verbatim('{"c":1,"c":2}'),
    })
  })

  test('tells plain values, which come back unchanged', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value)
        const parsed = parseJson(text)
        expect(parsed && plain(parsed.value)).toEqual(JSON.parse(text))
        if (parsed?.spelling === '') expect(jsonText(parsed.value)).toBe(text)
        expect(plain(parseJson(jsonText(parsed?.value ?? null))?.value ?? null)).toEqual(JSON.parse(text))
      }),
    )
  })

  test('knows the spelling of what is laid out evenly', () => {
    const value = { a: [1, { b: 'é\n' }, []], c: {}, '9': null }
    for (const layout of LAYOUTS) expect(parseJson(spell(value, layout))).toEqual({ value, spelling: layout })
    expect(parseJson('{"a": 1,"b":2}')).toEqual({ value: { a: 1, b: 2 }, spelling: undefined })
  })

  test('takes exactly the texts that JSON.parse takes', () => {
    const damaged = fc.tuple(
      anyTree,
      choices,
      fc.nat(),
      fc.constantFrom('', ',', '"', '}', '0', '\\', '\u0001'),
    )
    fc.assert(
      fc.property(damaged, ([tree, seed, at, put]) => {
        const whole = spellTree(tree, seed)
        const text =
          whole.slice(0, at % (whole.length + 1)) + put + whole.slice((at % (whole.length + 1)) + 1)
        const scan = scanJson(text)
        const ends = scan.ok && text.slice(scan.end).trim() === ''
        expect(ends).toBe(tryParse(text) !== undefined)
      }),
      { numRuns: runs(500) },
    )
  })

  test('gives the same by the fast way and by the exact way', () => {
    fc.assert(
      fc.property(anyTree, choices, fc.boolean(), (tree, seed, lenient) => {
        const laidOut = LAYOUTS.map((layout) => spell(parseJson(spellTree(tree))?.value ?? null, layout))
        for (const text of [spellTree(tree), spellTree(tree, seed), ...laidOut]) {
          const scan = scanJson(text, 0, lenient)
          if (!scan.ok) throw new Error(scan.why)
          expect(hexOf(encode(parseJson(text, lenient)?.value))).toBe(hexOf(encode(scan.value)))
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test('gives equal values for all spellings, and values that their text gives again', () => {
    fc.assert(
      fc.property(anyTree, choices, choices, (tree, one, other) => {
        const value = parseJson(spellTree(tree, one))?.value ?? null
        const hex = hexOf(encode(value))
        expect(hexOf(encode(parseJson(spellTree(tree, other))?.value))).toBe(hex)
        expect(hexOf(encode(parseJson(jsonText(value))?.value))).toBe(hex)
      }),
      { numRuns: runs(500) },
    )
  })

  test('never gives a value that JavaScript would change', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const value = parseJson(spellTree(tree))?.value ?? null
        if (isObject(value)) expect(Object.hasOwn(value, '__proto__')).toBe(false)
        if (!hasVerbatim(value)) expect(JSON.stringify(JSON.parse(jsonText(value)))).toBe(jsonText(value))
      }),
    )
  })
})

describe('fromValue', () => {
  it('writes as JSON.stringify does', () => {
    expect(fromValue({ a: undefined, b: new Date(0), c: [Number.NaN, -0] })).toEqual({
      b: '1970-01-01T00:00:00.000Z',
      c: [null, 0],
    })
    expect(fromValue('\ud800')).toEqual(new Verbatim('"\\ud800"'))
    expect(fromValue(undefined)).toBeUndefined()
    expect(fromValue(() => 1)).toBeUndefined()
  })

  it('gives the value of that text, and nothing of what it was given', () => {
    const odd = fc.constantFrom<unknown>(
      undefined,
      Number.NaN,
      -0,
      '\ud83d',
      new Date(0),
      Object.create({ a: 1 }),
    )
    const values = fc.anything({ withNullPrototype: true, maxDepth: 3 })
    fc.assert(
      fc.property(
        fc.oneof(values, fc.jsonValue(), fc.array(odd), fc.dictionary(fc.string(), odd)),
        (value) => {
          let text: string | undefined
          try {
            text = JSON.stringify(value)
          } catch {
            return expect(() => fromValue(value)).toThrow(TypeError)
          }
          const given = fromValue(value)
          expect(given).toEqual(text === undefined ? undefined : parseJson(text)?.value)
          if (given !== undefined && text !== undefined)
            expect(hexOf(encode(given))).toBe(hexOf(encode(parseJson(text)?.value)))
          if (typeof given === 'object' && given !== null) expect(given).not.toBe(value)
        },
      ),
    )
    const deep = JSON.parse('['.repeat(300) + ']'.repeat(300)) as unknown
    expect(fromValue(deep)).toEqual(parseJson(JSON.stringify(deep))?.value)
  })

  it('throws on what JSON cannot hold', () => {
    const cycle: unknown[] = []
    cycle.push(cycle)
    expect(() => fromValue(cycle)).toThrow(TypeError)
    expect(() => fromValue(1n)).toThrow(TypeError)
  })
})
