import { askingSession as findAsking } from '../ops/askingsession.ts'
import { optional, several } from './input.ts'
import { nullable, object, string } from './schema.ts'
import { text, time } from './values.ts'
import { output, verb } from './verb.ts'

export const askingSession = verb({
  name: 'asking-session',
  summary: 'find the session of the agent that asks',
  effect: 'read',
  input: {
    id: several(text('id'), 'ids that its agent has for it; the first that names a session counts'),
    since: optional(time(), 'without such an id, the current session of the folder, if it grew since'),
  },
  output: output(object({ session: nullable(string) })),
  run: async ({ repo }, { id, since }) => ({ session: await findAsking(repo, id, since) }),
})
