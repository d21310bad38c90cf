import fc from 'fast-check'
import { expect, it } from 'vitest'
import { blockLines } from '../../src/text/show.ts'
import { counted, firstLine, firstWords, grouped, sized } from '../../src/text/text.ts'
import { cut, pad, padStart, widthOf } from '../../src/text/width.ts'

it.each([
  ['plain', 5],
  ['naïve', 5],
  ['nai\u0308ve', 5],
  ['漢字', 4],
  ['👍🏽', 2],
  ['👩‍👩‍👧', 2],
  ['🇫🇷', 2],
  ['☎', 1],
  ['☎\ufe0f', 2],
  ['', 0],
])('%j takes %i columns', (text, columns) => {
  expect(widthOf(text)).toBe(columns)
})

it.each([
  ['short', 5, 'short'],
  ['longer', 5, 'long…'],
  ['漢字漢字', 5, '漢字…'],
  ['漢字漢', 6, '漢字漢'],
  ['two words', 5, 'two…'],
  ['👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 4, '👩‍👩‍👧…'],
])('cuts %j to %i columns as %j', (text, columns, expected) => {
  expect(cut(text, columns)).toBe(expected)
})

it('fills up by columns, not by characters', () => {
  expect([pad('漢', 4), padStart('漢', 4), pad('long', 2)]).toEqual(['漢  ', '  漢', 'long'])
})

it.each([
  ['one\ntwo', 'one'],
  ['\n \n  first   line\t. \r\nsecond', 'first line .'],
  ['\u001b[1mbold', '\\x1b[1mbold'],
  ['', ''],
  [' \n ', ''],
])('takes the first line of %j', (text, expected) => {
  expect(firstLine(text)).toBe(expected)
})

it('writes numbers for people', () => {
  expect([grouped(0), grouped(999), grouped(1234567)]).toEqual(['0', '999', '1,234,567'])
  expect([counted(1, 'entry'), counted(2, 'entry'), counted(0, 'file')]).toEqual([
    '1 entry',
    '2 entries',
    '0 files',
  ])
  expect([1, 999, 1000, 999_949, 999_950, 32.4e6, 7e11, 5e15].map(sized)).toEqual([
    '1 byte',
    '999 bytes',
    '1.0 kB',
    '999.9 kB',
    '1.0 MB',
    '32.4 MB',
    '700.0 GB',
    '5000.0 TB',
  ])
})

it('shows in some columns as much of the beginning of a line as of all of it', () => {
  const piece = fc.constantFrom(
    'word',
    'a',
    ' ',
    '  ',
    '\n',
    '\t',
    'e\u0301',
    '\u0301',
    '漢',
    '\u001b[1m',
    '\r\n',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), fc.integer({ min: 2, max: 30 }), (pieces, columns) => {
      const text = pieces.join('')
      expect(cut(firstWords(text, columns), columns)).toBe(cut(firstLine(text), columns))
      expect(cut(`"${firstWords(text, columns)}"`, columns)).toBe(cut(`"${firstLine(text)}"`, columns))
    }),
  )
  expect(firstWords('many words of one line', 8)).toBe('many word')
})

it('shows lines that end with CRLF without what ends them', () => {
  const text = 'one\r\ntwo\r\n'
  expect(blockLines({ kind: 'text', text }, true)).toEqual([['one'], ['two'], []])
  const result = { kind: 'toolResult', id: 'c', text, error: false } as const
  expect(blockLines(result, true).slice(1)).toEqual([['  one'], ['  two']])
})
