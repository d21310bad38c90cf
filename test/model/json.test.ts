import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { Verbatim } from '../../src/model/encoding/verbatim.ts'
import {
  asString,
  field,
  hasVerbatim,
  isObject,
  isSame,
  items,
  type Json,
  jsonText,
  plain,
  spelled,
} from '../../src/model/json.ts'
import { parseJson } from '../../src/model/value.ts'
import { anyTree, spellTree } from '../support/json.ts'

const kept = new Verbatim('{"a":1,"a":2}')

it('tells objects from lists and from texts kept verbatim', () => {
  expect([{}, { a: 1 }].map(isObject)).toEqual([true, true])
  expect([null, [], 'x', 1, kept, undefined].map(isObject)).toEqual([
    false,
    false,
    false,
    false,
    false,
    false,
  ])
})

it('gives fields that an object has itself', () => {
  expect(field({ a: null }, 'a')).toBe(null)
  expect(field({ a: 1 }, 'b')).toBeUndefined()
  expect(field({}, 'constructor')).toBeUndefined()
  expect(field([1], '0')).toBeUndefined()
  expect(field(kept, 'text')).toBeUndefined()
})

it('gives strings, also those kept verbatim', () => {
  expect(asString('x')).toBe('x')
  expect(asString(new Verbatim('"\\ud800"'))).toBe('\ud800')
  expect([asString(kept), asString(1), asString(undefined), asString(new Verbatim('-0'))]).toEqual(
    Array(4).fill(undefined),
  )
})

it('gives the elements of lists alone', () => {
  expect(items([1, 2])).toEqual([1, 2])
  expect([items({ length: 1 }), items('x'), items(undefined), items(kept)]).toEqual([[], [], [], []])
})

it('gives plain values', () => {
  expect(plain([kept, { b: new Verbatim('-0') }])).toEqual([{ a: 2 }, { b: -0 }])
  expect([hasVerbatim([1, { b: [kept] }]), hasVerbatim([1, { b: [] }])]).toEqual([true, false])
})

it('leaves what is nested too deep verbatim, for functions that call themselves', () => {
  const deep = new Verbatim('['.repeat(99_000) + ']'.repeat(99_000))
  expect(plain({ a: [deep, kept] })).toEqual({ a: [deep, { a: 2 }] })
  expect(jsonText(plain({ a: deep }))).toBe(`{"a":${deep.text}}`)
})

it('tells values that are the same from others', () => {
  const same = (a: string, b: string): boolean => {
    const [x, y] = [a, b].map((text) => parseJson(text)?.value)
    return isSame(x as Json, y as Json)
  }
  expect([same('{"a":1,"b":[2]}', '{"a":1,"b":[2]}'), same('{"a":1,"a":2}', '{"a":1,"a":2}')]).toEqual([
    true,
    true,
  ])
  const others = [
    '{"b":2,"a":1}',
    '{"a":1}',
    '{"a":1,"b":"2"}',
    '{"a":1,"b":2,"c":null}',
    '[1,2]',
    'null',
    '{"a":1,"a":2}',
  ]
  expect(others.map((other) => same('{"a":1,"b":2}', other))).toEqual(others.map(() => false))
  fc.assert(
    fc.property(anyTree, anyTree, (a, b) => {
      const [x, y] = [a, b].map((tree) => parseJson(spellTree(tree))?.value) as [Json, Json]
      expect(isSame(x, parseJson(jsonText(x))?.value as Json)).toBe(true)
      expect(isSame(x, y)).toBe(jsonText(x) === jsonText(y))
    }),
  )
})

describe('jsonText', () => {
  it('is compact', () => {
    expect(jsonText({ a: [1, 'x', null], b: {} })).toBe('{"a":[1,"x",null],"b":{}}')
    expect(jsonText([kept, 'é'])).toBe('[{"a":1,"a":2},"é"]')
  })

  it('takes other separators', () => {
    expect(spelled({ a: [1, 2], b: kept }, ', ', ': ')).toBe('{"a": [1, 2], "b": {"a":1,"a":2}}')
  })

  test('is the value again', () => {
    fc.assert(
      fc.property(anyTree, (tree) => {
        const value = parseJson(spellTree(tree))?.value ?? null
        expect(parseJson(jsonText(value))?.value).toEqual(value)
        expect(parseJson(spelled(value, ' , ', '\n:'))?.value).toEqual(value)
        expect(plain(value)).toEqual(JSON.parse(jsonText(value)))
      }),
    )
  })
})
