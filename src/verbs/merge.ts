import { merge as mergeBranch } from '../ops/merge.ts'
import { optional, required, withDefault } from './input.ts'
import { anything, arrayOf, described, integer, nullable, object, oneOf } from './schema.ts'
import { branch, choice, revision, session, text } from './values.ts'
import { output, verb } from './verb.ts'
import { BRANCH_MOVE, oidSchema } from './wire.ts'

export const merge = verb({
  name: 'merge',
  summary: 'merge another branch into a branch',
  effect: 'write',
  input: {
    revision: required(revision(), 'a branch or an entry'),
    into: optional(branch(), 'the target branch: SESSION/BRANCH, or a branch of the session'),
    session: optional(session(), 'the session (@)'),
    summary: optional(text('text'), 'a summary that the model sees instead of the entries'),
    forward: withDefault(
      choice(['auto', 'only', 'never'], 'when'),
      'auto',
      'whether a branch without entries of its own is fast-forwarded',
    ),
  },
  output: output(
    object({
      ...BRANCH_MOVE,
      change: oneOf('merged', 'fast-forward', 'up-to-date'),
      other: oidSchema,
      base: described('the newest entry of the other path that this branch has', nullable(oidSchema)),
      entries: described('how many entries of the other path it lacked', integer),
      settled: described(
        'settings that differ: those of the branch stay',
        arrayOf(object({ setting: oneOf('model', 'thinking', 'mode'), kept: anything, other: anything })),
      ),
    }),
  ),
  run: ({ repo }, { revision: name, ...options }) => mergeBranch(repo, name, options),
})
