import type { Stats } from '../../ops/stats.ts'
import type { Line } from './line.ts'
import { grouped, sized } from './text.ts'

/** Returns the statistics of a store, one line each. */
export function statsLines(stats: Stats): Line[] {
  const { sessions, records, entries, blobs, sourceBytes, storeBytes } = stats
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
