import { NAME_KINDS, namesOf } from '../ops/completion.ts'
import { optional, required, withDefault } from './input.ts'
import { described, object, string } from './schema.ts'
import { choice, session, text } from './values.ts'
import { listOf, output, verb } from './verb.ts'

export const names = verb({
  name: 'names',
  summary: 'list names that a word can become, the likeliest first',
  effect: 'read',
  input: {
    kind: required(choice(NAME_KINDS, 'kind'), 'what they name'),
    prefix: withDefault(
      text('text'),
      '',
      'what is typed already; sessions, refs and entries that begin with it',
    ),
    session: optional(session(), 'the session of branches, labels and properties (@)'),
  },
  output: listOf(output(object({ name: string, does: described('what it names', string) }))),
  run: ({ repo }, { kind, prefix, session: owner }) => namesOf(repo, kind, prefix, owner),
})
