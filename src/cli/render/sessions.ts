import type { Zone } from '../../model/when.ts'
import type { Listed } from '../../ops/list.ts'
import { type Look, styled } from '../style.ts'
import type { Line } from './line.ts'
import { cut, firstCut, firstLine, firstWords, grouped, pad, padStart, rounded } from './text.ts'
import { age } from './time.ts'
import { isPlain, widthOf } from './width.ts'

export interface SessionsLook {
  /** By session what is shown of its id. */
  readonly short: ReadonlyMap<string, string>
  readonly columns: number
  /** Whether what has a look shows it. */
  readonly colored: boolean
  readonly zone: Zone
  readonly now: number
}

interface Column {
  readonly heading: string
  readonly look: Look
  /** Whether it is a number. */
  readonly right?: boolean
  readonly cell: (session: Listed) => string
}

/** The longest id that is shown. What is cut cannot be typed: other columns go first. */
const ID = 38
/** Where the terminal is narrow, these columns go first, in this order, until titles have so many columns. */
const SPARE = ['BRANCH', 'COST', 'TOKENS', 'AGENT', 'ENTRIES']
const TITLE = 26

/** Gives sessions as a table, a line each below a heading. Columns in which nothing stands are left out. */
export function* sessionTable(
  sessions: readonly Listed[],
  { short, columns, colored, zone, now }: SessionsLook,
): Generator<Line> {
  if (sessions.length === 0) return
  const all: Column[] = [
    { heading: 'SESSION', look: 'yellow', cell: ({ id }) => firstCut(short.get(id) ?? id, ID) },
    { heading: 'AGE', look: 'dim', right: true, cell: ({ updated }) => age(updated, now, zone) },
    { heading: 'ENTRIES', look: 'plain', right: true, cell: ({ entries }) => grouped(entries) },
    { heading: 'AGENT', look: 'dim', cell: ({ format }) => firstLine(format) },
    { heading: 'BRANCH', look: 'cyan', right: true, cell: otherBranches },
    {
      heading: 'TOKENS',
      look: 'plain',
      right: true,
      cell: ({ tokens }) => (tokens ? rounded(tokens.total) : ''),
    },
    {
      heading: 'COST',
      look: 'plain',
      right: true,
      cell: ({ cost }) => (cost === null ? '' : `$${cost.toFixed(2)}`),
    },
  ]
  let shown = filled(sessions, all)
  const left = (): number => shown.reduce((rest, { width }) => rest - width - 2, columns)
  for (const spare of SPARE) if (left() < TITLE) shown = shown.filter(({ heading }) => heading !== spare)
  const wide = Math.max(10, left())
  yield [
    ...shown.map(({ heading, right, width }) => styled('dim', padded(heading, width, right))),
    styled('dim', 'TITLE'),
  ]
  for (const [i, session] of sessions.entries()) {
    const title = titleOf(session, wide)
    if (colored) yield [...shown.map((column) => styled(column.look, cellAt(column, i))), title]
    else {
      // One text in place of one for each column: there may be thousands of them.
      let line = ''
      for (const column of shown) line += cellAt(column, i)
      yield [line + title]
    }
  }
}

const cellAt = ({ cells, right, width, plain }: Filled, i: number): string =>
  (plain ? filledUp : padded)(cells[i] ?? '', width, right)

const padded = (text: string, width: number, right = false): string =>
  `${right ? padStart(text, width) : pad(text, width)}  `

/** The same for a text whose characters take one column each. */
const filledUp = (text: string, width: number, right = false): string =>
  `${right ? text.padStart(width) : text.padEnd(width)}  `

interface Filled extends Column {
  readonly cells: readonly string[]
  readonly width: number
  /** Whether each character in it takes one column. */
  readonly plain: boolean
}

/** Gives columns with what stands in them, without those in which nothing does. */
const filled = (sessions: readonly Listed[], columns: readonly Column[]): Filled[] =>
  columns
    .map((column) => ({ ...column, cells: sessions.map(column.cell) }))
    .filter(({ cells }) => cells.some((cell) => cell !== ''))
    .map((column) => {
      const plain = isPlain(column.cells.join(''))
      const widest = (most: number, text: string): number =>
        Math.max(most, plain ? text.length : widthOf(text))
      return { ...column, plain, width: column.cells.reduce(widest, column.heading.length) }
    })

/** Says how many branches a session has beyond the one that it stands on. */
function otherBranches({ branches, head }: Listed): string {
  const others = Object.keys(branches).filter((name) => name !== head).length
  return others === 0 ? '' : `+${others}`
}

function titleOf({ title, prompt }: Listed, columns: number): string {
  if (title !== null) return firstCut(title, columns)
  return prompt === null ? '(no title)' : cut(`"${firstWords(prompt, columns)}"`, columns)
}
