import { expect, it } from 'vitest'
import { lineText } from '../../src/text/text.ts'
import { textDiff, wordDiff } from '../../src/text/textdiff.ts'

const shown = (left: string, right: string): string[] => textDiff(left, right).map(lineText)

it('marks words in single lines that are alike', () => {
  expect(shown('add Le Havre', 'add Le Havre and Dieppe')).toEqual(['  add Le Havre{+ and Dieppe+}'])
  expect(shown('a red house stands', 'a green house stands')).toEqual(['  a [-red-]{+green+} house stands'])
})

it('shows lines one after the other where little is common', () => {
  expect(shown('something', 'else entirely')).toEqual(['  - something', '  + else entirely'])
  expect(shown('', 'new')).toEqual(['  -', '  + new'])
})

it('leaves out what is equal far from a difference', () => {
  const lines = (middle: string): string => ['a', 'b', 'c', 'd', middle, 'e', 'f', 'g', 'h'].join('\n')
  expect(shown(lines('x'), lines('y'))).toEqual([
    '    … 2 equal lines',
    '    c',
    '    d',
    '  - x',
    '  + y',
    '    e',
    '    f',
    '    … 2 equal lines',
  ])
})

it('does not look for what is common in texts that are too far apart', () => {
  const text = (word: string): string => Array.from({ length: 3000 }, (_, i) => `${word}${i}`).join('\n')
  const diff = shown(text('a'), text('b'))
  expect(diff).toHaveLength(6000)
  expect(diff[0]).toBe('  - a0')
})

it('marks words within long texts where that is asked for', () => {
  const worded = (left: string, right: string): string[] => wordDiff(left, right).map(lineText)
  expect(worded('one\ntwo words\nthree', 'one\ntwo new words\nthree')).toEqual([
    '  one',
    '  two {+new +}words',
    '  three',
  ])
  const lines = (middle: string): string => ['a', 'b', 'c', 'd', middle, 'e', 'f', 'g', 'h'].join('\n')
  expect(worded(lines('x'), lines('y'))).toEqual([
    '  … equal lines',
    '  c',
    '  d',
    '  [-x-]{+y+}',
    '  e',
    '  f',
    '  … equal lines',
  ])
  expect(worded('a\nb', 'a\nb')).toEqual(['  … equal lines'])
})
