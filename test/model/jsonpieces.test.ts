import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Verbatim } from '../../src/model/encoding/verbatim.ts'
import { type Json, jsonText } from '../../src/model/json.ts'
import { jsonPieces } from '../../src/model/jsonpieces.ts'
import { runs } from '../support/amount.ts'

const LARGE = 'é"\\\n\u{1f600}'.repeat(20_000)

it('gives the text of a value, and no piece much longer than the largest', () => {
  const values: Json[] = [
    LARGE,
    `a${LARGE}`,
    [LARGE, [], {}, null, -0, 1.5],
    { a: LARGE, 'b"': [LARGE, { c: LARGE }] },
    Array.from({ length: 40_000 }, (_, i) => i),
    [new Verbatim('1.0'), LARGE],
  ]
  for (const value of values) {
    const pieces = [...jsonPieces(value)]
    expect(pieces.join('') === jsonText(value)).toBe(true)
    expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(6 * 65_600)
    expect(pieces.length).toBeGreaterThan(2)
  }
})

it('leaves out what is undefined, as the text of a small value does', () => {
  const value = { a: undefined, b: LARGE, c: undefined } as unknown as Json
  expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value))
})

it('gives the text of any value', () => {
  const large = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.jsonValue() as fc.Arbitrary<Json>,
      fc.constant(LARGE),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.string(), tie('value'), { maxKeys: 4 }),
    ),
  })).value
  fc.assert(
    fc.property(large, (value) => [...jsonPieces(value)].join('') === jsonText(value)),
    { numRuns: runs(400) },
  )
})
