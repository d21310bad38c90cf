import { parseTime } from '../model/time.ts'
import { gc as collect, type Gc } from '../ops/gc.ts'
import { flag, optional } from './input.ts'
import { settingsOf, type VerbContext } from './open.ts'
import { arrayOf, boolean, integer, nullable, object, oneOf } from './schema.ts'
import { time } from './values.ts'
import { output, verb } from './verb.ts'

export const gc = verb({
  name: 'gc',
  summary: 'remove unreachable data, and pack the rest',
  effect: 'destructive',
  operations: 'none',
  input: {
    grace: optional(time('age'), 'keep unreachable data younger than this (14d)'),
    operations: optional(time('age'), 'keep operations younger than this, and what they name (90d)'),
    aggressive: flag('pack as densely as possible, which takes much longer'),
  },
  output: output<Gc>(
    object({
      dryRun: boolean,
      dropped: arrayOf(
        object({
          kind: oneOf('entries', 'records', 'operations'),
          why: oneOf('undone', 'unreachable', 'old'),
          count: integer,
          bytes: integer,
        }),
      ),
      kept: object({ entries: integer, operations: integer }),
      spared: integer,
      before: integer,
      after: nullable(integer),
    }),
  ),
  run: async (context, { grace, operations, aggressive }) =>
    collect(context.repo, {
      grace: grace ?? timeSet(context, 'gc.grace'),
      operations: operations ?? timeSet(context, 'gc.operations'),
      aggressive,
      onProgress: (step, done, of) =>
        context.onProgress?.(
          step === 'looking'
            ? { step, done: { entries: done }, of: { entries: of } }
            : { step, done: { bytes: done }, of: { bytes: of } },
        ),
    }),
})

/** Returns the time that a setting names, in milliseconds since 1970: a setting is read only where it is one. */
const timeSet = (context: VerbContext, key: 'gc.grace' | 'gc.operations'): number => {
  const { now, zone } = context.where
  return parseTime(settingsOf(context).value(key), now(), zone) as number
}
