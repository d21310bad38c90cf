import { createBranch } from '../ops/branch.ts'
import type { BranchChange } from '../ops/events.ts'
import { current, optional, required } from './input.ts'
import { boolean, object, oneOf, string } from './schema.ts'
import { revision, session, text } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

/** A branch that was created or renamed. */
export const changedBranch = output(
  object(
    {
      session: string,
      action: oneOf('create', 'rename'),
      name: string,
      oid: oidSchema,
      current: boolean,
    },
    { before: string },
  ),
)

/** A change of a branch that stays. */
export type ChangedBranch = BranchChange & { readonly action: 'create' | 'rename' }

export const branch = verb({
  name: 'branch',
  summary: 'create a branch',
  effect: 'write',
  input: {
    session: current(session(), 'its id, title, or a prefix of its id'),
    name: required(text('name'), 'the new branch'),
    start: optional(revision('start'), 'the entry that it starts at; the current entry by default'),
  },
  output: changedBranch,
  run: async ({ repo }, { session: owner, name, start }) => ({
    ...(await createBranch(repo, owner, name, start)),
    action: 'create' as const,
  }),
})
