import { fork as forkAt } from '../ops/fork.ts'
import { current, flag, optional } from './input.ts'
import { described, nullable, object, string } from './schema.ts'
import { revision, text } from './values.ts'
import { output, verb } from './verb.ts'
import { oidSchema } from './wire.ts'

export const fork = verb({
  name: 'fork',
  summary: 'start a session from any entry, sharing its history',
  effect: 'write',
  input: {
    revision: current(revision(), 'a session, or an entry of one'),
    title: optional(text('title'), 'the title of the new session'),
    before: flag('fork before a user message, and print its text so that it can be sent again'),
  },
  output: output(
    object(
      { session: string, tip: described('null if it has no entries', nullable(oidSchema)) },
      { text: described('with --before: the text of the message', string) },
    ),
  ),
  run: ({ repo }, { revision: name, ...options }) => forkAt(repo, name, options),
})
