import { usageOfSession } from '../ops/stats.ts'
import { required } from './input.ts'
import { arrayOf, described, integer, nullable, object, string } from './schema.ts'
import { session } from './values.ts'
import { output, verb } from './verb.ts'
import { dollars, USAGE_TOTALS } from './wire.ts'

const USAGE = { calls: described('of models', integer), ...USAGE_TOTALS }

export const sessionUsage = verb({
  name: 'session-usage',
  summary: 'sum up the tokens and the cost of a session by day and model',
  effect: 'read',
  input: { session: required(session(), 'its id, title, or a prefix of its id') },
  output: output(
    object({
      session: string,
      rows: arrayOf(
        object({
          day: described('null if unknown', nullable(string)),
          model: described('null if unknown', nullable(string)),
          ...USAGE,
        }),
      ),
      total: object({
        ...USAGE,
        reported: described(
          'the cost of the whole session as its agent reports it, no part of cost',
          nullable(dollars),
        ),
      }),
    }),
  ),
  run: ({ repo, priceOf, where }, { session: of }) => usageOfSession(repo, of, { priceOf, zone: where.zone }),
})
