import { expect, it } from 'vitest'
import { lineText } from '../../src/text/text.ts'
import { sideBySide } from '../../src/text/textdiff.ts'

const shown = (left: string, right: string, columns = 100): string[] | undefined =>
  sideBySide(left, right, columns)?.map((line) => lineText(line).trimEnd())

const beside = (left: string, sign: string, right: string): string =>
  `  ${left.padEnd(47)} ${sign} ${right}`.trimEnd()

it('puts lines that correspond in one row', () => {
  expect(shown('a\nb\nc', 'a\nB\nc')).toEqual([
    beside('a', ' ', 'a'),
    beside('b', '|', 'B'),
    beside('c', ' ', 'c'),
  ])
  expect(shown('a\nb', 'a')).toEqual([beside('a', ' ', 'a'), beside('b', '<', '')])
  expect(shown('a', 'a\nb\nc')).toEqual([beside('a', ' ', 'a'), beside('', '>', 'b'), beside('', '>', 'c')])
  expect(shown('x\n\ty', 'x\n\ty\u001b')).toEqual([beside('x', ' ', 'x'), beside('    y', '|', '    y\\x1b')])
})

it('wraps what is wider than its column, and leaves out what is equal and far', () => {
  expect(shown('q'.repeat(60), 'r')).toEqual([
    beside('q'.repeat(47), '|', 'r'),
    beside('q'.repeat(13), '|', ''),
  ])
  const lines = (last: string): string => [...'abcdefgh', last].join('\n')
  expect(shown(lines('1'), lines('2'))).toEqual([
    '  … 6 equal lines',
    beside('g', ' ', 'g'),
    beside('h', ' ', 'h'),
    beside('1', '|', '2'),
  ])
  const long = Array.from({ length: 60 }, (_, i) => `${i}`).join('\n')
  expect(shown(long, long.replace(/\d+/g, 'x$&'))?.at(-1)).toBe('  … 20 more lines')
})

it('is for wide lines only', () => {
  expect(shown('a', 'b', 99)).toBeUndefined()
})
