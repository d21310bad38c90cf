import { compare, METRICS } from '../../ops/compare.ts'
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
} from '../../verbs/schema.ts'
import { oidSchema, timestamp, USAGE_TOTALS } from '../../verbs/wire.ts'
import { pricesIn } from '../config.ts'
import { defineCommand, output } from '../define.ts'
import { atLeastOne, choice, flag, optionWith, revision } from '../parameters.ts'
import { comparisonLines } from '../render/compare.ts'

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

/** `sess compare`: compares branches side by side. */
export const command = defineCommand({
  effect: 'read',
  paged: true,
  arguments: { revisions: atLeastOne(revision(), 'two or more sessions, branches or entries') },
  options: {
    metric: optionWith(choice(METRICS, 'metric'), 'cost', 'the metric that decides'),
    whole: flag('compare whole paths, not only what follows the merge base'),
  },
  help: `The lowest value wins; of equal values, the first. An unknown value never wins. A cost that no agent recorded is
computed by the list prices of models, and marked with ~.
A model call is counted once, however many entries report its usage.`,
  examples: [
    ['sess compare 3b1f/main 3b1f/at-1d9fca05', 'two branches since their merge base'],
    ['sess compare 3b1f c7d0 --metric tokens', 'the one with fewer tokens wins'],
    ['sess compare 3b1f c7d0 --whole', 'whole paths'],
  ],
  output: output(
    'One object.',
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
  run: async (call, { revisions, ...options }) => {
    const comparison = await compare(await call.repo(), revisions, {
      ...options,
      priceOf: pricesIn(call.config),
    })
    return {
      data: comparison,
      render: () => comparisonLines(comparison, call.display),
    }
  },
})
