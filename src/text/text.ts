import pc from 'picocolors'
import { safe } from '../model/terminaltext.ts'
import type { Zone } from '../model/time.ts'
import { cut, pad, padStart, widthOf } from './width.ts'

/** The width, time zone and clock by which lines are laid out. */
export interface Display {
  readonly columns: number
  readonly zone: Zone
  /** Milliseconds since 1970. */
  readonly now: number
}

/** How a piece of a line looks on a terminal. */
export type TextStyle = 'plain' | 'dim' | 'bold' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan'

/**
 * A piece of text with a look. Text is made safe when it is printed, so that no other escape gets through.
 */
export interface Styled {
  readonly text: string
  readonly look: TextStyle
  /** Whether it stays in one line where lines are broken to fit: a command to copy. */
  readonly whole?: true
}

export type Piece = string | Styled

/** A line for people, in pieces; without pieces an empty line. */
export type Line = readonly Piece[]

/** Styles a text. */
export const styled = (look: TextStyle, text: string): Styled => ({ text, look })

/** Returns the text of a line without its styles. */
export const plainLine = (line: Line): string =>
  line.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')

/** Returns a text that is never broken, such as a command to copy. */
export const whole = (text: string): Styled => ({ text, look: 'plain', whole: true })

/** Returns the text of a piece. */
export const textOfPiece = (piece: Piece): string => (typeof piece === 'string' ? piece : piece.text)

/** Returns the text of a line. */
export const lineText = (line: Line): string => line.map(textOfPiece).join('')

let colors: ReturnType<typeof pc.createColors> | undefined

/** Returns a text as a terminal shows it in a look. */
export function painted(look: TextStyle, text: string): string {
  if (look === 'plain' || text === '') return text
  colors ??= pc.createColors(true)
  return colors[look](text)
}

/** Returns the lines of a text, which end with LF or CRLF. */
export const linesOf = (text: string): string[] => text.split(/\r?\n/)

/** White space that is not one blank already. */
const SPACES = /\s{2,}|[^\S ]/g

/** Words with single blanks between them, as most names and titles are. */
const WORDS = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/

/** Returns whether a text is one such word. */
export const isWord = (text: string): boolean => WORD.test(text)

const WORD = /^[\x21-\x7e]+$/

/** Returns whether a text is such words, or a prefix of some. */
export const areWords = (text: string): boolean => BEGINNING.test(text)

const BEGINNING = /^[\x21-\x7e]+(?: [\x21-\x7e]+)* ?$/

/** The part of a text in which its first line is searched. */
const FAR = 20_000

/** Returns the first line of a text that is not blank, with single spaces, safe to print and to measure. */
export function firstLine(text: string): string {
  if (text.length < FAR && WORDS.test(text)) return text
  const line = /\S[^\n]*/.exec(text.slice(0, FAR))?.[0] ?? ''
  return safe(line.trimEnd()).replace(SPACES, ' ')
}

/** Returns the first line, or only its beginning where that fills some columns to which it will be cut. */
export function firstWords(text: string, columns: number): string {
  const beginning = text.slice(0, columns + 1)
  return beginning.length > columns && WORDS.test(beginning) ? beginning : firstLine(text)
}

/** Returns the first line of a text that is not blank, cut to a number of columns. */
export function firstCut(text: string, columns: number): string {
  // Most texts: one test is enough.
  if (text.length <= columns && WORDS.test(text)) return text
  return cut(firstWords(text, columns), columns)
}

/** Returns a number with its unit in singular or plural: `1 entry`, `2 entries`. */
export const counted = (count: number, one: string): string =>
  `${grouped(count)} ${count === 1 ? one : plural(one)}`

function plural(one: string): string {
  if (/[^aeiou]y$/.test(one)) return `${one.slice(0, -1)}ies`
  return /(?:ch|sh|s|x)$/.test(one) ? `${one}es` : `${one}s`
}

/** Returns a whole number with commas between thousands. */
export const grouped = (count: number): string =>
  count < 1000 ? String(count) : String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** Returns a number of bytes in the unit that fits. */
export function sized(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte')
  let [size, unit] = [bytes / 1000, 0]
  while (size >= 999.95 && unit < 3) [size, unit] = [size / 1000, unit + 1]
  return `${size.toFixed(1)} ${['kB', 'MB', 'GB', 'TB'][unit]}`
}

/** Returns a number in short: `940`, `8.3k`, `1.2M`. */
export function rounded(count: number): string {
  if (count < 1000) return String(count)
  const [size, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1e6, 'M']
  return `${size < 99.95 ? size.toFixed(1) : grouped(Math.round(size))}${unit}`
}

/** Returns a cost in US dollars, with a mark where it is computed by list prices. */
export const costText = (cost: number, isComputed: boolean, digits = 2): string =>
  `${isComputed ? '~' : ''}$${cost.toFixed(digits)}`

/** The verbs of commands: for what was done, and for a dry run. */
const VERBS = {
  Added: 'add',
  Changed: 'change',
  Cleared: 'clear',
  Compacted: 'compact',
  Copied: 'copy',
  Created: 'create',
  Deleted: 'delete',
  Expunged: 'expunge',
  'Fast-forwarded': 'fast-forward',
  Forked: 'fork',
  Imported: 'import',
  Labelled: 'label',
  Left: 'leave',
  Merged: 'merge',
  Moved: 'move',
  Picked: 'pick',
  Rebased: 'rebase',
  Redid: 'redo',
  Removed: 'remove',
  Renamed: 'rename',
  Restored: 'restore',
  Set: 'set',
  Skipped: 'skip',
  Switched: 'switch',
  Undid: 'undo',
  Unset: 'unset',
  Wrote: 'write',
} as const

/** Returns what a command did, or would do without `--dry-run`. */
export const did = ({ dryRun }: { readonly dryRun: boolean }, verb: keyof typeof VERBS): string =>
  dryRun ? `would ${VERBS[verb]}` : verb

/**
 * Returns rows as lines whose cells are aligned, two blanks apart: at the left or, from a column on, at the right. The last
 * cell at the left is not filled up.
 */
export function aligned(rows: readonly (readonly Piece[])[], rightFrom = Number.POSITIVE_INFINITY): Line[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => widthOf(textOfPiece(row[column] ?? '')))),
  )
  return rows.map((row) =>
    row.flatMap((cell, column) => {
      const [text, width] = [textOfPiece(cell), widths[column] as number]
      const isLast = column === row.length - 1
      const filled = column >= rightFrom ? padStart(text, width) : isLast ? text : pad(text, width)
      const piece = typeof cell === 'string' ? filled : styled(cell.look, filled)
      return isLast ? [piece] : [piece, '  ']
    }),
  )
}

/** Returns names and their descriptions in two columns, as help lists them. */
export function listedInColumns(rows: readonly (readonly [name: string, is: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, is]) => `  ${name.padEnd(width)}  ${is}`).join('\n')
}

/** The columns that the first one needs at least. */
const FIRST = 12

interface TableLook {
  /** The width of the table at most, in columns of the terminal. */
  readonly columns: number
  /** The headings of columns that are left out until the table fits, in this order. */
  readonly spare: readonly string[]
  /** Shortens what is in the first column where the table is too wide even so; by default at its end. */
  readonly shorten?: (text: string, columns: number) => string
}

/**
 * Returns the rows of a table, the headings first: of each the first cell, to the left, and the others, to the right. Each
 * column is a list of its heading and its cells.
 */
export function tableRows(
  columns: readonly (readonly string[])[],
  { columns: width, spare, shorten = cut }: TableLook,
): (readonly [first: string, others: string])[] {
  const widthIn = (cells: readonly string[]): number => Math.max(...cells.map(widthOf))
  const [first = [], ...all] = columns
  let others = all
  const room = (): number => others.reduce((rest, cells) => rest - 2 - widthIn(cells), width)
  for (const name of spare)
    if (widthIn(first) > room()) others = others.filter(([heading]) => heading !== name)
  const left = Math.min(widthIn(first), Math.max(FIRST, room()))
  const widths = others.map(widthIn)
  return first.map((name, i) => {
    const cells = others.map((column, at) => padStart(column[i] ?? '', widths[at] as number))
    const shown = widthOf(name) > left ? shorten(name, left) : name
    return [pad(shown, left), `  ${cells.join('  ')}`.trimEnd()]
  })
}
