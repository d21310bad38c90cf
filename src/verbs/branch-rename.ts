import { renameBranch } from '../ops/branch.ts'
import { changedBranch } from './branch.ts'
import { current, required } from './input.ts'
import { branch, session, text } from './values.ts'
import { verb } from './verb.ts'

export const branchRename = verb({
  name: 'branch-rename',
  summary: 'rename a branch',
  effect: 'write',
  input: {
    session: current(session(), 'its id, title, or a prefix of its id'),
    branch: required(branch(), 'the branch'),
    name: required(text('name'), 'its new name'),
  },
  output: changedBranch,
  run: async ({ repo }, { session: owner, branch: former, name }) => ({
    ...(await renameBranch(repo, owner, former, name)),
    action: 'rename' as const,
  }),
})
