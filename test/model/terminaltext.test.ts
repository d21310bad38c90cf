import fc from 'fast-check'
import { expect, it } from 'vitest'
import { safe, safeJson, safeLine } from '../../src/model/terminaltext.ts'
import { ANY_CHARACTER } from '../support/characters.ts'
import { HARMFUL } from '../support/harmful.ts'

it.each([
  ['\u001b[2J\u001b]0;title\u0007', '\\x1b[2J\\x1b]0;title\\x07'],
  ['one\r\ntwo\rthree\n\tfour', 'one\ntwo\\rthree\n\tfour'],
  ['\u009b31m \u007f \u0000', '\\x9b31m \\x7f \\x00'],
  ['\u202egnp.exe\u2066\u2069\u200e', '\\u202egnp.exe\\u2066\\u2069\\u200e'],
  ['a\u200bb\u200dc\ufeffd\u00ad', 'a\\u200bb\\u200dc\\ufeffd\\xad'],
  ['\u2028 \u2029', '\\u2028 \\u2029'],
  ['half \ud83d pair', 'half \\ud83d pair'],
  ['\u{e0041}', '\\u{e0041}'],
  ['👩‍👩‍👧 👍🏽 क्‍ष می‌خواهم', '👩‍👩‍👧 👍🏽 क्‍ष می‌خواهم'],
  ['\u3164\uffa0\u115f\u2800\u034f', '\\u3164\\uffa0\\u115f\\u2800\\u034f'],
  ['a\ufe0f\ufe0f \u{e0100}', 'a\\ufe0f\\ufe0f \\u{e0100}'],
  [
    '\u2764\ufe0f 1\ufe0f\u20e3 \u845b\u{e0100} \u1820\u180b',
    '\u2764\ufe0f 1\ufe0f\u20e3 \u845b\u{e0100} \u1820\u180b',
  ],
  [`z${'\u0335'.repeat(10)}`, `z${'\u0335'.repeat(8)}\\u0335\\u0335`],
  ['\u0338x\n\u0338y', '\\u0338x\n\\u0338y'],
  ['\u0600\u0661 naïve 字 🇫🇷', '\u0600\u0661 naïve 字 🇫🇷'],
])('makes %j safe', (text, expected) => {
  expect(safe(text)).toBe(expected)
  expect(safe(expected)).toBe(expected)
})

it('leaves nothing that is not seen, but in scripts that need it', () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER, maxLength: 40 }), (text) => {
      expect(safe(safe(text))).toBe(safe(text))
      expect(safe(text)).not.toMatch(HARMFUL)
    }),
  )
})

it('stands on one line', () => {
  expect(safeLine('one\ntwo\r\n\tthree')).toBe('one\\ntwo\\n\tthree')
})

it('escapes JSON without changing what it says', () => {
  expect(safeJson(JSON.stringify('\u2028\u007f\u009b\u202e\u{e0041}é'))).toBe(
    '"\\u2028\\u007f\\u009b\\u202e\\udb40\\udc41é"',
  )
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(safeJson(JSON.stringify(value)))).toEqual(JSON.parse(JSON.stringify(value)))
    }),
  )
})
