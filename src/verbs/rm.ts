import { removeSessions } from '../ops/remove.ts'
import { atLeastOne } from './input.ts'
import { nullable, object, string } from './schema.ts'
import { session } from './values.ts'
import { listOf, output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

const removed = output(
  object({ session: string, title: nullable(string), tip: nullable(oidSchema), source: nullable(string) }),
)

export const rm = verb({
  name: 'rm',
  summary: 'remove sessions from the list',
  effect: 'write',
  input: { session: atLeastOne(session(), 'ids, titles, or prefixes of ids') },
  output: listOf(removed),
  run: ({ repo }, { session: names }) => removeSessions(repo, names),
})
