import { describeNames as meaningsOf } from '../ops/ambiguousnames.ts'
import { atLeastOne } from './input.ts'
import { described, nullable, object, oneOf, string } from './schema.ts'
import { text } from './values.ts'
import { listOf, output, verb } from './verb.ts'
import { timestamp } from './wire.ts'

/** The schema of a meaning: what an id or an oid names. */
export const meaningSchema = object({
  kind: oneOf('session', 'entry'),
  id: string,
  agent: nullable(string),
  time: nullable(timestamp),
  text: nullable(string),
  folder: described('of a session', nullable(string)),
  parent: described('the session that a session comes from, as its user has set it', nullable(string)),
})

export const describeNames = verb({
  name: 'describe-names',
  summary: 'say what ids and oids name, in one line each',
  effect: 'read',
  input: { id: atLeastOne(text('id'), 'ids of sessions and oids of entries') },
  output: listOf(output(meaningSchema)),
  run: ({ repo }, { id: ids }) => meaningsOf(repo, ids),
})
