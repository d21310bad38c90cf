import { expect, it } from 'vitest'
import { markdownLines } from '../../src/text/markdownlines.ts'
import { lineText, textOfPiece } from '../../src/text/text.ts'
import { widthOf } from '../../src/text/width.ts'

const shown = (text: string, columns = 40, colored = false): string[] =>
  markdownLines(text, { columns, colored }).map(lineText)

it('keeps the lines of a text, and breaks those that are too wide between words', () => {
  expect(shown('one\ntwo three\n\nfour five six seven', 10)).toEqual([
    ...['one', 'two three', '', 'four five', 'six seven'],
  ])
})

it('indents what follows in an item of a list and in a quotation', () => {
  expect(shown('- one two three\n10. one two three\n  - [x] one two\n> one two three', 12)).toEqual([
    ...[
      '- one two',
      '  three',
      '10. one two',
      '    three',
      '  - [x] one',
      '      two',
      '> one two',
      '> three',
    ],
  ])
})

it('keeps code whole, whatever its width, and its blank lines', () => {
  const code = '```ts\nconst wide = "much wider than that"\n\n\n- no list\n```'
  expect(shown(code, 12)).toEqual(code.split('\n'))
  const pieces = markdownLines(code, { columns: 12, colored: false })[1] ?? []
  expect(pieces).toEqual([{ text: 'const wide = "much wider than that"', look: 'plain', whole: true }])
  expect(shown('    indented code is wide', 12)).toEqual(['    indented code is wide'])
})

it('ends code at a fence of its own kind', () => {
  expect(shown('````\n```\nwide words in code\n```\n````\nwide words after it', 12)).toEqual([
    ...['````', '```', 'wide words in code', '```', '````', 'wide words', 'after it'],
  ])
})

it('replaces the signs of code and of bold words by colours, where there are any', () => {
  const text = 'Run `npm test` in **this** folder, 2 ** 3 ** 4, a_b_c and ``a ` b``'
  expect(shown(text, 90)).toEqual([text])
  expect(shown(text, 90, true)).toEqual(['Run npm test in this folder, 2 ** 3 ** 4, a_b_c and a ` b'])
  expect(markdownLines('`x` **y**', { columns: 40, colored: true })).toEqual([
    [{ text: 'x', look: 'cyan' }, ' ', { text: 'y', look: 'bold' }, ''],
  ])
})

it('aligns the cells of a table that fits, also of wide characters', () => {
  expect(shown('| a | harbour |\n|---|:-:|\n| 港 | `x` |')).toEqual([
    ...['| a  | harbour |', '| -- | ------- |', '| 港 | `x`     |'],
  ])
  expect(shown('| a wide cell | another one |', 12)).toEqual(['| a wide', 'cell |', 'another one', '|'])
})

it('shows several empty lines as one', () => {
  expect(shown('one\n\n\n\ntwo')).toEqual(['one', '', 'two'])
})

it('fits wide characters and what is made visible into the columns', () => {
  for (const line of shown(`${'潮汐表'.repeat(9)} \u001b[31mred ${'🌊'.repeat(9)}`, 20)) {
    expect(widthOf(line)).toBeLessThanOrEqual(20)
    expect(line).not.toContain('\u001b')
  }
})

it('takes time that grows with the text, not with its square', () => {
  expect(markdownLines('**`'.repeat(20_000), { columns: 80, colored: true }).length).toBeGreaterThan(1)
  expect(textOfPiece(markdownLines('a', { columns: 80, colored: true })[0]?.[0] ?? '')).toBe('a')
})
