import { expect, it } from 'vitest'
import { split } from '../../../src/formats/aider.ts'
import { jsonDocument } from '../../../src/formats/core/jsondocument.ts'
import { jsonLines } from '../../../src/formats/core/jsonlines.ts'
import { HeadUnits, sampleOf } from '../../../src/formats/core/sample.ts'
import { rawUnits, type Splitter, type Unit } from '../../../src/formats/core/splitter.ts'
import { splitter as opencode } from '../../../src/formats/opencode/split.ts'
import { runs } from '../../support/amount.ts'

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

import fc from 'fast-check'

const line = fc.oneof(
  fc.object().map((value) => JSON.stringify(value)),
  fc.constantFrom('', '{"a":1}{"b":2}', '{"torn', 'no json', '\0\0{"c":3}'),
)

const chats = (texts: readonly string[]): string =>
  `# aider chat started at 2025\n\n#### ${texts.join('\n\n> ')}\n\n`
const messages = (texts: readonly string[]): string => JSON.stringify({ id: 'a', messages: texts })
const exported = (texts: readonly string[]): string =>
  JSON.stringify({ info: { projectID: 'p' }, messages: texts.map((text) => ({ info: { id: text } })) })

const splitters: readonly (readonly [() => Splitter, (texts: readonly string[]) => string])[] = [
  [jsonLines, (texts) => texts.join('\n')],
  [jsonLines, (texts) => texts.join(`\n${'x'.repeat(5000)}\n`)],
  [jsonDocument, messages],
  [jsonDocument, (texts) => texts.join('\n')],
  [split, chats],
  [opencode, exported],
  [opencode, messages],
  [rawUnits, messages],
]

const read = (units: readonly Unit[]) =>
  units.map(({ line: at, bytes, lead, value, salvaged }) => ({
    at,
    bytes: Buffer.from(bytes).toString(),
    lead,
    value,
    salvaged,
  }))

it('is read as a whole, however much of it was asked for before', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...splitters),
      fc.array(line, { maxLength: 30 }),
      fc.nat(40),
      fc.nat(),
      ([make, laidOut], texts, asked, cut) => {
        const source = utf8.encode(laidOut(texts))
        const head = source.subarray(0, cut % 2 === 0 ? source.length : cut % (source.length + 1))
        const beginning = new HeadUnits(jsonLines, head, head.length === source.length).by(make)
        const known: Unit[] = []
        for (const unit of beginning.units()) if (known.push(unit) >= asked) break
        const goesOn = beginning.take() as Splitter
        const whole = make()
        const [units, expected] = [goesOn, whole].map((splitter) => {
          const pushed =
            splitter === whole
              ? splitter.push(source)
              : [...splitter.push(head), ...splitter.push(source.subarray(head.length))]
          const { units: last, tail, torn = false } = splitter.end()
          return {
            units: read([...pushed, ...last]),
            tail: tail.map((bytes) => Buffer.from(bytes).toString()),
            torn,
          }
        })
        expect(units).toEqual(expected)
        expect(units?.units.slice(0, known.length)).toEqual(read(known))
        expect(beginning.take()).toBe(undefined)
      },
    ),
    { numRuns: runs(400) },
  )
})

it('returns its units again on the next request', () => {
  const beginning = new HeadUnits(jsonLines, utf8.encode('{"a":1}\n{"b":2}\n'), true)
  const values = (most: number): unknown[] => {
    const found: unknown[] = []
    for (const { value } of beginning.units()) if (found.push(value) === most) break
    return found
  }
  expect([values(1), values(9)]).toEqual([[{ a: 1 }], [{ a: 1 }, { b: 2 }]])
  expect(beginning.by(jsonDocument)).toBe(beginning.by(jsonDocument))
  expect(beginning.by(jsonLines)).toBe(beginning)
})
