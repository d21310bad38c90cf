import { cut, pad, padStart, widthOf } from './text.ts'

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
