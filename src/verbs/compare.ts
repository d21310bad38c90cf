import { compare as compareSides, METRICS } from '../ops/compare.ts'
import { atLeastOne, flag, withDefault } from './input.ts'
import {
  arrayOf,
  boolean,
  described,
  integer,
  mapOf,
  nullable,
  number,
  object,
  oneOf,
  string,
} from './schema.ts'
import { choice, revision } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema, timestamp, USAGE_TOTALS } from './wire.ts'

const FIGURES = {
  entries: integer,
  messages: described('the entries of one model call count as one', integer),
  roles: object({ user: integer, assistant: integer, tool: integer, system: integer }),
  calls: described('of tools', integer),
  tools: described('calls by tool', mapOf(integer)),
  errors: described('calls that failed', integer),
  files: described('that tool calls name', object({ read: arrayOf(string), changed: arrayOf(string) })),
  ...USAGE_TOTALS,
  estimated: described('tokens of all entries', integer),
}

const metricSchema = oneOf(...METRICS)

export const compare = verb({
  name: 'compare',
  summary: 'compare branches by tokens, cost, time, tools and errors',
  effect: 'read',
  input: {
    revisions: atLeastOne(revision(), 'two or more sessions, branches or entries'),
    metric: withDefault(choice(METRICS, 'metric'), 'cost', 'the metric that decides'),
    whole: flag('compare whole paths, not only what follows the merge base'),
  },
  output: output(
    object({
      base: described('the newest entry that all of them reach', nullable(oidSchema)),
      whole: described('whether whole paths were counted', boolean),
      sides: arrayOf(
        object({
          revision: string,
          oid: oidSchema,
          session: nullable(string),
          branch: nullable(string),
          ...FIGURES,
          outcome: described('how it ends', nullable(oneOf('complete', 'failed', 'interrupted', 'pending'))),
          duration: described('milliseconds', nullable(integer)),
          lastActivity: nullable(timestamp),
        }),
      ),
      total: described('an entry that several have counts once', object(FIGURES)),
      differences: arrayOf(
        object({
          metric: metricSchema,
          a: string,
          b: string,
          diff: nullable(number),
          percent: described('of the value of a', nullable(number)),
        }),
      ),
      metric: metricSchema,
      winner: described('the revision with the lowest value; null if none is known', nullable(string)),
    }),
  ),
  run: ({ repo, priceOf }, { revisions, ...options }) =>
    compareSides(repo, revisions, { ...options, priceOf }),
})
