import type { Cell, GraphRow } from './lanes.ts'

/** What cells of a graph look like, and whether a line leads on to the next cell. */
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

/** What a node is drawn as, by what it is. */
export type Mark = 'head' | 'prompt' | 'compaction' | 'entry'

const MARKS: Readonly<Record<Mark, readonly [box: string, ascii: string]>> = {
  head: ['@', '@'],
  prompt: ['●', '*'],
  compaction: ['◆', '#'],
  entry: ['○', 'o'],
}

/** Gives the glyph of a node. */
export const markOf = (mark: Mark, ascii: boolean): string => MARKS[mark][ascii ? 1 : 0]

/** Gives the text of a row before its node, and behind it; all of it before, where the row has no node. */
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

/** Tells whether a terminal knows ASCII alone: a dumb one, or one whose locale has other characters than UTF-8. */
export function isAscii(variables: { readonly [name: string]: string | undefined }): boolean {
  const locale = variables.LC_ALL || variables.LC_CTYPE || variables.LANG || 'UTF-8'
  return variables.TERM === 'dumb' || !/utf-?8/i.test(locale)
}
