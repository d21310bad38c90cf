import { expect, it } from 'vitest'
import { sampleOf } from '../../../src/formats/core/sample.ts'

const utf8 = new TextEncoder()
const linesOf = (text: string, more = 0): unknown => {
  const head = utf8.encode(text)
  return sampleOf('x', head, head.length + more).lines
}

it('has the objects of the first lines', () => {
  expect(linesOf('{"a":1}\n[2]\nno JSON\n{"b":3}\n')).toEqual([{ a: 1 }, { b: 3 }])
  const many = Array.from({ length: 60 }, (_, i) => `{"i":${i}}\n`).join('')
  expect(linesOf(many)).toEqual(Array.from({ length: 50 }, (_, i) => ({ i })))
})

it('has the last line where that is whole', () => {
  expect(linesOf('{"a":1}\n{"b":2}')).toEqual([{ a: 1 }, { b: 2 }])
  expect(linesOf('{"a":1}\n{"b":2}', 1)).toEqual([{ a: 1 }])
  expect(sampleOf('x', utf8.encode('{}'), 2).whole).toBe(true)
  expect(sampleOf('x', utf8.encode('{}'), 3).whole).toBe(false)
})

it('has what can be salvaged of damaged lines', () => {
  expect(linesOf('{"a":1}{"b":2}\n{"torn":{"c":3}\n')).toEqual([{ a: 1 }, { b: 2 }])
})
