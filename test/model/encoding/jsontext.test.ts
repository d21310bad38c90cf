import { describe, expect, it } from 'vitest'
import { scanJson } from '../../../src/model/encoding/jsontext.ts'

describe('scanJson', () => {
  it('reads a value in the middle of a text and tells where it ends', () => {
    expect(scanJson('xx {"a":[1]} yy', 2)).toEqual({ ok: true, value: { a: [1] }, end: 12, altered: false })
    expect(scanJson('{"a":1}{"b":2}')).toMatchObject({ value: { a: 1 }, end: 7 })
    expect(scanJson('{"a":1}{"b":2}', 7)).toMatchObject({ value: { b: 2 }, end: 14 })
    expect(scanJson('-12.5e1,')).toMatchObject({ value: -125, end: 7 })
  })

  it.each([
    ['{"a":', 5, 'it ends within a value'],
    ['{"a":1', 6, 'it ends within a value'],
    ['["abc', 5, 'it ends within a value'],
    ['["abc\\', 6, 'it ends within a value'],
    ['[1 2]', 3, 'no comma or closing bracket'],
    ['[1}', 2, 'no comma or closing bracket'],
    ['{1:2}', 1, 'no key'],
    ['{"a" 1}', 5, 'no colon'],
    ['[x]', 1, 'no value'],
    ['["\\x"]', 1, 'no value'],
    ['["\u0001"]', 1, 'no value'],
  ])('tells where %s is no JSON', (text, at, why) => {
    expect(scanJson(text)).toEqual({ ok: false, at, why })
  })

  it('reads a string of millions of characters', () => {
    const text = `["${'x'.repeat(3e6)}","${'\\n'.repeat(3e6)}"]`
    expect(scanJson(text)).toMatchObject({ ok: true, end: text.length })
  })

  it('reads a number of a million digits in linear time', () => {
    const digits = `1${'0'.repeat(1e6)}1`
    const scan = scanJson(`[${digits},1e${digits}]`)
    expect(scan.ok && JSON.stringify(scan.value)).toBe(`[{"text":"${digits}"},{"text":"1e${digits}"}]`)
  })
})
