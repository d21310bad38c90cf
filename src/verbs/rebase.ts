import { rebase as rebaseBranch } from '../ops/rebase.ts'
import { optional, required } from './input.ts'
import { object, oneOf } from './schema.ts'
import { branch, revision, session } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema, REPLAYED } from './wire.ts'

export const rebase = verb({
  name: 'rebase',
  summary: 'move a branch onto another entry',
  effect: 'write',
  input: {
    upstream: required(revision(), 'entries that it has are not appended again'),
    branch: optional(branch(), 'the branch to move: SESSION/BRANCH, or a branch of the session'),
    onto: optional(revision(), 'the new base (the upstream)'),
    session: optional(session(), 'the session of the branch (@)'),
  },
  output: output(
    object({ ...REPLAYED, onto: oidSchema, change: oneOf('rebased', 'fast-forward', 'up-to-date') }),
  ),
  run: ({ repo }, { upstream, ...options }) => rebaseBranch(repo, upstream, options),
})
