import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonParts } from '../../../src/sources/tables/jsonparts.ts'

it('returns the parts of an array and of an object as they are spelled', () => {
  expect(jsonParts(' [ 1.0 ,"a,]\\"", {"b":[2,3]},[] ] ')).toEqual([
    { value: ' 1.0 ' },
    { value: '"a,]\\""' },
    { value: ' {"b":[2,3]}' },
    { value: '[] ' },
  ])
  expect(jsonParts('{"a":7.0, "b\\"}" : {"c":","},"a":[]}')).toEqual([
    { key: '"a"', value: '7.0' },
    { key: '"b\\"}"', value: ' {"c":","}' },
    { key: '"a"', value: '[]' },
  ])
  expect([jsonParts('[]'), jsonParts('{ }'), jsonParts('3')]).toEqual([[], [], []])
})

it('returns parts from which any list or object is made again', () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (value) => {
      const text = JSON.stringify(value)
      const parts = jsonParts(text).map((part) => (part.key ? `${part.key}:${part.value}` : part.value))
      expect(Array.isArray(value) ? `[${parts.join(',')}]` : `{${parts.join(',')}}`).toBe(text)
    }),
  )
})
