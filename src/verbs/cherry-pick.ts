import { cherryPick as pick } from '../ops/cherrypick.ts'
import { atLeastOne, flag, optional } from './input.ts'
import { arrayOf, described, object } from './schema.ts'
import { branch, revision, session } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema, REPLAYED } from './wire.ts'

export const cherryPick = verb({
  name: 'cherry-pick',
  summary: 'append entries of another branch to a branch',
  effect: 'write',
  input: {
    revision: atLeastOne(revision(), 'entries, or ranges A..B'),
    onto: optional(branch(), 'the target branch: SESSION/BRANCH, or a branch of the session'),
    session: optional(session(), 'the target session (@)'),
    skipPresent: flag('skip entries that are already there'),
  },
  output: output(
    object({
      ...REPLAYED,
      along: described('entries that came along, to keep tool calls with their results', arrayOf(oidSchema)),
      skipped: described('entries that were there already', arrayOf(oidSchema)),
    }),
  ),
  run: ({ repo }, { revision: revisions, ...options }) => pick(repo, revisions, options),
})
