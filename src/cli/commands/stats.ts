import { type Stats, stats } from '../../ops/stats.ts'
import { defineCommand, output } from '../define.ts'
import { grouped, sized } from '../render/text.ts'
import { integer, object } from '../schema.ts'
import type { Line } from '../style.ts'

/** `sess stats`: shows statistics of the store. */
export const command = defineCommand({
  name: 'stats',
  group: 'store',
  summary: 'show statistics of the store',
  effect: 'read',
  examples: [
    ['sess stats', 'sessions, entries, bytes'],
    ['sess stats --json', 'print them as JSON'],
  ],
  output: output(
    'One object.',
    object({
      sessions: integer,
      records: integer,
      entries: integer,
      blobs: integer,
      sourceBytes: integer,
      storeBytes: integer,
    }),
  ),
  run: async (call) => {
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
