import { deleteBranch } from '../ops/branch.ts'
import type { BranchChange } from '../ops/events.ts'
import { current, required } from './input.ts'
import { object, string } from './schema.ts'
import { branch, session } from './values.ts'
import { sentAs, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

export const branchDelete = verb({
  name: 'branch-delete',
  summary: 'delete a branch; its entries stay',
  effect: 'write',
  input: {
    session: current(session(), 'its id, title, or a prefix of its id'),
    branch: required(branch(), 'the branch'),
  },
  output: sentAs(object({ deleted: string, oid: oidSchema }), ({ name, oid }: BranchChange) => ({
    deleted: name,
    oid,
  })),
  run: ({ repo }, { session: owner, branch: name }) => deleteBranch(repo, owner, name),
})
