import { REQUESTS, type RequestFormat, requestOf } from '../ops/context/context.ts'
import { CONTEXT, NOTES } from './context.ts'
import { required } from './input.ts'
import { anything, arrayOf, mapOf, object, type Schema } from './schema.ts'
import { choice } from './values.ts'
import { output, verb } from './verb.ts'

/** The formats of requests to the APIs of models. */
export const REQUEST_FORMATS = Object.keys(REQUESTS) as RequestFormat[]

/** The parts of a request to an API, by their names there. */
const request: Schema<object> = mapOf(arrayOf(anything))

export const contextRequest = verb({
  name: 'context-request',
  summary: 'show the context as a request to an API',
  effect: 'read',
  input: { ...CONTEXT, format: required(choice(REQUEST_FORMATS, 'format'), 'the API') },
  output: output(object({ request, ...NOTES })),
  run: ({ repo }, { revision: name, format, ...options }) => requestOf(repo, name, format, options),
})
