import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { encode } from '../../src/model/encoding/canonical.ts'
import { digestOf } from '../../src/model/encoding/entry.ts'
import { fill, subtract } from '../../src/model/envelope.ts'
import type { Json, JsonObject } from '../../src/model/json.ts'
import { RecordEncoder } from '../../src/model/recordencoder.ts'
import { parseJson } from '../../src/model/value.ts'
import { anyTree, hexOf, spellTree } from '../support/json.ts'

const utf8 = (text: string): Buffer => Buffer.from(text)

/** Returns whether an encoder proves a text, in the middle of other bytes. */
function proves(encoder: RecordEncoder, text: string): boolean {
  const bytes = utf8(`\n${text}x`)
  return encoder.match(JSON.parse(text) as Json, bytes, 1, bytes.length - 1) === 'compact'
}

/** Selects parts of a value as a format does: keys left out at any depth, in any order, the rest the same objects. */
function selected(value: Json, choose: () => number): Json {
  const kind = choose() % 4
  if (kind === 0 || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return (value as readonly Json[]).map((part) => selected(part, choose))
  const object = value as JsonObject
  const keys = Object.keys(object).filter(() => choose() % 3 > 0)
  if (kind === 1) keys.reverse()
  return Object.fromEntries(keys.map((key) => [key, selected(object[key] as Json, choose)]))
}

const chooser = (numbers: readonly number[]): (() => number) => {
  let at = 0
  return () => numbers[at++ % numbers.length] as number
}

/** Any value that may be divided: `match` proves none with a key `__proto__`. */
const values = fc
  .jsonValue({ depthSize: 'large' })
  .map((any) => JSON.stringify(any))
  .filter((text) => !text.includes('"__proto__"'))
  .map((text) => JSON.parse(text) as Json)

const numbers = fc.array(fc.nat(100), { minLength: 1, maxLength: 40 })

describe('RecordEncoder', () => {
  test('proves exactly the texts that the exact parser takes for compact', () => {
    const encoder = new RecordEncoder()
    fc.assert(
      fc.property(anyTree, (tree) => {
        const text = spellTree(tree)
        const parsed = parseJson(text)
        const isCompact = parsed?.spelling === '' && text.isWellFormed()
        expect(proves(encoder, text)).toBe(isCompact)
      }),
      { numRuns: 300 },
    )
  })

  test('gives the digest, the bytes, the shape and the values of any selection of any value', () => {
    const encoder = new RecordEncoder()
    fc.assert(
      fc.property(values, numbers, (value, choices) => {
        const body = selected(value, chooser(choices))
        encoder.encode(value)
        encoder.divide(body)
        const encoded = encoder.body()
        expect(hexOf(encoded.bytes)).toBe(hexOf(encode(body)))
        expect(encoded.digest).toBe(digestOf(body))
        const envelope = encoder.envelope()
        const expected = subtract(value, body)
        expect(envelope.shape).toBe(expected.shape)
        expect(envelope.values).toEqual(expected.values)
        expect(fill(envelope, body)).toEqual(value)
      }),
    )
  })

  test('does so where the body is below some keys of the value', () => {
    const encoder = new RecordEncoder()
    fc.assert(
      fc.property(values, fc.string(), numbers, (inner, key, choices) => {
        if (key === '__proto__') return
        const value = { before: 'x'.repeat(2000), payload: { [key]: inner, z: 1 }, after: [1] }
        const body = selected(inner, chooser(choices))
        encoder.encode(value)
        const path = ['payload', key]
        encoder.divide(body, path)
        expect(hexOf(encoder.body().bytes)).toBe(hexOf(encode(body)))
        const envelope = encoder.envelope()
        expect(envelope.shape).toBe(subtract(value, body, path).shape)
        expect(fill(envelope, body)).toEqual(value)
      }),
    )
  })

  it('encodes a body that is no selection of the value', () => {
    const encoder = new RecordEncoder()
    encoder.encode({ a: 1, list: [1, 2] })
    for (const body of [{ b: 1 }, 'other', { a: 1, list: [1] }, { a: { a: 1 } }] as const) {
      encoder.divide(body, ['a', 'b'])
      expect(encoder.body().digest).toBe(digestOf(body))
      encoder.divide(body)
      expect(encoder.body().digest).toBe(digestOf(body))
      expect(fill(encoder.envelope(), body)).toEqual({ a: 1, list: [1, 2] })
    }
  })

  it('knows the places of large texts, those of keys left out', () => {
    const encoder = new RecordEncoder()
    const [long, wide, short] = ['x'.repeat(1024), 'é'.repeat(70_000), 'y'.repeat(1023)]
    const value = { ['k'.repeat(2000)]: short, long, list: [wide, { inner: long }] }
    encoder.encode(value)
    const textsOf = ({ bytes, large }: { bytes: Buffer; large: readonly number[] }): string[] =>
      large.flatMap((from, i) => (i % 2 === 0 ? bytes.toString('utf8', from, large[i + 1]) : []))
    const bodyOf = (body: Json): string[] => {
      encoder.divide(body)
      return textsOf(encoder.body())
    }
    expect(bodyOf(value)).toEqual([long, wide, long])
    expect(bodyOf({ long, list: value.list })).toEqual([long, wide, long])
    expect(bodyOf({ list: value.list, long })).toEqual([wide, long, long])
    expect(bodyOf({ other: wide })).toEqual([wide])
    expect(bodyOf({ long })).toEqual([long])
    expect(textsOf(encoder.envelope())).toEqual([long, wide, long])
  })

  it('does not prove what is too deep, has a key __proto__ or is spelled in another way', () => {
    const encoder = new RecordEncoder()
    const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
    expect(proves(encoder, nested(256))).toBe(true)
    for (const text of [
      nested(257),
      nested(50_000),
      '{"a":{"__proto__":1}}',
      '{"a":1,"a":1}',
      '{"b":1,"1":1}',
      '["\\ud800"]',
      '["\\u0041"]',
      '[-0]',
      '[1.0]',
      '[ 1]',
    ])
      expect(proves(encoder, text)).toBe(false)
    expect(proves(encoder, '{"a":[1,"é😀\\n"]}')).toBe(true)
  })
})
