import { renameSession } from '../ops/rename.ts'
import { required } from './input.ts'
import { nullable, object, string } from './schema.ts'
import { session, text } from './values.ts'
import { output, verb } from './verb.ts'

export const rename = verb({
  name: 'rename',
  summary: 'change the title of a session',
  effect: 'write',
  input: {
    session: required(session(), 'its id, title, or a prefix of its id'),
    title: required(text('title'), 'the new title; an empty one clears it'),
  },
  output: output(object({ session: string, title: nullable(string), before: nullable(string) })),
  run: ({ repo }, { session: name, title }) => renameSession(repo, name, title),
})
