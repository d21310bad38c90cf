import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { encode } from '../../../src/model/encoding/canonical.ts'
import { type Envelope, fill, subtract } from '../../../src/model/envelope.ts'
import { hasVerbatim, type Json, jsonText } from '../../../src/model/json.ts'
import { spellFilled } from '../../../src/model/spelling/spellbytes.ts'
import { Utf8Buffer } from '../../../src/model/spelling/utf8buffer.ts'
import { parseJson } from '../../../src/model/value.ts'
import { runs } from '../../support/amount.ts'
import { anyTree, select, spellTree, type Tree } from '../../support/json.ts'

const valueOf = (tree: Tree): Json => parseJson(spellTree(tree))?.value ?? null

/** Returns the text that is added behind another one; undefined where it is not spelled, and then nothing is added. */
function spelled(envelope: Envelope, canonical: Uint8Array | undefined): string | undefined {
  const buffer = new Utf8Buffer(16)
  buffer.text('before')
  const isSpelled = spellFilled(buffer, envelope, canonical)
  const text = Buffer.from(buffer.take()).toString()
  expect(text.slice(0, 6)).toBe('before')
  if (!isSpelled) expect(text).toBe('before')
  return isSpelled ? text.slice(6) : undefined
}

const bytesOf = (body: Json | undefined): Uint8Array | undefined =>
  body === undefined ? undefined : encode(body)

describe('spellFilled', () => {
  test('spells every value with every selection of it that has no verbatim part', () => {
    fc.assert(
      fc.property(anyTree, fc.array(fc.nat(), { minLength: 1 }), (tree, numbers) => {
        const value = valueOf(tree)
        let next = 0
        const body = select(value, () => numbers[next++ % numbers.length] as number)
        const isPlain = body === undefined || !hasVerbatim(body)
        expect(spelled(subtract(value, body), bytesOf(body))).toBe(isPlain ? jsonText(value) : undefined)
      }),
      { numRuns: runs(4000) },
    )
  })

  test('spells any two values as filling them does, or not at all', () => {
    fc.assert(
      fc.property(anyTree, anyTree, (one, other) => {
        const [value, body] = [valueOf(one), valueOf(other)]
        const envelope = subtract(value, body)
        expect([undefined, jsonText(fill(envelope, body))]).toContain(spelled(envelope, encode(body)))
      }),
      { numRuns: runs(1000) },
    )
  })

  it('spells texts and numbers of every length', () => {
    const texts = [0, 23, 24, 255, 256, 65_535, 65_536, 200_000].flatMap((length) =>
      ['a', '\n', '\u0001', 'é', '😀', 'a"'].map((unit) => unit.repeat(length)),
    )
    const numbers = [0, 23, 24, 255, 256, 65_535, 65_536, 2 ** 32 - 1, 2 ** 32, -1, -(2 ** 32), 1.5, 1e300]
    const long = Array.from({ length: 70_000 }, (_, i) => i)
    const value = { texts, numbers, long, words: [true, false, null], id: 'x', empty: [{}, []] }
    const { id: _, ...body } = value
    expect(spelled(subtract(value, body), encode(body))).toBe(JSON.stringify(value))
  })

  it('leaves a body with keys in another order, below some keys or of another kind to the plain way', () => {
    expect(spelled({ shape: '{"a":0,"b":0}', values: [] }, encode({ b: 1, a: 2 }))).toBeUndefined()
    expect(spelled(subtract({ row: { a: 1 } }, { a: 1 }, ['row']), encode({ a: 1 }))).toBeUndefined()
    expect(spelled({ shape: '[0]', values: [] }, encode({ a: 1 }))).toBeUndefined()
    expect(spelled({ shape: '{"a":1}', values: [] }, encode({}))).toBeUndefined()
    expect(spelled({ shape: '0', values: [] }, undefined)).toBeUndefined()
  })

  test('spells nothing of bytes that end early, and throws nothing for any others', () => {
    fc.assert(
      fc.property(anyTree, fc.nat(), fc.nat(255), (tree, place, byte) => {
        const bytes = encode(valueOf(tree))
        const at = place % bytes.length
        expect(spelled({ shape: '0', values: [] }, bytes.subarray(0, at))).toBeUndefined()
        const changed = Uint8Array.from(bytes)
        changed[at] = byte
        spelled({ shape: '0', values: [] }, changed)
        spelled({ shape: '{"a":0,"type":1}', values: [1] }, changed)
      }),
      { numRuns: runs(2000) },
    )
  })

  it('stops at bytes that are nested too deep', () => {
    expect(spelled({ shape: '0', values: [] }, new Uint8Array(100_000).fill(0x81))).toBeUndefined()
  })
})
