import { contextOf } from '../ops/context/context.ts'
import { current, optional } from './input.ts'
import { arrayOf, described, integer, object, oneOf, string } from './schema.ts'
import { count, revision } from './values.ts'
import { output, verb } from './verb.ts'
import { contextMessageSchema, MODEL_SETTINGS, oidSchema } from './wire.ts'

const repair = object(
  {
    kind: oneOf(
      'closed-call',
      'dropped-result',
      'moved-result',
      'renamed-call',
      'renamed-tool',
      'dropped-thinking',
      'dropped-image',
      'added-start',
    ),
    oid: oidSchema,
  },
  {
    call: described('the id of the tool call', string),
    as: described('the new id or name', string),
  },
)

/** The changes that were made to a context, and its size. */
export const NOTES = {
  repairs: described('what was changed so that an API accepts it', arrayOf(repair)),
  left: described(
    'what was left out to fit the budget',
    arrayOf(
      object({ kind: oneOf('result', 'thinking', 'image', 'message'), oid: oidSchema, tokens: integer }),
    ),
  ),
  tokens: described('estimated', integer),
}

/** The inputs of all contexts. */
export const CONTEXT = {
  revision: current(revision(), 'a session or an entry'),
  budget: optional(count('tokens'), 'drop the oldest entries until it fits'),
}

export const context = verb({
  name: 'context',
  summary: 'show the context that the model sees',
  effect: 'read',
  input: CONTEXT,
  output: output(object({ messages: arrayOf(contextMessageSchema), ...NOTES }, MODEL_SETTINGS)),
  run: ({ repo }, { revision: name, ...options }) => contextOf(repo, name, options),
})
