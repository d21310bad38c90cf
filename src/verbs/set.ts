import { setPairs } from '../ops/setkeys.ts'
import { required, several } from './input.ts'
import { mapOf, nullable, object, string } from './schema.ts'
import { pairKey, session, type Value } from './values.ts'
import { output, verb } from './verb.ts'

/** A `KEY=VALUE`, as its key and its value. */
const keyAndValue: Value<readonly [key: string, value: string]> = {
  name: 'pair',
  kind: 'pair',
  takes: 'KEY=VALUE',
  schema: string,
  read: (typed) => {
    const at = typed.indexOf('=')
    return at > 0 ? [typed.slice(0, at), typed.slice(at + 1)] : undefined
  },
}

export const set = verb({
  name: 'set',
  summary: 'set properties of a session',
  effect: 'write',
  input: {
    session: required(session(), 'its id, title, or a prefix of its id'),
    pair: several(keyAndValue, 'KEY=VALUE; KEY= clears a key'),
    unset: several(pairKey(), 'clear a key; may be repeated'),
  },
  output: output(object({ session: string, set: mapOf(string), before: mapOf(nullable(string)) })),
  run: ({ repo }, { session: name, pair: pairs, unset }) =>
    setPairs(repo, name, Object.fromEntries([...pairs, ...unset.map((key) => [key, ''] as const)])),
})
