import type { Cell, GraphRow } from './lanes.ts'

/** The glyphs of the cells of a graph, and whether a line leads to the next cell. */
type Glyphs = Readonly<Record<Exclude<Cell, 'node'>, readonly [glyph: string, next: string]>>

const BOX: Glyphs = {
  none: [' ', ' '],
  line: ['│', ' '],
  elided: [':', ' '],
  end: ['~', ' '],
  across: ['─', '─'],
  crossing: ['┼', '─'],
  right: ['├', '─'],
  downRight: ['╭', '─'],
  left: ['┤', ' '],
  downLeft: ['╮', ' '],
  upLeft: ['╯', ' '],
}

const ASCII: Glyphs = {
  none: [' ', ' '],
  line: ['|', ' '],
  elided: [':', ' '],
  end: ['~', ' '],
  across: ['-', '-'],
  crossing: ['+', '-'],
  right: ['|', '-'],
  downRight: ['.', '-'],
  left: ['|', ' '],
  downLeft: ['.', ' '],
  upLeft: ["'", ' '],
}

/** The kinds of nodes that look different. */
export type Mark = 'head' | 'prompt' | 'compaction' | 'entry'

const MARKS: Readonly<Record<Mark, readonly [box: string, ascii: string]>> = {
  head: ['@', '@'],
  prompt: ['●', '*'],
  compaction: ['◆', '#'],
  entry: ['○', 'o'],
}

/** Returns the glyph of a node. */
export const markOf = (mark: Mark, ascii: boolean): string => MARKS[mark][ascii ? 1 : 0]

/** Returns the text of a row before its node and after it; without a node, all of it is before. */
export function drawn({ cells }: GraphRow, ascii: boolean): readonly [before: string, after: string] {
  const glyphs = ascii ? ASCII : BOX
  let before = ''
  let after: string | undefined
  for (const cell of cells) {
    if (cell === 'node') after = ' '
    else if (after === undefined) before += glyphs[cell].join('')
    else after += glyphs[cell].join('')
  }
  return [before, after ?? '']
}

/** Returns whether a terminal supports only ASCII: a dumb one, or one whose locale is not UTF-8. */
export function isAscii(variables: { readonly [name: string]: string | undefined }): boolean {
  const locale = variables.LC_ALL || variables.LC_CTYPE || variables.LANG || 'UTF-8'
  return variables.TERM === 'dumb' || !/utf-?8/i.test(locale)
}
