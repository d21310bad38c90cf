import { defined } from '../model/json.ts'
import { PI_VERSIONS, piContextOf } from '../ops/context/picontext.ts'
import { CONTEXT } from './context.ts'
import { optional } from './input.ts'
import { anything, arrayOf, nullable, object, string } from './schema.ts'
import { choice } from './values.ts'
import { output, verb } from './verb.ts'

export const contextPi = verb({
  name: 'context-pi',
  summary: 'show the context as pi builds it',
  effect: 'read',
  input: { ...CONTEXT, version: optional(choice(PI_VERSIONS, 'version'), 'as this version of pi builds it') },
  output: output(
    object({
      messages: arrayOf(anything),
      thinkingLevel: string,
      model: nullable(object({ modelId: string }, { provider: string })),
    }),
  ),
  run: ({ repo }, { revision: name, version, ...options }) =>
    piContextOf(repo, name, { ...options, ...defined({ version }) }),
})
