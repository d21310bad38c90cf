import { relink } from '../ops/graft.ts'
import { listOf, output, verb } from './verb.ts'
import { graftSchema } from './wire.ts'

export const fsckRelink = verb({
  name: 'fsck-relink',
  summary: 'attach entries with a missing parent to a session that has it',
  effect: 'write',
  input: {},
  output: listOf(output(graftSchema)),
  run: ({ repo }) => relink(repo),
})
