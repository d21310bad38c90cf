import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { decode, encode } from '../../src/model/encoding/canonical.ts'
import { Verbatim } from '../../src/model/encoding/verbatim.ts'
import { fill, subtract } from '../../src/model/envelope.ts'
import { isObject, type Json } from '../../src/model/json.ts'
import { parseJson } from '../../src/model/value.ts'
import { runs } from '../support/amount.ts'
import { anyTree, hexOf, select, spellTree } from '../support/json.ts'

describe('subtract', () => {
  it('leaves in the envelope what the body does not have', () => {
    const message = { role: 'user', content: 'hi' }
    const value = { id: 'x', type: 'user', message, tags: [1, { a: 1, b: 2 }] }
    expect(subtract(value, { type: 'user', message, tags: [1, { b: 2 }] })).toEqual({
      shape: '{"id":1,"type":0,"message":0,"tags":[0,{"a":1,"b":0}]}',
      values: ['x', 1],
    })
  })

  it('takes the value whole where there is no body', () => {
    expect(subtract({ a: 1 }, undefined)).toEqual({ shape: '1', values: [{ a: 1 }] })
    expect(subtract({ a: 1 }, { a: 1 })).toEqual({ shape: '{"a":0}', values: [] })
  })

  it('takes a list of another length whole', () => {
    expect(subtract({ a: [1, 2] }, { a: [1] })).toEqual({ shape: '{"a":1}', values: [[1, 2]] })
  })

  it('takes a part kept verbatim whole unless it is the very same', () => {
    const kept = new Verbatim('-0')
    expect(subtract([kept], [kept]).shape).toBe('[0]')
    expect(subtract([kept], [new Verbatim('-0')])).toEqual({ shape: '[1]', values: [kept] })
  })
})

describe('fill', () => {
  test('is the inverse of subtract for every value and every selection of it, stored and read again', () => {
    fc.assert(
      fc.property(anyTree, fc.array(fc.nat(), { minLength: 1 }), (tree, numbers) => {
        const value = parseJson(spellTree(tree), true)?.value ?? null
        let next = 0
        const body = select(value, () => numbers[next++ % numbers.length] as number)
        const { shape, values } = subtract(value, body)
        const stored = body === undefined ? undefined : decode(encode(body))
        const filled = fill({ shape, values: decode(encode(values)) as Json[] }, stored)
        expect(filled).toEqual(value)
        expect(hexOf(encode(filled))).toBe(hexOf(encode(value)))
      }),
      { numRuns: runs(1000) },
    )
  })

  test('is the inverse of subtract for any two values', () => {
    fc.assert(
      fc.property(anyTree, anyTree, (one, other) => {
        const [value, body] = [one, other].map((tree) => parseJson(spellTree(tree))?.value ?? null) as [
          Json,
          Json,
        ]
        const filled = fill(subtract(value, body), body)
        expect(hexOf(encode(filled))).toBe(hexOf(encode(value)))
        if (isObject(value)) expect(Object.keys(filled as object)).toEqual(Object.keys(value))
      }),
      { numRuns: runs(500) },
    )
  })

  it('refuses a body that is not the one', () => {
    expect(() => fill({ shape: '{"a":0}', values: [] }, { b: 1 })).toThrow(RangeError)
    expect(() => fill({ shape: '{"a":1}', values: [] }, {})).toThrow(RangeError)
    expect(() => fill({ shape: '[0,0]', values: [] }, [1])).toThrow(RangeError)
  })
})
