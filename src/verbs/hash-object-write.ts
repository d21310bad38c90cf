import { storeDrafts } from '../ops/hashobject.ts'
import { draft } from './entry.ts'
import { hashedOutput } from './hash-object.ts'
import { atLeastOne } from './input.ts'
import { listOf, verb } from './verb.ts'

export const hashObjectWrite = verb({
  name: 'hash-object-write',
  summary: 'store entries that no ref names',
  effect: 'write',
  operations: 'none',
  input: { entry: atLeastOne(draft, 'the entries; each may be a parent of those after it') },
  output: listOf(hashedOutput),
  run: async ({ repo }, { entry: drafts }) => (await storeDrafts(repo, drafts)).map((oid) => ({ oid })),
})
