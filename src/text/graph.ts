import { ownWords } from '../model/prompt.ts'
import type { Elided, GraphEntry, GraphHeading, GraphRef, Listed } from '../verbs/types.ts'
import { GRAFTED, lookOf, summaryOf } from './entry.ts'
import { type Cell, type GraphRow, Lanes } from './lanes.ts'
import { subagentLines } from './subagents.ts'
import { counted, type Display, firstLine, type Line, type Piece, rounded, styled } from './text.ts'
import { minute } from './time.ts'
import { cut, widthOf } from './width.ts'

export interface GraphLook extends Display {
  readonly ascii: boolean
}

/** The digits of an oid that are shown, more if fewer are ambiguous. */
const DIGITS = 8

/** Draws entries as a graph, the newest first, each as the lines that can be drawn once it is there. */
export class Graph {
  readonly #look: GraphLook
  readonly #lanes: Lanes
  readonly #session: string | undefined
  readonly #short: GraphHeading['short']

  /** `heading` names the path that is drawn straight, and the session whose refs are shown without its name. */
  constructor(look: GraphLook, { main, sessions, short }: GraphHeading) {
    this.#look = look
    this.#lanes = new Lanes(main)
    this.#session = sessions[0]?.id
    this.#short = short
  }

  /** Returns the lines of the next entry. */
  add(entry: GraphEntry): Line[] {
    const [first] = entry.edges
    const rows = this.#lanes.add({
      id: entry.oid,
      parents: entry.edges.map(({ oid }) => oid),
      elided: Boolean(first?.elided),
      open: entry.open,
    })
    return rows.flatMap((row) => {
      const line = this.#line(row, entry, first?.elided ?? undefined)
      return row.kind === 'node' ? [line, ...this.#subagents(row, entry)] : [line]
    })
  }

  /** Returns the lines of the sub-agents that an entry started, beside the lanes that go on below it. */
  #subagents({ cells }: GraphRow, { subagents, edges, open }: GraphEntry): Line[] {
    if (!subagents) return []
    const { ascii, columns } = this.#look
    const goesOn = edges.length > 0 || open
    const below = cells.map((cell): Cell => (cell === 'node' ? (goesOn ? 'line' : 'none') : cell))
    const [before] = drawn({ kind: 'lanes', cells: below }, ascii)
    return subagentLines(subagents, { columns: columns - widthOf(before) - 2, ascii }).map((line) => [
      styled('dim', before),
      '  ',
      ...line,
    ])
  }

  #line(row: GraphRow, entry: GraphEntry, elided: Elided | undefined): Line {
    const { ascii, columns } = this.#look
    const [before, after] = drawn(row, ascii)
    if (row.kind === 'lanes') return [styled('dim', before.trimEnd())]
    if (row.kind === 'elided' && elided) return [styled('dim', `${before} ${elidedText(elided)}`)]
    const left = columns - widthOf(before) - widthOf(after) - 2
    const mark = markOf(markFor(entry), ascii)
    return [
      styled('dim', before),
      styled(markLook(entry), mark),
      styled('dim', after),
      ' ',
      ...this.#words(entry, left),
    ]
  }

  #words(entry: GraphEntry, left: number): Piece[] {
    const { oid, digits = 0, time, refs, role, view, type, grafted } = entry
    const id = oid.slice(0, Math.max(DIGITS, digits))
    const when = time === null ? '' : `  ${minute(time, this.#look.zone)}`
    const joint = grafted ? [styled('dim', ' ['), styled('yellow', GRAFTED), styled('dim', ']')] : []
    const names = [...joint, ...refs.flatMap((ref) => this.#name(ref))]
    const taken = id.length + when.length + names.reduce((sum, { text }) => sum + widthOf(text), 0) + 2
    return [
      styled('yellow', id.slice(0, digits)),
      styled('dim', id.slice(digits)),
      styled('dim', when),
      ...names,
      '  ',
      styled(role === 'user' ? 'plain' : 'dim', cut(summaryOf(view, type), Math.max(16, left - taken))),
    ]
  }

  #name({ kind, name, session, current }: GraphRef) {
    const shown = firstLine(
      session === this.#session ? name : `${this.#short.get(session) ?? session}/${name}`,
    )
    const look = kind === 'label' ? 'magenta' : current ? 'green' : 'cyan'
    return [styled('dim', ' ['), styled(look, current ? `${shown}*` : shown), styled('dim', ']')]
  }
}

function markFor({ head, compacts, view }: GraphEntry): NodeMark {
  if (head) return 'head'
  if (compacts) return 'compaction'
  return ownWords(view) === undefined ? 'entry' : 'prompt'
}

const markLook = ({ head, compacts, role }: GraphEntry) =>
  head ? 'bold' : compacts ? 'yellow' : lookOf(role)

/** Returns a summary of entries left out: `41 entries, 12 tools, 8.3k tok`. */
function elidedText({ entries, calls, tokens }: Elided): string {
  const parts = [counted(entries, 'entry')]
  if (calls > 0) parts.push(counted(calls, 'tool'))
  if (tokens > 0) parts.push(`${rounded(tokens)} tok`)
  return parts.join(', ')
}

/** Returns the lines above a graph: one for each of its sessions. */
export const headingLines = ({ sessions, short }: GraphHeading, display: Display): Line[] =>
  sessions.map((session, place) => {
    const { id, set } = session
    // The parent that the user set comes before the one that the agent names.
    const parent = set.parent ?? session.parent
    const from = parent === null ? '' : `, from ${cut(firstLine(short.get(parent) ?? parent), ID)}`
    return sessionLine(session, { short: short.get(id) ?? id, from, isFirst: place === 0 }, display)
  })

/** The longest id that is shown. */
const ID = 38

/** How a session is shown among others: its id, and the session that it was started from. */
interface ShownSession {
  readonly short: string
  readonly from: string
  readonly isFirst: boolean
}

function sessionLine(
  session: Listed,
  { short, from, isFirst }: ShownSession,
  { columns, zone }: Display,
): Line {
  const { title, prompt, format, entries, created } = session
  const name = firstLine(title ?? (prompt === null ? '(no title)' : `"${prompt}"`))
  const about = `  ${minute(created, zone)}  ${firstLine(format)}, ${counted(entries, 'entry')}${from}`
  const shortId = cut(firstLine(short), ID)
  const left = columns - widthOf(shortId) - widthOf(about) - 4
  return [
    styled('yellow', shortId),
    '  ',
    styled(isFirst ? 'bold' : 'plain', cut(name, Math.max(16, left))),
    styled('dim', about),
  ]
}

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
export type NodeMark = 'head' | 'prompt' | 'compaction' | 'entry'

const MARKS: Readonly<Record<NodeMark, readonly [box: string, ascii: string]>> = {
  head: ['@', '@'],
  prompt: ['●', '*'],
  compaction: ['◆', '#'],
  entry: ['○', 'o'],
}

/** Returns the glyph of a node. */
export const markOf = (mark: NodeMark, ascii: boolean): string => MARKS[mark][ascii ? 1 : 0]

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
