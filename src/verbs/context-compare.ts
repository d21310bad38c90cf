import { compareContexts } from '../ops/context/compare.ts'
import { CONTEXT } from './context.ts'
import { REQUEST_FORMATS } from './context-request.ts'
import { required, withDefault } from './input.ts'
import { integer, object } from './schema.ts'
import { choice, revision } from './values.ts'
import { output, verb } from './verb.ts'

const size = object({ messages: integer, bytes: integer, tokens: integer })

export const contextCompare = verb({
  name: 'context-compare',
  summary: 'show how much two contexts share from their beginning',
  effect: 'read',
  input: {
    ...CONTEXT,
    other: required(revision('other'), 'another session or entry'),
    format: withDefault(choice(['json', 'pi', ...REQUEST_FORMATS], 'format'), 'json', 'the form of both'),
  },
  output: output(object({ shared: size, left: size, right: size })),
  run: ({ repo }, { revision: name, other, ...options }) => compareContexts(repo, other, name, options),
})
