import { join, relative } from 'node:path'
import {
  aligned,
  costText,
  firstLine,
  grouped,
  type Line,
  rounded,
  sized,
  styled,
  tableRows,
} from '../../text/text.ts'
import { cut, endOf, widthOf } from '../../text/width.ts'
import { optional } from '../../verbs/input.ts'
import { anyOf, described } from '../../verbs/schema.ts'
import { sessionUsage } from '../../verbs/session-usage.ts'
import { stats } from '../../verbs/stats.ts'
import { homeOf } from '../../verbs/surroundings.ts'
import type { SessionUsage, Stats, UsageRow, UsageStats } from '../../verbs/types.ts'
import { usage, usageGroup } from '../../verbs/usage.ts'
import { session } from '../../verbs/values.ts'
import { defineCommand, output } from '../define.ts'
import { option } from '../parameters.ts'
import { answerOf } from '../present.ts'

/** `sess stats`: shows statistics of the store, or of a session. */
export const command = defineCommand({
  effect: stats.effect,
  examples: [
    ['sess stats', 'sessions, entries, bytes'],
    ['sess stats --by day', 'tokens and costs of each day'],
    ['sess stats --by model --json', 'those of each model, as JSON'],
    ['sess stats 3b1f', 'those of a session, by day and model'],
  ],
  arguments: { session: optional(session(), sessionUsage.summary) },
  options: {
    by: option(usageGroup, usage.summary, { excludes: ['session'] }),
  },
  help: `Each model call counts once, also where forks share it; of a session alone, all of its calls count. A cost that no agent recorded is computed by the list prices
of models, and marked with ~; the setting 'prices' adds to them. Where an agent records only the sum of a session, it
counts on the day of the last record, for the last model. REPORTED is the cost of whole sessions as their agents report
it, beside COST, which is of the calls in the store; copies of a session that go on with one tally count once.`,
  output: output(
    'One object.',
    anyOf(
      stats.output.schema,
      described('with --by', usage.output.schema),
      described('with a session', sessionUsage.output.schema),
    ),
  ),
  run: async (call, { session: of, by }) => {
    const context = await call.context()
    if (of !== undefined) {
      const sums = await sessionUsage.run(context, { session: of })
      return answerOf(sessionUsage, sums, { render: () => sessionLines(sums, call.io.columns) })
    }
    if (by !== undefined) {
      const sums = await usage.run(context, { by, daily: false })
      const look = { home: homeOf(call.platform), columns: call.io.columns }
      return answerOf(usage, sums, { render: () => usageLines(sums, look) })
    }
    const counts = await stats.run(context, {})
    return answerOf(stats, counts, { render: () => statsLines(counts) })
  },
})

function statsLines(counts: Stats): Line[] {
  const { sessions, records, entries, blobs, sourceBytes, storeBytes } = counts
  const part = sourceBytes === 0 ? '' : ` (${Math.round((100 * storeBytes) / sourceBytes)}% of the sources)`
  return aligned([
    ['sessions', grouped(sessions)],
    ['records', grouped(records)],
    ['entries', grouped(entries)],
    ['blobs', grouped(blobs)],
    ['sources', sized(sourceBytes)],
    ['store', sized(storeBytes) + part],
  ])
}

/** The columns of usage besides its name. */
const COLUMNS: readonly (readonly [heading: string, cell: (row: Cells, number: Digits) => string])[] = [
  ['SESSIONS', ({ sessions }) => (sessions === undefined ? '' : grouped(sessions))],
  ['CALLS', ({ calls }) => grouped(calls)],
  ['INPUT', ({ tokens }, number) => (tokens ? number(tokens.input) : '-')],
  ['CACHED', ({ tokens }, number) => (tokens ? number(tokens.cacheRead) : '-')],
  ['WRITTEN', ({ tokens }, number) => (tokens ? number(tokens.cacheWrite) : '-')],
  ['OUTPUT', ({ tokens }, number) => (tokens ? number(tokens.output) : '-')],
  ['COST', ({ cost, computed }) => (cost === null ? '-' : costText(cost, computed > 0))],
  ['REPORTED', ({ reported }) => (reported === null ? '' : costText(reported, false))],
]

type Cells = Omit<UsageRow, 'key' | 'sessions'> & Partial<Pick<UsageRow, 'sessions'>>
type Digits = (count: number) => string

/** Columns that are left out on a narrow terminal, in this order, until the table fits. */
const SPARE = ['WRITTEN', 'SESSIONS', 'CACHED', 'REPORTED']

/** Returns usage as a table with its totals. */
function usageLines(
  { by, rows, total }: UsageStats,
  { home, columns }: { readonly home: string; readonly columns: number },
): Line[] {
  const named = (key: string | null): string => {
    if (key === null) return '-'
    const inHome = by === 'project' && key.startsWith(join(home, '/'))
    return firstLine(inHome ? join('~', relative(home, key)) : key)
  }
  const names = [by.toUpperCase(), ...rows.map(({ key }) => named(key)), 'total']
  const shorten = by === 'project' ? endOf : cut
  return tableLines([names], [...rows, total], { columns, shorten })
}

/** Returns the usage of a session as a table with its totals. */
function sessionLines({ rows, total }: SessionUsage, columns: number): Line[] {
  const days = ['DAY', ...rows.map(({ day }, i) => (day === rows[i - 1]?.day ? '' : (day ?? '-'))), 'total']
  const models = ['MODEL', ...rows.map(({ model }) => firstLine(model ?? '-')), '']
  const cells = rows.map((row): Cells => ({ ...row, reported: null }))
  return tableLines([days, models], [...cells, total], { columns, shorten: cut })
}

/**
 * Returns a table of usage after the columns of its names; the last row has the totals. Numbers are rounded where they would
 * not fit.
 */
function tableLines(
  names: readonly string[][],
  rows: readonly Cells[],
  { columns, shorten }: { readonly columns: number; readonly shorten: typeof cut },
): Line[] {
  const tableWith = (number: Digits, spare: readonly string[]): string[] => {
    const cells = COLUMNS.map(([heading, cell]) => [heading, ...rows.map((row) => cell(row, number))]).filter(
      ([, ...column]) => column.some(Boolean),
    )
    return tableRows([...names, ...cells], { columns, spare, shorten }).map((row) => row.join(''))
  }
  const exact = tableWith(grouped, [])
  const { unpriced = 0 } = rows.at(-1) ?? {}
  const fits = exact.every((line) => widthOf(line) <= columns)
  const [heading = '', ...others] = fits ? exact : tableWith(rounded, SPARE)
  return [
    [styled('bold', heading)],
    ...others.map((line): Line => [line]),
    ...(unpriced > 0
      ? [[styled('dim', `no cost and no price is known of ${grouped(unpriced)} tokens`)]]
      : []),
  ]
}
