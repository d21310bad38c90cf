import { diffStat as statOf } from '../ops/diff.ts'
import { SIDES } from './diff.ts'
import { described, integer, mapOf, nullable, object } from './schema.ts'
import { output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

const amountSchema = object({ count: integer, chars: integer, tokens: described('estimated', integer) })
const changeSchema = object({ removed: amountSchema, added: amountSchema })

export const diffStat = verb({
  name: 'diff-stat',
  summary: 'count by how much two branches differ, by role and by tool',
  effect: 'read',
  input: SIDES,
  output: output(
    object({
      base: nullable(oidSchema),
      same: described('entries that both sides have since they parted', integer),
      entries: changeSchema,
      messages: changeSchema,
      roles: object(
        {},
        { user: changeSchema, assistant: changeSchema, tool: changeSchema, system: changeSchema },
      ),
      tools: described('calls by tool, with their results', mapOf(changeSchema)),
    }),
  ),
  run: ({ repo }, { a, b }) => statOf(repo, a, b),
})
