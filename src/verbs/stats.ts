import { stats as countsOf } from '../ops/stats.ts'
import { boolean, described, integer, object } from './schema.ts'
import { output, verb } from './verb.ts'

export const stats = verb({
  name: 'stats',
  summary: 'show statistics of the store',
  effect: 'read',
  input: {},
  output: output(
    object({
      sessions: integer,
      records: integer,
      branched: described('sessions with branches besides the current one', integer),
      attempts: described('the number of those branches', integer),
      entries: integer,
      blobs: integer,
      sourceBytes: integer,
      storeBytes: integer,
      repairUnfinished: described('whether an earlier repair did not finish: data may be missing', boolean),
    }),
  ),
  run: ({ repo }) => countsOf(repo),
})
