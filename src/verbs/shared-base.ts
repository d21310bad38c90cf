import { type SharedBase, sharedBase as sharedBaseOf } from '../ops/sharedbase.ts'
import { SIDES } from './diff.ts'
import { nullable, object, string } from './schema.ts'
import { sentAs, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

const branchSchema = object({ session: string, branch: string })

export const sharedBase = verb({
  name: 'shared-base',
  summary: 'find branches of two sessions that share entries',
  effect: 'read',
  input: SIDES,
  output: sentAs(
    nullable(object({ left: branchSchema, right: branchSchema, base: oidSchema })),
    (found: SharedBase | null) => found,
  ),
  run: ({ repo }, { a, b }) => sharedBaseOf(repo, a, b),
})
