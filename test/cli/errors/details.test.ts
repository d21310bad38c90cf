import fc from 'fast-check'
import { expect, it } from 'vitest'
import { placeLines } from '../../../src/cli/errors/details.ts'
import { lineText } from '../../../src/text/text.ts'
import { widthOf } from '../../../src/text/width.ts'

const shown = (text: string, from: number, to: number, columns = 40): string[] =>
  placeLines({ text, from, to }, columns).map(lineText)

it('puts carets below a place', () => {
  expect(shown('x - y', 2, 3)).toEqual(['  | x - y', '  |   ^'])
  expect(shown('x &', 3, 3)).toEqual(['  | x &', '  |    ^'])
  expect(shown('日本 & zork', 5, 9)).toEqual(['  | 日本 & zork', '  |        ^^^^'])
  expect(shown('a\nb\tc d\ne', 4, 5)).toEqual(['  | b c d', '  |   ^'])
  expect(shown('a\n"b\nc', 2, 6)).toEqual(['  | "b', '  | ^^'])
  expect(shown('\u001b x', 2, 3)).toEqual(['  | \\x1b x', '  |      ^'])
})

it('shows what is around the place where all is too long', () => {
  const text = `${'a'.repeat(100)}HERE${'b'.repeat(100)}`
  expect(shown(text, 100, 104)).toEqual(['  | …aaaaaaaaaaaaaaHEREbbbbbbbbbbbbbb…', '  |                ^^^^'])
  const anyPlace = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 200 }), fc.nat(), fc.nat())
  fc.assert(
    fc.property(anyPlace, ([any, a, b]) => {
      const from = a % (any.length + 1)
      const lines = shown(any, from, from + (b % (any.length + 1 - from)), 60)
      expect([lines.length, lines.every((line) => widthOf(line) <= 60)]).toEqual([2, true])
      expect(lines[1]).toMatch(/^ {2}\| +\^+$|^ {2}\| \^+$/)
    }),
  )
})
