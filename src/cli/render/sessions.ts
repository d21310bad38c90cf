import { lastName } from '../../model/paths.ts'
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
import { ageOf, isRecent } from '../../text/time.ts'
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
  'cwd',
  'others',
  'total',
  'cost',
] as const

interface TableColumn {
  readonly heading: string
  readonly look: TextStyle
  /** Whether it is a number or a time: each character takes one column. */
  readonly right?: boolean
  /** The width above which a cell takes the place of the title instead of making the whole column wider. */
  readonly most?: number
  readonly cells: readonly string[]
}

/** Most ids are as short as this. The columns of a session with a longer one are farther to the right. */
const ID = 20
/** The columns that other columns need at least beside an id: a cut id cannot be typed. */
const OTHERS = 24
/** The columns of a project's name on a terminal at least, and their part of a wide one. */
const PROJECT = { least: 12, part: 6 }
/** These columns are shown, the first ones first, where they leave titles so many columns. */
const OPTIONAL = new Map([
  ['COST', 16],
  ['PROJECT', 26],
  ['AGENT', 26],
  ['TOKENS', 26],
  ['ENTRIES', 26],
  ['BRANCH', 26],
])
/** The fewest columns of a title. */
const MIN_TITLE = 10

/** The number of lines that are made at a time. */
const PART = 500

/** A table of sessions. Empty columns are left out. */
export class SessionTable {
  readonly #shown: readonly Filled[]
  readonly #room: number
  readonly #titleAt: (index: number, columns: number) => string
  readonly #count: number

  constructor(sessions: ShownSessions, display: Display) {
    const { shown, room } = fitting(columnsOf(sessions, display).flatMap(filled), display.columns)
    this.#shown = shown
    this.#room = room
    this.#titleAt = titlesOf(sessions)
    this.#count = sessions.count
  }

  get heading(): Line {
    const names = this.#shown.map((column) => styled('dim', padded(column.heading, column)))
    return [...names, styled('dim', 'TITLE')]
  }

  /** Yields a line for each session. */
  *lines(): Generator<Line> {
    for (let i = 0; i < this.#count; i++) {
      const { cells, title } = this.#row(i)
      yield [...cells.map((cell, place) => styled(this.#shown[place]?.look ?? 'plain', cell)), title]
    }
  }

  /** Yields the same lines without colours, in batches. */
  *texts(): Generator<readonly string[]> {
    for (let from = 0; from < this.#count; from += PART) {
      const lines = new Array<string>(Math.min(PART, this.#count - from)).fill('')
      for (const column of this.#shown) addTo(lines, column, from)
      for (let i = 0; i < lines.length; i++)
        if (this.#isLong(from + i)) {
          const { cells, title } = this.#row(from + i)
          lines[i] = cells.join('') + title
        } else lines[i] += this.#titleAt(from + i, Math.max(MIN_TITLE, this.#room))
      yield lines
    }
  }

  /** Whether the id of a session is wider than its column. */
  #isLong(index: number): boolean {
    const [ids] = this.#shown
    return ids !== undefined && spacesAround(ids, index) < 0
  }

  /** Returns the cells and the title of a session. What a cell takes beyond its column is taken from blanks after it. */
  #row(index: number): { readonly cells: readonly string[]; readonly title: string } {
    let over = 0
    const cells = this.#shown.map((column) => {
      const spaces = spacesAround(column, index) - over
      over = Math.max(0, -spaces)
      const [cell, blank] = [column.cells[index] ?? '', ' '.repeat(Math.max(0, spaces))]
      return (column.right ? blank + cell : cell + blank) + GAP
    })
    return { cells, title: this.#titleAt(index, Math.max(MIN_TITLE, this.#room - over)) }
  }
}

/** Returns the columns that fit beside titles, and how many columns of the terminal titles have. */
function fitting(
  all: readonly Filled[],
  columns: number,
): { readonly shown: readonly Filled[]; readonly room: number } {
  const spaceOf = ({ width }: Filled): number => width + GAP.length
  const isOptional = ({ heading }: Filled): boolean => OPTIONAL.has(heading)
  const shown = new Set(all.filter((column) => !isOptional(column)))
  let room = [...shown].reduce((left, column) => left - spaceOf(column), columns)
  for (const [heading, least] of OPTIONAL) {
    const column = all.find((one) => one.heading === heading)
    if (!column || room - spaceOf(column) < least) continue
    room -= spaceOf(column)
    shown.add(column)
  }
  return { shown: all.filter((column) => shown.has(column)), room }
}

function columnsOf(sessions: ShownSessions, display: Display): readonly TableColumn[] {
  return [
    { heading: 'SESSION', look: 'yellow', most: ID, cells: shownIds(sessions.short(), display.columns) },
    timeColumn(sessions, display),
    { heading: 'ENTRIES', look: 'plain', right: true, cells: sessions.map('entries', grouped) },
    { heading: 'AGENT', look: 'dim', cells: sessions.map('format', remembered(firstLine)) },
    { heading: 'PROJECT', look: 'green', cells: projectsOf(sessions, display.columns) },
    {
      heading: 'BRANCH',
      look: 'cyan',
      right: true,
      cells: sessions.map('others', (others) =>
        others === 0 ? '' : others === null ? 'many' : `+${others}`,
      ),
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
function remembered<T extends string | null>(shown: (text: T) => string): (text: T) => string {
  let last: T | undefined
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

/** Returns the names of the folders that sessions worked in last, cut on a terminal. */
function projectsOf(sessions: ShownSessions, columns: number): string[] {
  const most = Math.max(PROJECT.least, Math.floor(columns / PROJECT.part))
  const nameOf = (cwd: string | null): string => (cwd === null ? '' : firstCut(lastName(cwd), most))
  return sessions.map('cwd', remembered(nameOf))
}

/** Returns the ages of sessions, and the days of those that are older than a week. */
function timeColumn(sessions: ShownSessions, { zone, now }: Display): TableColumn {
  const times = sessions.map('updated', (time) => time ?? undefined)
  const isDated = times.some((time) => time !== undefined && !isRecent(time, now))
  // Of sessions in order many may have the same.
  let last: number | undefined
  let text = ''
  const cells = times.map((time) => {
    if (time === undefined) return '-'
    if (time !== last) text = ageOf(time, now, zone)
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
  const { heading, right = false, most = Number.POSITIVE_INFINITY, cells } = column
  const plain = right || isPlain(cells.join(''))
  let [width, widest] = [0, 0]
  // A loop that runs once over many cells is not compiled: this form takes the fewest steps.
  for (let i = 0; i < cells.length; i++) {
    const cell = cells[i] as string
    const columns = plain ? cell.length : widthOf(cell)
    if (columns > widest) widest = columns
    if (columns > width && columns <= most) width = columns
  }
  return widest === 0 ? [] : [{ ...column, plain, width: Math.max(width || widest, heading.length) }]
}

/** Returns how many columns a cell leaves blank; below 0 where it is wider than its column. */
function spacesAround({ cells, width, plain }: Filled, index: number): number {
  const cell = cells[index] ?? ''
  return width - (plain ? cell.length : widthOf(cell))
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
      const blank = blanks[Math.max(0, width - cell.length)] ?? ''
      text = right ? blank + cell + GAP : cell + blank + GAP
      last = cell
    }
    lines[i] += text
  }
}

/** Returns a function that returns the title of a session, or the first words of its user, for display. */
function titlesOf(sessions: ShownSessions): (index: number, columns: number) => string {
  const titles = sessions.map('title', (title) => title)
  const prompts = sessions.map('prompt', (prompt) => prompt)
  return (i, columns) => {
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
