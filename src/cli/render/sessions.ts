import {
  areWords,
  costText,
  type Display,
  firstCut,
  firstLine,
  firstWords,
  grouped,
  isWord,
  type Line,
  rounded,
  styled,
  type TextStyle,
} from '../../text/text.ts'
import { ageOf, dayOf, isRecent } from '../../text/time.ts'
import { cut, isPlain, pad, padStart, widthOf } from '../../text/width.ts'
import type { Listing } from '../../verbs/types.ts'

/** The fields of a session that a table shows. */
type ShownSessions = Pick<Listing<(typeof TABLE_FIELDS)[number]>, 'count' | 'map' | 'short' | 'costComputed'>

/** The fields that a table reads. */
export const TABLE_FIELDS = [
  'title',
  'prompt',
  'updated',
  'entries',
  'format',
  'others',
  'total',
  'cost',
] as const

interface TableColumn {
  readonly heading: string
  readonly look: TextStyle
  /** Whether it is a number or a time: each character takes one column. */
  readonly right?: boolean
  readonly cells: readonly string[]
}

/** Ids are shown with this many columns, and longer ones as far as the terminal lets them: a cut id cannot be typed. */
const ID = 38
/** The columns that other columns need at least. */
const OTHERS = 24
/** On a narrow terminal these columns are left out, in this order, until titles have `TITLE` columns. */
const SPARE = ['BRANCH', 'COST', 'TOKENS', 'AGENT', 'ENTRIES']
const TITLE = 26

/** The number of lines that are made at a time. */
const PART = 500

/** A table of sessions. Empty columns are left out. */
export class SessionTable {
  readonly #shown: readonly Filled[]
  readonly #titleAt: (index: number) => string
  readonly #count: number

  constructor(sessions: ShownSessions, display: Display) {
    let shown = columnsOf(sessions, display).flatMap(filled)
    const left = (): number => shown.reduce((rest, { width }) => rest - width - 2, display.columns)
    for (const spare of SPARE) if (left() < TITLE) shown = shown.filter(({ heading }) => heading !== spare)
    this.#shown = shown
    this.#titleAt = titlesOf(sessions, Math.max(10, left()))
    this.#count = sessions.count
  }

  get heading(): Line {
    const names = this.#shown.map((column) => styled('dim', padded(column.heading, column)))
    return [...names, styled('dim', 'TITLE')]
  }

  /** Yields a line for each session. */
  *lines(): Generator<Line> {
    for (let i = 0; i < this.#count; i++) {
      const cells = this.#shown.map((column) => styled(column.look, padded(column.cells[i] ?? '', column)))
      yield [...cells, this.#titleAt(i)]
    }
  }

  /** Yields the same lines without colours, in batches. */
  *texts(): Generator<readonly string[]> {
    for (let from = 0; from < this.#count; from += PART) {
      const lines = new Array<string>(Math.min(PART, this.#count - from)).fill('')
      for (const column of this.#shown) addTo(lines, column, from)
      for (let i = 0; i < lines.length; i++) lines[i] += this.#titleAt(from + i)
      yield lines
    }
  }
}

function columnsOf(sessions: ShownSessions, display: Display): readonly TableColumn[] {
  return [
    { heading: 'SESSION', look: 'yellow', cells: shownIds(sessions.short(), display.columns) },
    timeColumn(sessions, display),
    { heading: 'ENTRIES', look: 'plain', right: true, cells: sessions.map('entries', grouped) },
    { heading: 'AGENT', look: 'dim', cells: sessions.map('format', remembered(firstLine)) },
    {
      heading: 'BRANCH',
      look: 'cyan',
      right: true,
      cells: sessions.map('others', (others) => (others === 0 ? '' : `+${others}`)),
    },
    {
      heading: 'TOKENS',
      look: 'plain',
      right: true,
      cells: sessions.map('total', (total) => (total === null ? '' : rounded(total))),
    },
    {
      heading: 'COST',
      look: 'plain',
      right: true,
      cells: costsOf(sessions),
    },
  ]
}

/** Returns a function that remembers its last result: of many sessions most have the same agent. */
function remembered(shown: (text: string) => string): (text: string) => string {
  let last: string | undefined
  let result = ''
  return (text) => {
    if (text !== last) result = shown(text)
    last = text
    return result
  }
}

/** Returns the costs of sessions, with a mark on those that are computed. */
function costsOf(sessions: ShownSessions): string[] {
  const computed = sessions.costComputed()
  let place = 0
  return sessions.map('cost', (cost) => {
    const isComputed = computed[place++] ?? false
    return cost === null ? '' : costText(cost, isComputed)
  })
}

/** Returns ids as they are shown. Most are shown as they are, which one test finds for all at once. */
function shownIds(ids: readonly string[], columns: number): readonly string[] {
  const most = Math.max(ID, columns - OTHERS)
  return ids.every((id) => id.length <= most) && isWord(ids.join(''))
    ? ids
    : ids.map((id) => firstCut(id, most))
}

/** Returns the ages of sessions, or their days where one of them is older than a week. */
function timeColumn(sessions: ShownSessions, { zone, now }: Display): TableColumn {
  const times = sessions.map('updated', (time) => time ?? undefined)
  const isDated = times.some((time) => time !== undefined && !isRecent(time, now))
  const shown = isDated ? (time: number) => dayOf(time, zone) : (time: number) => ageOf(time, now, zone)
  // Of sessions in order many may have the same.
  let last: number | undefined
  let text = ''
  const cells = times.map((time) => {
    if (time === undefined) return '-'
    if (time !== last) text = shown(time)
    last = time
    return text
  })
  return { heading: isDated ? 'UPDATED' : 'AGE', look: 'dim', right: true, cells }
}

interface Filled extends TableColumn {
  readonly width: number
  /** Whether each character in it takes one column. */
  readonly plain: boolean
}

/** Returns a column with its width; nothing if it is empty. */
function filled(column: TableColumn): Filled[] {
  const { heading, right = false, cells } = column
  const plain = right || isPlain(cells.join(''))
  let width = 0
  // A loop that runs once over many cells is not compiled: this form takes the fewest steps.
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as string
    const columns = plain ? cell.length : widthOf(cell)
    if (columns > width) width = columns
  }
  return width === 0 ? [] : [{ ...column, plain, width: Math.max(width, heading.length) }]
}

const GAP = '  '

const padded = (text: string, { width, right = false }: Filled): string =>
  `${right ? padStart(text, width) : pad(text, width)}${GAP}`

/** Adds the cells of a column, from one on, to lines. */
function addTo(lines: string[], column: Filled, from: number): void {
  const { cells, width, right, plain } = column
  if (!plain) {
    for (let i = 0; i < lines.length; i++) lines[i] += padded(cells[from + i] ?? '', column)
    return
  }
  const blanks = Array.from({ length: width + 1 }, (_, count) => ' '.repeat(count))
  let last: string | undefined
  let text = ''
  for (let i = 0; i < lines.length; i++) {
    const cell = cells[from + i] ?? ''
    if (cell !== last) {
      const blank = blanks[width - cell.length] ?? ''
      text = right ? blank + cell + GAP : cell + blank + GAP
      last = cell
    }
    lines[i] += text
  }
}

/** Returns a function that returns the title of a session, or the first words of its user, for display. */
function titlesOf(sessions: ShownSessions, columns: number): (index: number) => string {
  const titles = sessions.map('title', (title) => title)
  const prompts = sessions.map('prompt', (prompt) => prompt)
  return (i) => {
    const [title, prompt] = [titles[i] ?? null, prompts[i] ?? null]
    if (title !== null) return firstCut(title, columns)
    if (prompt === null) return '(no title)'
    // Most prompts are longer than what is shown of them.
    const beginning = prompt.slice(0, columns + 1)
    if (beginning.length > columns && areWords(beginning))
      return `"${beginning.slice(0, columns - 2).trimEnd()}…`
    return cut(`"${firstWords(prompt, columns)}"`, columns)
  }
}
