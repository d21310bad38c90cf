import { holders as holdersOf } from '../ops/holders.ts'
import { required } from './input.ts'
import { described, object, string } from './schema.ts'
import { revision } from './values.ts'
import { listOf, output, verb } from './verb.ts'

export const holders = verb({
  name: 'holders',
  summary: 'list the sessions that have an entry',
  effect: 'read',
  input: { revision: required(revision(), 'an entry') },
  output: listOf(output(object({ session: described('its id', string) }))),
  run: async ({ repo }, { revision: name }) => (await holdersOf(repo, name)).map((session) => ({ session })),
})
