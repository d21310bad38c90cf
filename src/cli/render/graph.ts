import { promptIn } from '../../model/summary.ts'
import type { Drawn, Elided, Heading, NamedRef } from '../../ops/log/drawn.ts'
import { type Piece, styled } from '../style.ts'
import { GRAFTED, lookOf } from './entry.ts'
import { drawn, type Mark, markOf } from './glyphs.ts'
import { type GraphRow, Lanes } from './lanes.ts'
import type { Line } from './line.ts'
import { summaryOf } from './summary.ts'
import { counted, cut, firstLine, rounded } from './text.ts'
import { minute } from './time.ts'
import { widthOf } from './width.ts'

export interface GraphLook {
  readonly columns: number
  readonly ascii: boolean
  readonly zone: (time: number) => number
}

/** Oids are shown with so many digits, and more where fewer name others too. */
const DIGITS = 8

/** Draws entries as a graph, the newest first, each as the lines that can be drawn once it is there. */
export class Graph {
  readonly #look: GraphLook
  readonly #lanes: Lanes
  readonly #session: string | undefined
  readonly #short: Heading['short']

  /** `heading` tells which path is drawn straight, and which session's refs are shown without its name. */
  constructor(look: GraphLook, { main, sessions, short }: Heading) {
    this.#look = look
    this.#lanes = new Lanes(main)
    this.#session = sessions[0]?.id
    this.#short = short
  }

  /** Returns the lines of the next entry. */
  add(entry: Drawn): Line[] {
    const [first] = entry.edges
    const rows = this.#lanes.add({
      id: entry.oid,
      parents: entry.edges.map(({ oid }) => oid),
      elided: Boolean(first?.elided),
      open: entry.open,
    })
    return rows.map((row) => this.#line(row, entry, first?.elided ?? undefined))
  }

  #line(row: GraphRow, entry: Drawn, elided: Elided | undefined): Line {
    const { ascii, columns } = this.#look
    const [before, after] = drawn(row, ascii)
    if (row.kind === 'lanes') return [styled('dim', before.trimEnd())]
    if (row.kind === 'elided' && elided) return [styled('dim', `${before} ${elidedText(elided)}`)]
    const room = columns - widthOf(before) - widthOf(after) - 2
    const mark = markOf(markFor(entry), ascii)
    return [
      styled('dim', before),
      styled(markLook(entry), mark),
      styled('dim', after),
      ' ',
      ...this.#words(entry, room),
    ]
  }

  #words(entry: Drawn, room: number): Piece[] {
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
      styled(role === 'user' ? 'plain' : 'dim', cut(summaryOf(view, type), Math.max(16, room - taken))),
    ]
  }

  #name({ kind, name, session, current }: NamedRef) {
    const shown = firstLine(
      session === this.#session ? name : `${this.#short.get(session) ?? session}/${name}`,
    )
    const look = kind === 'label' ? 'magenta' : current ? 'green' : 'cyan'
    return [styled('dim', ' ['), styled(look, current ? `${shown}*` : shown), styled('dim', ']')]
  }
}

function markFor({ head, compacts, view }: Drawn): Mark {
  if (head) return 'head'
  if (compacts) return 'compaction'
  return promptIn(view) === undefined ? 'entry' : 'prompt'
}

const markLook = ({ head, compacts, role }: Drawn) => (head ? 'bold' : compacts ? 'yellow' : lookOf(role))

/** Returns a summary of entries left out: `41 entries, 12 tools, 8.3k tok`. */
function elidedText({ entries, calls, tokens }: Elided): string {
  const parts = [counted(entries, 'entry', 'entries')]
  if (calls > 0) parts.push(counted(calls, 'tool'))
  if (tokens > 0) parts.push(`${rounded(tokens)} tok`)
  return parts.join(', ')
}
