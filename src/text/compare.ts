import { short } from '../model/encoding/oid.ts'
import type { Comparison, Difference, Metric, Side } from '../verbs/types.ts'
import { costText, type Display, firstLine, grouped, type Line, styled } from './text.ts'
import { lasting, minute } from './time.ts'
import { cut, endOf, pad, padStart, widthOf } from './width.ts'

/** A row of the table: a text for each side, and the difference if it is shown. */
interface ComparisonRow {
  readonly name: string
  readonly cells: readonly string[]
  readonly differs?: Metric
}

/** The values of a column: those of a side, or the totals. */
type ComparedColumn = Comparison['total'] & Partial<Side>

/**
 * Returns the comparison of sides as a table with the winner, and the totals if they share entries that are counted.
 */
export function comparisonLines(comparison: Comparison, display: Display): Line[] {
  const { base, sides, whole, total } = comparison
  const { columns } = display
  const apart = sides.reduce((sum, { entries }) => sum + entries, 0) === total.entries
  const rows = rowsOf(apart ? sides : [...sides, total], display)
  const first = Math.max(...rows.map(({ name }) => widthOf(name)))
  const most = Math.max(12, Math.floor((columns - first) / (sides.length + (apart ? 1 : 2))) - 2)
  const heads = [
    ...sides.map(({ revision }) => cut(firstLine(revision), most)),
    ...(apart ? [] : ['together']),
  ]
  const widths = heads.map((head, i) =>
    Math.max(widthOf(head), ...rows.map(({ cells }) => widthOf(cells[i] ?? ''))),
  )
  const line = (cells: readonly string[]): string =>
    cells.map((cell, i) => `  ${padStart(cell, widths[i] as number)}`).join('')
  // The differences come last, and where the terminal is too narrow without their percentages or not at all.
  const left = columns - widths.reduce((sum, width) => sum + width + 2, first) - 2
  const differs = (['full', 'amount'] as const)
    .map((form) => rows.map((row) => (row.differs ? differenceOf(comparison, row.differs, form) : '')))
    .find((texts) => sides.length === 2 && texts.every((text) => widthOf(text) <= left))
  return [
    base === null
      ? ['nothing in common']
      : ['merge base: ', styled('yellow', short(base)), whole ? ', counted from the beginning' : ''],
    [],
    [' '.repeat(first), styled('bold', line(heads))],
    ...rows.map(
      ({ name, cells }, i): Line => [
        styled('dim', pad(name, first)),
        `${line(cells)}  ${differs?.[i] ?? ''}`.trimEnd(),
      ],
    ),
    [],
    ...winnerLines(comparison),
  ]
}

function rowsOf(sides: readonly ComparedColumn[], { columns, zone }: Display): ComparisonRow[] {
  const longest = Math.min(NAME, Math.floor(columns / 3) - 2)
  const row = (name: string, cell: (side: ComparedColumn) => string, differs?: Metric): ComparisonRow => ({
    name,
    cells: sides.map(cell),
    ...(differs && { differs }),
  })
  const known = (amount: number | null | undefined): string =>
    typeof amount === 'number' ? grouped(amount) : '-'
  const some = (amount: number | undefined): string => (amount ? grouped(amount) : '-')
  const tools = new Set(sides.flatMap((side) => Object.keys(side.tools)))
  return [
    row('entries', ({ entries }) => grouped(entries), 'entries'),
    row('messages', ({ messages }) => grouped(messages), 'messages'),
    row('tool calls', ({ calls }) => grouped(calls), 'calls'),
    ...[...tools].map((tool) =>
      row(`  ${cut(firstLine(tool), longest)}`, (side) =>
        some(Object.hasOwn(side.tools, tool) ? side.tools[tool] : 0),
      ),
    ),
    row('errors', ({ errors }) => grouped(errors), 'errors'),
    ...fileRows(sides, longest, row),
    row('tokens', ({ tokens }) => known(tokens?.total), 'tokens'),
    ...(sides.some(({ tokens }) => tokens)
      ? KINDS.map(([name, key]) => row(`  ${name}`, ({ tokens }) => known(tokens?.[key])))
      : []),
    row('estimated', ({ estimated }) => grouped(estimated), 'estimated'),
    row(
      'cost',
      ({ cost, computed, unpriced }) =>
        cost === null ? '-' : costText(cost, computed > 0, 4) + (unpriced > 0 ? '+' : ''),
      'cost',
    ),
    row(
      'duration',
      ({ duration }) => (duration === undefined ? '' : duration === null ? '-' : lasting(duration)),
      'duration',
    ),
    row('last activity', ({ lastActivity }) =>
      lastActivity === undefined ? '' : minute(lastActivity, zone).trimEnd(),
    ),
    row('outcome', ({ outcome }) => (outcome === undefined ? '' : (outcome ?? '-'))),
  ]
}

/** Longer names of tools and files are cut. */
const NAME = 28

/** The number of files that are named. */
const FILES = 12

function fileRows(
  sides: readonly ComparedColumn[],
  longest: number,
  row: (name: string, cell: (side: ComparedColumn) => string) => ComparisonRow,
): ComparisonRow[] {
  const touched = sides.map(({ files }) => ({ changed: new Set(files.changed), read: new Set(files.read) }))
  const names = [
    ...new Set([...touched.flatMap((of) => [...of.changed]), ...touched.flatMap((of) => [...of.read])]),
  ]
  const count = ({ files }: ComparedColumn): string =>
    grouped(new Set([...files.read, ...files.changed]).size)
  const what = (name: string): ComparisonRow => ({
    name: `  ${endOf(firstLine(name), longest)}`,
    cells: touched.map(({ changed, read }) =>
      changed.has(name) ? 'changed' : read.has(name) ? 'read' : '-',
    ),
  })
  return [
    row('files', count),
    ...names.slice(0, FILES).map(what),
    ...(names.length > FILES ? [row(`  … ${grouped(names.length - FILES)} more`, () => '')] : []),
  ]
}

const KINDS = [
  ['input', 'input'],
  ['output', 'output'],
  ['cache read', 'cacheRead'],
  ['cache write', 'cacheWrite'],
] as const

const dollars = (cost: number): string => costText(cost, false, 4)

const signed = (value: number, text: (amount: number) => string): string =>
  value === 0 ? '' : `${value < 0 ? '-' : '+'}${text(Math.abs(value))}`

const AMOUNTS: { readonly [M in Metric]?: (amount: number) => string } = { cost: dollars, duration: lasting }

function differenceText({ metric, diff, percent }: Difference, form: 'full' | 'amount' = 'full'): string {
  if (diff === null) return ''
  const amount = signed(diff, AMOUNTS[metric] ?? grouped)
  return percent && form === 'full' ? `${amount} (${partText(percent)})` : amount
}

/** From this growth on, in percent, a factor is clearer. */
const MANIFOLD = 900

/** Returns a growth in percent in words: `+12.5%`, `2,651 times as much`. */
const partText = (percent: number): string =>
  percent >= MANIFOLD
    ? `${grouped(Math.round(1 + percent / 100))} times as much`
    : signed(percent, (part) => `${part.toFixed(1)}%`)

const differenceOf = ({ differences }: Comparison, metric: Metric, form: 'full' | 'amount'): string =>
  differences.flatMap((one) => (one.metric === metric ? [differenceText(one, form)] : [])).join('')

function winnerLines({ differences, metric, sides, winner }: Comparison): Line[] {
  const pairs =
    sides.length === 2 ? [] : differences.filter((one) => one.metric === metric && one.diff !== null)
  const name = metric === 'calls' ? 'tool calls' : metric
  return [
    ...pairs.map(
      (one): Line => [
        styled('dim', `${name}  `),
        `${firstLine(one.a)} to ${firstLine(one.b)}: ${differenceText(one) || 'the same'}`,
      ],
    ),
    winner === null
      ? [`no ${name} is known of any: --metric chooses another`]
      : [`lowest in ${name}: `, styled('green', firstLine(winner))],
  ]
}
