import { reindex } from '../ops/indexing.ts'
import { boolean, object } from './schema.ts'
import { output, verb } from './verb.ts'

export const fsckRebuild = verb({
  name: 'fsck-rebuild',
  summary: 'rebuild the search index',
  effect: 'write',
  operations: 'none',
  input: {},
  output: output(object({ rebuilt: boolean })),
  run: async ({ repo }) => {
    await reindex(repo)
    return { rebuilt: true }
  },
})
