import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { document } from '../../src/formats/document.ts'
import type { Unit } from '../../src/formats/format.ts'
import { jsonText } from '../../src/model/json.ts'
import { parseJson } from '../../src/model/value.ts'

const utf8 = new TextEncoder()
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

function split(source: Uint8Array, chunk = source.length || 1): { units: Unit[]; tail: string } {
  const splitter = document()
  const units: Unit[] = []
  for (let at = 0; at < source.length; at += chunk) units.push(...splitter.push(source.slice(at, at + chunk)))
  const end = splitter.end()
  return { units: [...units, ...end.units], tail: textOf(Buffer.concat(end.tail)) }
}

const draw = (source: string): string[] => {
  const { units, tail } = split(utf8.encode(source))
  const lines = units.map(({ line, lead, bytes, value, warning }) => {
    const [before, rest] = [textOf(bytes.subarray(0, lead)), textOf(bytes.subarray(lead))]
    return [line, before, value === undefined ? 'raw' : '', rest, warning?.code ?? '']
      .filter((x) => x !== '')
      .join('|')
  })
  return [...lines, `tail|${tail}`]
}

describe('document', () => {
  it.each([
    ['a list', '[{"a":1},{"b":2}]\n', ['1|[|{"a":1}', '1|,|{"b":2}', 'tail|]\n']],
    [
      'a list within an object, indented',
      '{\n "id": "x",\n "messages": [\n  {"a": 1},\n  {"b": 2}\n ],\n "n": 1\n}\n',
      ['4|{\n "id": "x",\n "messages": [\n  |{"a": 1}', '5|,\n  |{"b": 2}', 'tail|\n ],\n "n": 1\n}\n'],
    ],
    [
      'the longest list of objects',
      '{"x":[{"a":1}],"y":{"z":{"log":[{"b":"]}"},{"c":"\\"["}]}},"n":[1,2,3]}',
      ['1|{"x":[{"a":1}],"y":{"z":{"log":[|{"b":"]}"}', '1|,|{"c":"\\"["}', 'tail|]}},"n":[1,2,3]}'],
    ],
    [
      'a list that is called messages before longer ones',
      '{"tools":[{"a":1},{"a":2}],"messages":[{"b":1}]}',
      ['1|{"tools":[{"a":1},{"a":2}],"messages":[|{"b":1}', 'tail|]}'],
    ],
    [
      'the last of two lists of one name',
      '{"messages":[{"a":1},{"a":2}],"mess\\u0061ges":[{"b":1}]}',
      ['1|{"messages":[{"a":1},{"a":2}],"mess\\u0061ges":[|{"b":1}', 'tail|]}'],
    ],
    ['no list', ' {"a":[1,{"b":2}],"c":[]}\n', ['1| |{"a":[1,{"b":2}],"c":[]}', 'tail|\n']],
    [
      'a list four levels down',
      '{"a":{"b":{"c":{"d":[{"e":1}]}}}}',
      ['1|{"a":{"b":{"c":{"d":[{"e":1}]}}}}', 'tail|'],
    ],
    ['a list of scalars', '[1,"a",-2.5e3,true]', ['1|[1,"a",-2.5e3,true]', 'tail|']],
    ['a byte order mark', '\ufeff[{"a":1}]', ['1|\ufeff[|{"a":1}', 'tail|]']],
    ['nothing', ' \n', ['tail| \n']],
    ['no JSON', 'hello {"a":1}', ['1|raw|hello {"a":1}|bad-json', 'tail|']],
    ['a scalar', '"text"', ['1|raw|"text"|bad-json', 'tail|']],
    ['a torn document', '{"messages":[{"a":1},', ['1|raw|{"messages":[{"a":1},|bad-json', 'tail|']],
  ])('splits %s', (_what, source, units) => {
    expect(draw(source)).toEqual(units)
  })

  it('gives the value and text of each element', () => {
    const { units } = split(utf8.encode('[{"a": 1.0, "a": -0}, {"é": [ ]}]'))
    expect(units[1]).toMatchObject({ value: { é: [] }, text: '{"é": [ ]}', salvaged: false })
    expect(units[0]?.value).toMatchObject({ a: { text: '-0' } })
  })

  it('marks elements with bytes that are no UTF-8', () => {
    const source = Uint8Array.from(Buffer.from('[{"a":"\xff"},{"b":"c"}]', 'latin1'))
    expect(split(source).units.map((unit) => unit.warning?.code)).toEqual(['invalid-utf8', undefined])
  })

  test('gives all bytes back, whatever the chunks', () => {
    const element = fc.record({ role: fc.string(), content: fc.jsonValue() })
    const root = fc.oneof(
      fc.jsonValue(),
      fc.array(element),
      fc.record({ id: fc.string(), messages: fc.array(element), more: fc.jsonValue() }),
    )
    fc.assert(
      fc.property(
        root,
        fc.constantFrom(undefined, 2, '\t'),
        fc.integer({ min: 1, max: 9 }),
        (value, indent, chunk) => {
          const source = utf8.encode(JSON.stringify(value, null, indent))
          const { units, tail } = split(source, chunk)
          expect(textOf(Buffer.concat(units.map((unit) => unit.bytes))) + tail).toBe(textOf(source))
          for (const { value: part, text, lead, bytes } of units)
            if (part !== undefined) {
              expect(textOf(bytes.subarray(lead))).toBe(text)
              expect(jsonText(part)).toBe(jsonText(parseJson(text ?? '', true)?.value ?? null))
            }
        },
      ),
      { numRuns: 300, examples: [[[{ role: 'x', content: 1 }], 2, 1]] },
    )
  })

  it('gives the elements of a growing document again', () => {
    const items = Array.from({ length: 9 }, (_, n) => ({ n, text: 'x'.repeat(n) }))
    const before = split(utf8.encode(JSON.stringify({ id: 1, items: items.slice(0, 5) }, null, 2))).units
    const after = split(utf8.encode(JSON.stringify({ id: 1, items }, null, 2))).units
    expect(after.slice(0, 5)).toEqual(before)
  })

  it('keeps a document over 32 MiB in pieces', () => {
    const MIB = 1024 * 1024
    const source = utf8.encode(`[{"a":"${'x'.repeat(33 * MIB)}"}]`)
    const { units, tail } = split(source, 5 * MIB)
    expect(units.map((unit) => unit.bytes.length)).toEqual(Array(33).fill(MIB))
    expect(units.map((unit) => unit.warning?.code)).toEqual([
      'oversize',
      ...Array.from({ length: 32 }, () => undefined),
    ])
    expect(tail.length).toBe(source.length - 33 * MIB)
  })

  it('keeps what is nested too deep', () => {
    const { units } = split(utf8.encode(`${'['.repeat(2e5)}${']'.repeat(2e5)}`))
    expect(units.map((unit) => [unit.value, unit.warning?.code])).toEqual([[undefined, 'too-deep']])
  })
})
