import { join, relative } from 'node:path'
import { type Stats, stats, USAGE_GROUPS, type UsageRow, type UsageStats, usageBy } from '../../ops/stats.ts'
import { homeOf } from '../../repo/location.ts'
import { pricesIn } from '../config.ts'
import { defineCommand, output } from '../define.ts'
import { USAGE_TOTALS } from '../outputs.ts'
import { option } from '../parameters.ts'
import { costText, firstLine, grouped, pad, padStart, sized, widthOf } from '../render/text.ts'
import { anyOf, arrayOf, described, integer, nullable, object, oneOf, string } from '../schema.ts'
import { type Line, styled } from '../style.ts'
import { choice } from '../values.ts'

const USAGE = {
  sessions: integer,
  calls: described('of models', integer),
  ...USAGE_TOTALS,
}

/** `sess stats`: shows statistics of the store. */
export const command = defineCommand({
  name: 'stats',
  group: 'store',
  summary: 'show statistics of the store',
  effect: 'read',
  examples: [
    ['sess stats', 'sessions, entries, bytes'],
    ['sess stats --by day', 'tokens and costs of each day'],
    ['sess stats --by model --json', 'those of each model, as JSON'],
  ],
  options: {
    by: option(choice(USAGE_GROUPS, 'group'), 'sum up tokens and costs by day, project, agent or model'),
  },
  help: `Each model call counts once, also where forks share it. A cost that no agent recorded is computed by the list prices
of models, and marked with ~; the setting 'prices' adds to them. Where an agent records only the sum of a session, it
counts on the day of the last record, for the last model.`,
  output: output(
    'One object.',
    anyOf(
      object({
        sessions: integer,
        records: integer,
        entries: integer,
        blobs: integer,
        sourceBytes: integer,
        storeBytes: integer,
      }),
      described(
        'with --by',
        object({
          by: oneOf(...USAGE_GROUPS),
          rows: arrayOf(object({ key: described('null if unknown', nullable(string)), ...USAGE })),
          total: object(USAGE),
        }),
      ),
    ),
  ),
  run: async (call, { by }) => {
    if (by !== undefined) {
      const usage = await usageBy(await call.repo(), by, {
        priceOf: pricesIn(call.config),
        zone: call.world.zone,
      })
      return { data: usage, render: () => usageLines(usage, homeOf(call.world)) }
    }
    const counts = await stats(await call.repo())
    return { data: counts, render: () => statsLines(counts) }
  },
})

/** Returns the statistics of a store, one line each. */
function statsLines(counts: Stats): Line[] {
  const { sessions, records, entries, blobs, sourceBytes, storeBytes } = counts
  const part = sourceBytes === 0 ? '' : ` (${Math.round((100 * storeBytes) / sourceBytes)}% of the sources)`
  return [
    ['sessions', grouped(sessions)],
    ['records', grouped(records)],
    ['entries', grouped(entries)],
    ['blobs', grouped(blobs)],
    ['sources', sized(sourceBytes)],
    ['store', sized(storeBytes) + part],
  ].map(([name = '', value = '']): Line => [name.padEnd(10), value])
}

const HEADINGS = ['SESSIONS', 'CALLS', 'INPUT', 'CACHED', 'WRITTEN', 'OUTPUT', 'COST'] as const

/** Returns usage as a table with its totals. */
function usageLines({ by, rows, total }: UsageStats, home: string): Line[] {
  const named = (key: string | null): string => {
    if (key === null) return '-'
    return firstLine(
      by === 'project' && key.startsWith(join(home, '/')) ? join('~', relative(home, key)) : key,
    )
  }
  const table = [
    [by.toUpperCase(), ...HEADINGS],
    ...rows.map((row) => [named(row.key), ...cellsOf(row)]),
    ['total', ...cellsOf(total)],
  ]
  const widths = table[0]?.map((_, at) => Math.max(...table.map((row) => widthOf(row[at] ?? '')))) ?? []
  const lines = table.map(([name = '', ...cells]) =>
    `${pad(name, widths[0] ?? 0)}  ${cells.map((cell, at) => padStart(cell, widths[at + 1] ?? 0)).join('  ')}`.trimEnd(),
  )
  const [heading = '', ...others] = lines
  return [
    [styled('bold', heading)],
    ...others.map((line): Line => [line]),
    ...(total.unpriced > 0
      ? [[styled('dim', `no cost and no price is known of ${grouped(total.unpriced)} tokens`)]]
      : []),
  ]
}

function cellsOf({ sessions, calls, tokens, cost, computed }: Omit<UsageRow, 'key'>): string[] {
  const counts = tokens === null ? [] : [tokens.input, tokens.cacheRead, tokens.cacheWrite, tokens.output]
  return [
    grouped(sessions),
    grouped(calls),
    ...(counts.length > 0 ? counts.map(grouped) : ['-', '-', '-', '-']),
    cost === null ? '-' : costText(cost, computed > 0),
  ]
}
