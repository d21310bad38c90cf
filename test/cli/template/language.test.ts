import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { FieldKind, TemplateFields } from '../../../src/cli/template/fields.ts'
import { FILTERS, LOOKS } from '../../../src/cli/template/filters.ts'
import { parseTemplate } from '../../../src/cli/template/language.ts'
import { SessError } from '../../../src/model/errors.ts'
import type { Json } from '../../../src/model/json.ts'
import { lineText } from '../../../src/text/text.ts'
import { runs } from '../../support/amount.ts'
import { ANY_CHARACTER } from '../../support/characters.ts'
import { expectFailure } from '../../support/errors.ts'

/** A thing with a value of each kind. */
const THING: Readonly<Record<FieldKind, Json>> = {
  oid: '0123456789abcdef',
  oids: ['0123456789abcdef', 'f123456789abcdef'],
  time: '2026-04-30T11:59:58.000Z',
  text: ' \n two words \nand more',
  texts: ['one', 'two'],
  number: 12,
  other: { a: [1] },
}
const KINDS = Object.keys(THING) as FieldKind[]
const FIELDS: TemplateFields<Readonly<Record<FieldKind, Json>>> = Object.fromEntries(
  KINDS.map((kind) => [kind, { kind, is: kind, of: (thing) => thing[kind] }]),
)
const SETTING = {
  now: Date.parse('2026-05-01T12:00:00Z'),
  zone: () => 120,
  names: new Map<string, string>(),
  priceOf: () => undefined,
}

const shown = (template: string, thing = THING): string =>
  lineText(parseTemplate(template, FIELDS)(thing, SETTING))

it.each([
  ['{oid.short}|{oids.short}|{oids.count}', '0123456789|0123456789 f123456789|2'],
  ['{time}|{time.local}|{time.date}|{time.ago}', '2026-04-30T11:59:58.000Z|2026-04-30 13:59|2026-04-30|1d'],
  [
    '{text.first}|{text|first|upper}|{text|first|cut 5}|{text|first|pad 12}|',
    'two words|TWO WORDS|two…|two words   |',
  ],
  ['{texts}|{texts|join ", "}|{texts|join \'"\'}|{texts|count}', 'one two|one, two|one"two|2'],
  ['{number}|{number|pad 4}|{number.json}', '12|12  |12'],
  ['{other}|{texts.json}|{text|first|json}', '{"a":[1]}|["one","two"]|"two words"'],
  ['{text | first | with "<%, $&>"}|{ number }', '<two words, $&>|12'],
  ['a\\tb\\nc\\\\n\\{x\\}é', 'a\tb\nc\\n{x}é'],
  ['{text|or ?|first}|{number|red|bold}', 'two words|12'],
])('%s', (template, text) => {
  expect(shown(template)).toBe(text)
})

it('shows nothing for what is not known, and what it is told to', () => {
  const nothing = { ...THING, text: null, time: null, texts: [], oid: null }
  expect(shown('{text}|{text|first|upper|cut 3}|{time.ago}|{texts}|{oid.short}', nothing)).toBe('||||')
  expect(shown('{text|or "-"}|{text|with "(%)"}|{texts|or none}|{text.json}|{text|pad 2}|', nothing)).toBe(
    '-||none|null|  |',
  )
})

it('gives a value its look', () => {
  expect(parseTemplate('{oid.short.yellow} {text.first}', FIELDS)(THING, SETTING)).toEqual([
    { look: 'yellow', text: '0123456789' },
    ' ',
    { look: 'plain', text: 'two words' },
  ])
})

it('takes each filter behind what it says, and reads any text to an end', () => {
  for (const [name, { from, takes }] of Object.entries(FILTERS))
    for (const kind of KINDS) {
      const template = `{${kind}|${name}${takes === undefined ? '' : takes === 'count' ? ' 9' : ' "x"'}}`
      if (from.includes(kind)) expect(typeof shown(template)).toBe('string')
      else expect(() => shown(template)).toThrow(`'${name}' takes`)
    }
  const piece = fc.oneof(
    fc.constantFrom(...'{}|.\\" \'', ...KINDS, ...Object.keys(FILTERS), ...LOOKS, ' 9', ' "x"', 'x'),
    fc.string({ unit: ANY_CHARACTER, maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join('')
      try {
        expect(typeof shown(text)).toBe('string')
      } catch (error) {
        if (!(error instanceof SessError && error.at)) throw error
        const { from, to } = error.at
        expect([error.code, 0 <= from && from <= to && to <= text.length]).toEqual(['bad-template', true])
      }
    }),
    { numRuns: runs(3000) },
  )
})

it('is refused where its filters repeat a value without end', async () => {
  const nested = (filter: string, times: number): string => `{text|first${`|${filter}`.repeat(times)}}`
  for (const template of [nested('with "%%"', 12), nested('json', 30), `{text|with "${'%'.repeat(65)}"}`])
    await expectFailure('bad-template', () => shown(template))
  expect(shown(nested('with "%%"', 6))).toBe('two words'.repeat(64))
  await expectFailure('bad-template', () =>
    shown('{text|with "%%%%"}', { ...THING, text: 'x'.repeat(1 << 26) }),
  )
})
