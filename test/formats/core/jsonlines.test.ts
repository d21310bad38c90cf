import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { jsonLines } from '../../../src/formats/core/jsonlines.ts'
import type { Splitter, Unit } from '../../../src/formats/core/splitter.ts'
import { runs } from '../../support/amount.ts'

const utf8 = new TextEncoder()
const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

interface Result {
  readonly units: readonly Unit[]
  readonly tail: Uint8Array
}

function split(source: Uint8Array, chunk = source.length || 1, splitter: Splitter = jsonLines()): Result {
  const units: Unit[] = []
  for (let at = 0; at < source.length; at += chunk) units.push(...splitter.push(source.slice(at, at + chunk)))
  const end = splitter.end()
  return { units: [...units, ...end.units], tail: Buffer.concat(end.tail) }
}

const whole = ({ units, tail }: Result): string =>
  latin1(Buffer.concat([...units.map((unit) => unit.bytes), tail]))

/** A unit in one line: its number, the bytes before the value and the rest, and what is special about it. */
const drawn = (unit: Unit): string => {
  const bytes = latin1(unit.bytes)
  const marks = [
    unit.value === undefined ? 'raw' : '',
    unit.salvaged ? 'salvaged' : '',
    unit.warning?.code ?? '',
  ]
  return [
    unit.line,
    JSON.stringify(bytes.slice(0, unit.lead)),
    bytes.slice(unit.lead),
    ...marks.filter(Boolean),
  ].join(' ')
}
const draw = (source: string): string[] => {
  const result = split(Uint8Array.from(Buffer.from(source, 'latin1')))
  return [...result.units.map(drawn), `tail ${JSON.stringify(latin1(result.tail))}`]
}

describe('lines', () => {
  it.each([
    ['', ['tail ""']],
    ['{"a":1}', ['1 "" {"a":1}', 'tail ""']],
    ['{"a":1}\n', ['1 "" {"a":1}', 'tail "\\n"']],
    ['{"a":1}\n[2]', ['1 "" {"a":1}', '2 "\\n" [2]', 'tail ""']],
    ['\n \r\n\t{"a":1} \r\n{}', ['3 "\\n \\r\\n\\t" {"a":1}', '4 " \\r\\n" {}', 'tail ""']],
    ['\u00ef\u00bb\u00bf{"a":1}', ['1 "ï»¿" {"a":1}', 'tail ""']],
    ['{"a":1}\n{"b":', ['1 "" {"a":1}', 'tail "\\n{\\"b\\":"']],
    ['{"a":1}\n12', ['1 "" {"a":1}', 'tail "\\n12"']],
    ['   \n', ['tail "   \\n"']],
  ])('splits %j', (source, units) => {
    expect(draw(source)).toEqual(units)
  })

  it.each([
    ['a scalar', '123\n"x"\n', ['1 "" 123 raw bad-json', '2 "\\n" "x" raw bad-json', 'tail "\\n"']],
    ['no JSON', 'nope \n{}', ['1 "" nope raw bad-json', '2 " \\n" {}', 'tail ""']],
    [
      'glued values',
      '{"a":1}{"b":2} [3]\n',
      ['1 "" {"a":1}', '1 "" {"b":2} salvaged', '1 " " [3] salvaged', 'tail "\\n"'],
    ],
    [
      'values between commas',
      '{"a":1},{"b":2}\n',
      ['1 "" {"a":1}', '1 "" , raw bad-json', '1 "" {"b":2} salvaged', 'tail "\\n"'],
    ],
    ['a run of NULs', '\0\0{"a":1}\n', ['1 "\\u0000\\u0000" {"a":1} salvaged', 'tail "\\n"']],
    ['a line of NULs', '\0\0\n{"a":1}\n', ['2 "\\u0000\\u0000\\n" {"a":1}', 'tail "\\n"']],
    [
      'a torn object before a whole one',
      '{"a":{"b{"type":"x"}\n',
      ['1 "" {"a":{"b raw bad-json', '1 "" {"type":"x"} salvaged', 'tail "\\n"'],
    ],
    [
      'garbage between values',
      '{"a":1}\0x \0{"b":2}y\n',
      [
        '1 "" {"a":1}',
        '1 "\\u0000" x raw bad-json',
        '1 " \\u0000" {"b":2} salvaged',
        '1 "" y raw bad-json',
        'tail "\\n"',
      ],
    ],
    [
      'a torn object, of which no part passes for a record',
      '{"a":{"b":1},"c":[{"d":2},{"e":3}],"f":"x\n{"g":1}',
      ['1 "" {"a":{"b":1},"c":[{"d":2},{"e":3}],"f":"x raw bad-json', '2 "\\n" {"g":1}', 'tail ""'],
    ],
    [
      'an unfinished line',
      '{"a":1}{"b":2}x{"c":3}',
      ['1 "" {"a":1}', '1 "" {"b":2} salvaged', 'tail "x{\\"c\\":3}"'],
    ],
    [
      'an object that newlines break',
      '{"a":"x\n\n y"}{"b":1}\n{"c":1}',
      ['1 "" {"a":"x\n\n y"} salvaged broken-line', '3 "" {"b":1} salvaged', '4 "\\n" {"c":1}', 'tail ""'],
    ],
    [
      'an object on several lines',
      '{"a":\n  {"b":[1,\n  {"c":2}]}\n}\n{}',
      ['1 "" {"a":\n  {"b":[1,\n  {"c":2}]}\n} salvaged broken-line', '5 "\\n" {}', 'tail ""'],
    ],
    [
      'a torn object, and one that newlines break after it',
      '{"a":"x\nnope\n{"b":"y\nz"}\n',
      [
        '1 "" {"a":"x raw bad-json',
        '2 "\\n" nope raw bad-json',
        '3 "\\n" {"b":"y\nz"} salvaged broken-line',
        'tail "\\n"',
      ],
    ],
    [
      'the beginning of an object that may be broken',
      '{}\n{"a":"x\ny\n',
      ['1 "" {}', 'tail "\\n{\\"a\\":\\"x\\ny\\n"'],
    ],
    [
      'a broken object that is none',
      '{"a":"x\ny" z}\n{}',
      ['1 "" {"a":"x raw bad-json', '2 "\\n" y" z} raw bad-json', '3 "\\n" {}', 'tail ""'],
    ],
    [
      'a glued object that newlines break',
      '{}{"a":"x\ny"}\n',
      ['1 "" {}', '1 "" {"a":"x\ny"} salvaged broken-line', 'tail "\\n"'],
    ],
    [
      'raw tabs and NULs in a string',
      '{"a":"x\t\0y"}\n',
      ['1 "" {"a":"x\t\0y"} salvaged raw-control', 'tail "\\n"'],
    ],
    [
      'U+2028 in a string',
      '{"a":"x\u00e2\u0080\u00a8y"}\n{}',
      ['1 "" {"a":"x\u00e2\u0080\u00a8y"}', '2 "\\n" {}', 'tail ""'],
    ],
    ['no UTF-8', '{"a":"\xff"}\n', ['1 "" {"a":"\xff"} invalid-utf8', 'tail "\\n"']],
    ['no UTF-8 outside of strings', '{"a":\xff}\n', ['1 "" {"a":\xff} raw bad-json', 'tail "\\n"']],
  ])('keeps %s', (_what, source, units) => {
    expect(draw(source)).toEqual(units)
  })

  it('returns the value and its text', () => {
    const [unit] = split(utf8.encode('{"a": 7.0, "é": "\ufffd\ufeff", "a": 8}')).units
    expect(unit).toMatchObject({
      value: { a: 8, é: '\ufffd\ufeff' },
      text: '{"a": 7.0, "é": "\ufffd\ufeff", "a": 8}',
    })
    expect(unit?.warning).toBeUndefined()
    const [broken] = split(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)).units
    expect(broken?.value).toEqual({ '\ufffd': 1 })
  })

  it('reads the values that stand whole at the start of a line that is too long', () => {
    const { units } = split(utf8.encode('{"a":1}{"b":2}{"c":3}{"d":4}\n'), undefined, jsonLines(24, 8))
    expect(units.map((unit) => [unit.value, unit.salvaged])).toEqual([
      [{ a: 1 }, false],
      [{ b: 2 }, true],
      [{ c: 3 }, true],
      [{ d: 4 }, true],
    ])
  })

  it('finds any number of values between garbage', () => {
    const { units } = split(utf8.encode(`${'x {"a":1}'.repeat(1000)}\n`))
    expect(units.map((unit) => unit.bytes.length)).toEqual(
      Array.from({ length: 2000 }, (_, i) => (i % 2 === 0 ? 1 : 8)),
    )
  })

  it('reads raw control characters in strings as if they were escaped', () => {
    const { units } = split(utf8.encode('{"a":"x\n\ty\\"","b":\n1}\n'))
    expect(units.map(({ value, text }) => [value, text])).toEqual([
      [{ a: 'x\n\ty"', b: 1 }, '{"a":"x\n\ty\\"","b":\n1}'],
    ])
  })

  it('waits for no more than 1,000 lines of an object', () => {
    const { units } = split(utf8.encode(`{"a":"x${'\ny'.repeat(1500)}"}\n{}`))
    expect(units.length).toBe(1502)
    expect(units.at(-1)).toMatchObject({ line: 1502, value: {} })
  })

  it('does not keep the caller from filling its buffer again', () => {
    const buffer = utf8.encode('{"a":1}\n{"b"')
    const splitter = jsonLines()
    const [unit] = splitter.push(buffer)
    buffer.fill(0)
    expect(latin1(unit?.bytes ?? buffer)).toBe('{"a":1}')
    expect(splitter.push(utf8.encode(':2}\n')).map(drawn)).toEqual(['2 "\\n" {"b":2}'])
  })
})

const fragment = fc.constantFrom(
  '{"a":1}',
  '[1,{"b":"é"}]',
  '{"a":{"b":[]}}',
  '\n',
  '\n',
  '\n\n',
  ' ',
  '\r\n',
  '\0',
  '\ufeff',
  '{',
  '}',
  '{"',
  '"',
  '\\',
  ',',
  ':',
  'x',
  '1',
  '"s"',
  '{"a":{"b',
  '{"a":"b',
  'c"}',
  'null',
  '[',
  ']',
)
const bytes = fc.oneof(
  { weight: 8, arbitrary: fragment.map((text) => utf8.encode(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 3 }) },
)
const sources = fc.array(bytes, { maxLength: 24 }).map((parts) => Uint8Array.from(Buffer.concat(parts)))
/** So small that lines are too long for it. */
const tiny = (): Splitter => jsonLines(24, 8)

describe.each([
  ['any source', jsonLines],
  ['long lines', tiny],
] as const)('of %s', (_what, make) => {
  test('all bytes come back', () => {
    fc.assert(
      fc.property(sources, (source) => {
        expect(whole(split(source, undefined, make()))).toBe(latin1(source))
      }),
      { numRuns: runs(1000) },
    )
  })

  test('chunks make no difference', () => {
    fc.assert(
      fc.property(sources, fc.integer({ min: 1, max: 7 }), (source, chunk) => {
        const one = split(source, undefined, make())
        const other = split(source, chunk, make())
        expect(other.units).toEqual(one.units)
        expect(latin1(other.tail)).toBe(latin1(one.tail))
      }),
      { numRuns: runs(1000) },
    )
  })

  test('what is appended changes no unit', () => {
    fc.assert(
      fc.property(sources, sources, (source, more) => {
        const before = split(source, undefined, make()).units
        const after = split(Uint8Array.from(Buffer.concat([source, more])), undefined, make()).units
        expect(after.slice(0, before.length)).toEqual(before)
      }),
      { numRuns: runs(2000) },
    )
  })
})

test('a splitter goes on from the tail of another', () => {
  const essence = ({ line: _line, salvaged: _salvaged, ...unit }: Unit): object => unit
  fc.assert(
    fc.property(sources, sources, (source, more) => {
      const first = split(source)
      const rest = split(Uint8Array.from(Buffer.concat([first.tail, more])))
      const all = split(Uint8Array.from(Buffer.concat([source, more])))
      expect([...first.units, ...rest.units].map(essence)).toEqual(all.units.map(essence))
      expect(latin1(rest.tail)).toBe(latin1(all.tail))
    }),
    { numRuns: runs(2000) },
  )
})

test('ends in between make no difference', () => {
  fc.assert(
    fc.property(sources, fc.integer({ min: 1, max: 7 }), (source, chunk) => {
      const splitter = jsonLines()
      const units: Unit[] = []
      for (let at = 0; at < source.length; at += chunk) {
        units.push(...splitter.push(source.slice(at, at + chunk)))
        if (at % 2 === 0) units.push(...splitter.end().units)
      }
      const { units: last, tail } = splitter.end()
      const all = split(source)
      expect([...units, ...last].map(drawn)).toEqual(all.units.map(drawn))
      expect(latin1(Buffer.concat(tail))).toBe(latin1(all.tail))
    }),
    { numRuns: runs(1000) },
  )
})

test('each value is found by the number of its line', () => {
  fc.assert(
    fc.property(sources, (source) => {
      let before = 0
      for (const unit of split(source).units) {
        const start = before + unit.lead
        expect(unit.line).toBe(1 + source.subarray(0, start).filter((byte) => byte === 10).length)
        before += unit.bytes.length
      }
    }),
    { numRuns: runs(500) },
  )
})

const MIB = 1024 * 1024

describe('long lines', () => {
  it('reads a line of 30 MiB that comes in chunks', () => {
    const source = utf8.encode(`{"a":"${'x'.repeat(30 * MIB)}"}\n{"b":1}`)
    const { units } = split(source, 64 * 1024)
    expect(units.map((unit) => [unit.line, unit.bytes.length, unit.value !== undefined])).toEqual([
      [1, 30 * MIB + 8, true],
      [2, 8, true],
    ])
  })

  it('returns a line over 32 MiB in parts, then continues', () => {
    const source = utf8.encode(`{"a":1}\n{"a":"${'x'.repeat(33 * MIB)}"}\n{"b":1}`)
    const { units, tail } = split(source, MIB)
    expect(units.map((unit) => [unit.line, unit.bytes.length, unit.warning?.code])).toEqual([
      [1, 7, undefined],
      [2, 4 * MIB, 'oversize'],
      ...Array.from({ length: 7 }, () => [2, 4 * MIB, undefined]),
      [2, MIB + 9, undefined],
      [3, 8, undefined],
    ])
    expect(tail.length).toBe(0)
  })

  it('keeps endless blank bytes in parts', () => {
    const source = new Uint8Array(Buffer.concat([Buffer.alloc(33 * MIB, 10), Buffer.from('{"a":1}')]))
    const { units } = split(source, MIB)
    expect(units.length).toBe(9)
    expect(units.at(-1)).toMatchObject({ line: 33 * MIB + 1, value: { a: 1 } })
  })

  it.each([10_000, 100_000])('reads %d levels', (depth) => {
    const { units } = split(utf8.encode(`${'['.repeat(depth)}${']'.repeat(depth)}\n`))
    expect(units.map((unit) => [unit.value !== undefined, unit.warning])).toEqual([[true, undefined]])
  })

  it('keeps a million levels unread', () => {
    const deep = `${'{"a":'.repeat(1e6)}1${'}'.repeat(1e6)}`
    const { units } = split(utf8.encode(`{"b":1}${deep}\n{}`))
    expect(units.map((unit) => [unit.line, unit.bytes.length, unit.warning?.code])).toEqual([
      [1, 7, undefined],
      [1, deep.length, 'too-deep'],
      [2, 3, undefined],
    ])
  })

  it.each(['{"a":"b\n', '{"a":"b\n ', '{"a\n "'])('does not stall on hostile lines of %j', (part) => {
    const source = utf8.encode(part.repeat(20_000))
    expect(whole(split(source))).toBe(latin1(source))
  })

  it.each(['{"', '[x{"a":1}', '{"a":{"b', 'x{"a":[{"', '{"a":"\\'])(
    'does not stall on a hostile line of %s',
    (part) => {
      const source = utf8.encode(`${part.repeat((4 * MIB) / part.length)}\n`)
      const started = performance.now()
      expect(whole(split(source)).length).toBe(source.length)
      // Quadratic work would take hours.
      expect(performance.now() - started).toBeLessThan(20_000)
    },
  )
})
