import { type NearNames, nearNames as namesNear, WANTED } from '../ops/nearnames.ts'
import { required } from './input.ts'
import { anyOf, arrayOf, boolean, described, nullable, object, oneOf, string } from './schema.ts'
import { choice, text } from './values.ts'
import { sentAs, verb } from './verb.ts'

const names = arrayOf(string)

export const nearNames = verb({
  name: 'near-names',
  summary: 'find what an unknown name may mean',
  effect: 'read',
  input: {
    name: required(text('name'), 'the name'),
    wanted: required(choice(WANTED, 'kind'), 'what it should be the name of'),
  },
  output: sentAs(
    anyOf(
      described('the store has no session', object({ kind: oneOf('no-sessions') })),
      described(
        'an entry, and the session through which it is named',
        object({ kind: oneOf('entry'), session: nullable(string) }),
      ),
      described(
        'a session, and a branch of it',
        object({ kind: oneOf('session'), name: string, branch: string }),
      ),
      described('a range', object({ kind: oneOf('range') })),
      described(
        'the branches and labels of the session before the slash',
        object({ kind: oneOf('within'), owner: string, name: string, names }),
      ),
      described('names that may be meant', object({ kind: oneOf('names'), names, hasBranches: boolean })),
    ),
    (near: NearNames) => near,
  ),
  run: ({ repo }, { name, wanted }) => namesNear(repo, name, wanted),
})
