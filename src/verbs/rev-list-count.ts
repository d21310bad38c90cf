import { defined } from '../model/json.ts'
import { revCount } from '../ops/revlist.ts'
import { REACHED } from './rev-list.ts'
import { integer, object } from './schema.ts'
import { output, verb } from './verb.ts'

export const revListCount = verb({
  name: 'rev-list-count',
  summary: 'count the entries that revisions reach',
  effect: 'read',
  input: REACHED,
  output: output(object({ count: integer })),
  run: async ({ repo }, { revision: revisions, all, firstParent, limit }) => ({
    count: await revCount(repo, revisions, { all, firstParent, ...defined({ limit }) }),
  }),
})
