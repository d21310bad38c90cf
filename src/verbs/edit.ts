import { defined } from '../model/json.ts'
import { type PlanStep, parsePlan } from '../model/plan.ts'
import { edit as editEntries } from '../ops/edit.ts'
import { current, flag, optional, required } from './input.ts'
import { arrayOf, described, integer, object, oneOf, string } from './schema.ts'
import { revision, session, text, type Value } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema, REPLAYED } from './wire.ts'

/** The entries of a plan. */
export const EDITED = {
  revision: current(revision(), 'a session or branch; an entry, for what follows it; a range A..B'),
  session: optional(session(), 'the session of bare branch names (@)'),
}

/** A plan, as its steps. */
const planValue: Value<readonly PlanStep[], never> = {
  name: 'plan',
  takes: 'a plan',
  schema: string,
  read: parsePlan,
}

export const edit = verb({
  name: 'edit',
  summary: 'drop, reword, squash or reorder entries on a new branch',
  effect: 'write',
  input: {
    ...EDITED,
    plan: required(
      planValue,
      'a line for each entry: pick, drop, reword or squash, and its oid; the new text of a reword follows, each line after a >',
    ),
    branch: optional(text('name'), 'the name of the new branch (edit-DIGITS)', { excludes: ['move'] }),
    move: flag('move the branch instead of creating one'),
  },
  output: output(
    object({
      ...REPLAYED,
      change: oneOf('edited', 'unchanged'),
      dropped: arrayOf(oidSchema),
      along: described('tool calls and results that were dropped with them', arrayOf(oidSchema)),
      lifted: described('results that were moved directly after their calls', arrayOf(oidSchema)),
      tokens: described('of the context, estimated', object({ before: integer, after: integer })),
    }),
  ),
  run: ({ repo }, { revision: name, plan, move, branch, session: owner }) =>
    editEntries(repo, name, plan, { move, ...defined({ branch, session: owner }) }),
})
