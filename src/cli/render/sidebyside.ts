import { safe } from '../safe.ts'
import { styled } from '../style.ts'
import { type Edit, lineEdits } from './edits.ts'
import type { Line } from './line.ts'
import { counted, cut, pad } from './text.ts'
import { columnsOf } from './width.ts'

/** Narrower lines hold no two texts beside each other. */
const NARROWEST = 100

/** Of what is equal, so many lines are shown on each side of a difference. */
const AROUND = 2

/** So many rows are shown. */
const ROWS = 40

interface Row {
  readonly left: string
  readonly right: string
  readonly sign: ' ' | '|' | '<' | '>'
}

/**
 * Returns two texts side by side, with corresponding lines in one row: `|` between lines that differ, `<` and `>` for a
 * line of one side. Undefined below 100 columns, and if the texts differ too much.
 */
export function sideBySide(left: string, right: string, columns: number): Line[] | undefined {
  const edits = columns < NARROWEST ? undefined : lineEdits(measured(left), measured(right))
  if (!edits) return undefined
  const width = Math.floor((columns - 5) / 2)
  const rows = rowsOf(edits).flatMap((row): (Row | Equal)[] => ('equal' in row ? [row] : wrapped(row, width)))
  const shown = rows
    .slice(0, ROWS)
    .map((row): Line => ('equal' in row ? [equalLine(row.equal)] : lineOf(row, width)))
  return rows.length > ROWS
    ? [...shown, [styled('dim', `  … ${counted(rows.length - ROWS, 'more line')}`)]]
    : shown
}

/** Returns a text as it is printed, for measuring. */
const measured = (text: string): string => `${safe(text).replaceAll('\t', '    ')}\n`

/** Lines that both have and that are left out. */
interface Equal {
  readonly equal: number
}

const equalLine = (count: number) => styled('dim', `  … ${count} equal lines`)

function rowsOf(edits: readonly Edit[]): (Row | Equal)[] {
  const rows: (Row | Equal)[] = []
  const gone: string[] = []
  const come: string[] = []
  const flush = (): void => {
    const both = Math.min(gone.length, come.length)
    for (let i = 0; i < Math.max(gone.length, come.length); i++)
      rows.push({
        left: gone[i] ?? '',
        right: come[i] ?? '',
        sign: i < both ? '|' : i < gone.length ? '<' : '>',
      })
    gone.length = 0
    come.length = 0
  }
  for (const [place, { side, value }] of edits.entries()) {
    const lines = value.slice(0, -1).split('\n')
    if (side === 'left') gone.push(...lines)
    else if (side === 'right') come.push(...lines)
    else {
      flush()
      const [before, after] = [place === 0 ? 0 : AROUND, place === edits.length - 1 ? 0 : AROUND]
      const equal = lines.length - before - after
      const kept = lines.map((line): Row => ({ left: line, right: line, sign: ' ' }))
      if (equal <= 1) rows.push(...kept)
      else rows.push(...kept.slice(0, before), { equal }, ...kept.slice(lines.length - after))
    }
  }
  flush()
  return rows
}

/** Of a line so many rows are shown. */
const WRAPS = 6

/** Returns a row as several where its texts are wider than their columns. */
function wrapped(row: Row, width: number): Row[] {
  const [left, right] = [pieces(row.left, width), pieces(row.right, width)]
  return Array.from({ length: Math.max(left.length, right.length) }, (_, i) => ({
    left: left[i] ?? '',
    right: right[i] ?? '',
    sign: row.sign,
  }))
}

function pieces(text: string, width: number): string[] {
  const found: string[] = []
  let [piece, taken] = ['', 0]
  for (const [grapheme, columns] of columnsOf(cut(text, WRAPS * width))) {
    if (taken + columns > width) {
      found.push(piece)
      ;[piece, taken] = ['', 0]
    }
    piece += grapheme
    taken += columns
  }
  return [...found, piece]
}

const lineOf = ({ left, right, sign }: Row, width: number): Line =>
  sign === ' '
    ? [`  ${pad(left, width)}   ${right}`.trimEnd()]
    : [
        '  ',
        styled('red', pad(left, width)),
        styled('dim', ` ${sign}`),
        styled('green', right === '' ? '' : ` ${right}`),
      ]
