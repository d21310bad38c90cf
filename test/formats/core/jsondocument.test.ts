import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { jsonDocument } from '../../../src/formats/core/jsondocument.ts'
import type { Unit } from '../../../src/formats/core/splitter.ts'
import { jsonText } from '../../../src/model/json.ts'
import { parseJson } from '../../../src/model/value.ts'
import { runs } from '../../support/amount.ts'

const utf8 = new TextEncoder()
const textOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

function split(source: Uint8Array, chunk = source.length || 1): { units: Unit[]; tail: string } {
  const splitter = jsonDocument()
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

  it('returns the value and text of each element', () => {
    const { units } = split(utf8.encode('[{"a": 1.0, "a": -0}, {"é": [ ]}]'))
    expect(units[1]).toMatchObject({ value: { é: [] }, text: '{"é": [ ]}', salvaged: false })
    expect(units[0]?.value).toMatchObject({ a: { text: '-0' } })
  })

  it('marks elements with bytes that are no UTF-8', () => {
    const source = Uint8Array.from(Buffer.from('[{"a":"\xff"},{"b":"c"}]', 'latin1'))
    expect(split(source).units.map((unit) => unit.warning?.code)).toEqual(['invalid-utf8', undefined])
  })

  test('returns all bytes, whatever the chunks', () => {
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
      { numRuns: runs(300), examples: [[[{ role: 'x', content: 1 }], 2, 1]] },
    )
  })

  it('returns the elements of a growing document again', () => {
    const items = Array.from({ length: 9 }, (_, n) => ({ n, text: 'x'.repeat(n) }))
    const before = split(utf8.encode(JSON.stringify({ id: 1, items: items.slice(0, 5) }, null, 2))).units
    const after = split(utf8.encode(JSON.stringify({ id: 1, items }, null, 2))).units
    expect(after.slice(0, 5)).toEqual(before)
  })

  it('keeps a document over 32 MiB in parts', () => {
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

describe('document of a known list', () => {
  const drawn = (source: string, list: string): { units: unknown[]; tail: string; torn: boolean } => {
    const splitter = jsonDocument(list)
    splitter.push(utf8.encode(source))
    const { units, tail, torn = false } = splitter.end()
    return {
      units: units.map(({ bytes, value, salvaged }) => [textOf(bytes), value ?? null, salvaged]),
      tail: textOf(Buffer.concat(tail)),
      torn,
    }
  }

  it('is split at that list, whatever other lists there are', () => {
    expect(drawn('{"messages":[{"y":1}],"m":[{"x":1}],"b":2}', 'm')).toEqual({
      units: [['{"messages":[{"y":1}],"m":[{"x":1}', { x: 1 }, false]],
      tail: '],"b":2}',
      torn: false,
    })
    expect(drawn('{"m":[]}', 'm')).toEqual({ units: [], tail: '{"m":[]}', torn: false })
    expect(drawn('[{"x":1}]', '')).toEqual({ units: [['[{"x":1}', { x: 1 }, false]], tail: ']', torn: false })
  })

  it('is one unit where it has no such list', () => {
    expect(drawn('{"n":[{"x":1}]}', 'm').units).toEqual([['{"n":[{"x":1}]}', { n: [{ x: 1 }] }, false]])
    expect(drawn('{"x":1}', '').units).toEqual([['{"x":1}', { x: 1 }, false]])
  })

  it.each([
    ['{"a":{"b":[1]},"c":"d", "m" : [ {"x":1}, {"y":2}, {"z"', 'm', ['{"x":1}', ', {"y":2}'], ', {"z"'],
    ['[{"x":1},', '', ['[{"x":1}'], ','],
  ])('salvages the whole elements of %s', (source, list, whole, tail) => {
    const found = drawn(source, list)
    expect(found.units.map((unit) => (unit as [string])[0].slice(-7))).toEqual(
      whole.map((one) => one.slice(-7)),
    )
    expect([found.tail, found.torn]).toEqual([tail, true])
  })

  it.each([
    ['{"a"', 'm'],
    ['{"a" 1', 'm'],
    ['{"m":{"x":1}', 'm'],
    ['{"a":"', 'm'],
    ['x', ''],
    ['[', ''],
    ['{"m":[{"x":', 'm'],
    ['[1', 'm'],
  ])('keeps the bytes of %s, in which nothing is whole', (source, list) => {
    expect(drawn(source, list)).toEqual({ units: [[source, null, false]], tail: '', torn: false })
  })

  it('keeps every byte of what was cut off anywhere', () => {
    const whole = '{"v":1,"s":"\\"]","messages":[{"a":[{}]},{"b":"}"}],"e":{}}'
    for (let length = 1; length <= whole.length; length++) {
      const { units, tail } = drawn(whole.slice(0, length), 'messages')
      expect(units.map((unit) => (unit as [string])[0]).join('') + tail).toBe(whole.slice(0, length))
    }
  })
})

it('keeps what it was given, whatever is put into the same buffer later', () => {
  const splitter = jsonDocument('messages')
  const buffer = Buffer.from('{"messages":[{"a":1}')
  splitter.push(buffer)
  buffer.fill(' ')
  const units = [...splitter.push(Buffer.from(',{"a":2}]}')), ...splitter.end().units]
  expect(units.map(({ value }) => value)).toEqual([{ a: 1 }, { a: 2 }])
})
