import { USAGE_GROUPS, usageBy } from '../ops/stats.ts'
import { flag, required } from './input.ts'
import { arrayOf, described, integer, nullable, object, oneOf, string } from './schema.ts'
import { choice } from './values.ts'
import { output, verb } from './verb.ts'
import { dollars, USAGE_TOTALS } from './wire.ts'

const USAGE = {
  sessions: integer,
  calls: described('of models', integer),
  ...USAGE_TOTALS,
  reported: described(
    'the cost of whole sessions as their agents report it, no part of cost',
    nullable(dollars),
  ),
}

/** The property that usage is summed up by. */
export const usageGroup = choice(USAGE_GROUPS, 'group')

export const usage = verb({
  name: 'usage',
  summary: 'sum up tokens and costs by day, project, agent, model or git branch',
  effect: 'read',
  input: {
    by: required(usageGroup, 'what the sums are of'),
    daily: flag('sums of each day'),
  },
  output: output(
    object({
      by: oneOf(...USAGE_GROUPS),
      rows: arrayOf(
        object(
          { key: described('null if unknown', nullable(string)), ...USAGE },
          { day: described('with daily; null if unknown', nullable(string)) },
        ),
      ),
      total: object(USAGE),
    }),
  ),
  run: ({ repo, priceOf, where }, { by, daily }) => usageBy(repo, by, { priceOf, zone: where.zone, daily }),
})
