import { type ContextDiff, diffContexts } from '../ops/context/compare.ts'
import type { ContextMessage } from '../ops/context/context.ts'
import { required } from './input.ts'
import { arrayOf, described, integer, object } from './schema.ts'
import { revision } from './values.ts'
import { sentAs, verb } from './verb.ts'
import { contextMessageSchema, MODEL_SETTINGS } from './wire.ts'

const contextSchema = object({ messages: integer, tokens: described('estimated', integer) }, MODEL_SETTINGS)

/** The difference of two contexts, as JSON. */
interface ContextDiffData extends Omit<ContextDiff, 'pairs'> {
  readonly left: readonly ContextMessage[]
  readonly came: readonly ContextMessage[]
  /** Entries that say something else now. */
  readonly changed: readonly { readonly before: ContextMessage; readonly after: ContextMessage }[]
  readonly kept: number
}

/** Returns the messages that left, entered or changed, as JSON. */
function contextDiffData({ before, after, prefix, pairs }: ContextDiff): ContextDiffData {
  return {
    before,
    after,
    prefix,
    left: pairs.flatMap(({ left, right }) => (left && !right ? [left] : [])),
    came: pairs.flatMap(({ left, right }) => (right && !left ? [right] : [])),
    changed: pairs.flatMap(({ left, right, same }) =>
      left && right && !same ? [{ before: left, after: right }] : [],
    ),
    kept: pairs.filter(({ same }) => same).length,
  }
}

export const contextDiff = verb({
  name: 'context-diff',
  summary: 'compare the contexts of two revisions',
  effect: 'read',
  input: { a: required(revision(), 'a session or an entry'), b: required(revision(), 'another') },
  output: sentAs(
    object({
      before: contextSchema,
      after: contextSchema,
      prefix: described('how many messages both begin with', integer),
      left: arrayOf(contextMessageSchema),
      came: arrayOf(contextMessageSchema),
      changed: described(
        'messages with another text',
        arrayOf(object({ before: contextMessageSchema, after: contextMessageSchema })),
      ),
      kept: integer,
    }),
    contextDiffData,
  ),
  run: ({ repo }, { a, b }) => diffContexts(repo, a, b),
})
