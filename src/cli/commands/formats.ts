import { shortIds } from '../../model/shortid.ts'
import {
  aligned,
  counted,
  firstLine,
  grouped,
  type Line,
  lineText,
  styled,
  tableRows,
} from '../../text/text.ts'
import { cut } from '../../text/width.ts'
import { formats } from '../../verbs/formats.ts'
import type { FormatState, UnknownName } from '../../verbs/types.ts'
import { present } from '../present.ts'

/** `sess formats`: shows the versions of agents, and what is not understood. */
export const command = present(formats, {
  arguments: ['format'],
  help: `Each format of an agent has a page in docs/formats, which was written for a version of the agent. An import counts the
record types and fields that no reader knows: they are kept, exported and not understood. Of an agent whose records have
no version, the month is shown in which its files were looked at.`,
  examples: [
    ['sess formats', 'all formats, and the newest versions in the store'],
    ['sess formats claude-code', 'what is not understood of one, and in which sessions it is'],
    ['sess formats --json', 'the same of all, as JSON'],
  ],
  is: 'A line for each format.',
  show: (states, { io: { columns } }, { format }) => ({
    render: () => [
      ...tableLines(states, columns),
      ...(format === undefined ? [] : states.flatMap((state) => unknownLines(state, columns))),
    ],
  }),
})

/** Columns that are left out on a narrow terminal, in this order, until the table fits. */
const SPARE = ['SESSIONS', 'WRITTEN FOR']

/** A longer version is cut. */
const VERSION = 16

/** Returns the formats as a table. */
function tableLines(states: readonly FormatState[], columns: number): Line[] {
  const cells: readonly (readonly string[])[] = [
    ['FORMAT', ...states.map(({ format }) => format)],
    ['WRITTEN FOR', ...states.map(({ written }) => written)],
    ['NEWEST SEEN', ...states.map(({ seen }) => cut(firstLine(seen ?? '-'), VERSION))],
    ['SESSIONS', ...states.map(({ sessions }) => grouped(sessions))],
    ['NOT UNDERSTOOD', ...states.map(unknownText)],
  ]
  return tableRows(cells, { columns, spare: SPARE }).map(([first, others], i): Line => {
    const { sessions = 0, newer = false } = states[i - 1] ?? {}
    if (i === 0) return [styled('bold', `${first}${others}`)]
    if (sessions === 0) return [styled('dim', `${first}${others}`)]
    return [styled('bold', first), newer ? styled('yellow', others) : others]
  })
}

/** Returns how much of a format is not understood. */
function unknownText({ types, fields, more }: FormatState): string {
  const counts = [
    ...(types.length > 0 ? [counted(types.length, 'type')] : []),
    ...(fields.length > 0 ? [counted(fields.length, 'field')] : []),
    ...(more > 0 ? [`${grouped(more)} more`] : []),
  ]
  return counts.join(', ') || '-'
}

/** The number of sessions that are named for each name. */
const NAMED = 3

/** Returns the types and fields that are not understood, with the sessions that have them. */
function unknownLines({ format, types, fields }: FormatState, columns: number): Line[] {
  const short = shortIds([...new Set([...types, ...fields].flatMap(({ sessions }) => sessions))])
  const section = (title: string, found: readonly UnknownName[]): Line[] =>
    found.length === 0
      ? []
      : [[], [styled('bold', `${title} of ${format}`)], ...nameLines(found, short, columns)]
  return [...section('record types', types), ...section('fields', fields)]
}

const nameLines = (
  found: readonly UnknownName[],
  short: ReadonlyMap<string, string>,
  columns: number,
): Line[] => aligned(found.map((one) => nameRow(one, short))).map((line) => [cut(lineText(line), columns)])

function nameRow({ name, count, sessions }: UnknownName, short: ReadonlyMap<string, string>): string[] {
  const shown = sessions.slice(0, NAMED).map((id) => firstLine(short.get(id) ?? id))
  const left = sessions.length - NAMED
  return [
    `  ${firstLine(name)}`,
    grouped(count),
    `in ${[...shown, ...(left > 0 ? [`${grouped(left)} more`] : [])].join(', ')}`,
  ]
}
