import {
  REQUESTS,
  type RequestFormat,
  type RequestNotes,
  requestOf,
  requestPieces,
} from '../ops/context/context.ts'
import { CONTEXT, NOTES } from './context.ts'
import { type InputOf, required } from './input.ts'
import type { VerbContext } from './open.ts'
import { anything, arrayOf, mapOf, object, type Schema } from './schema.ts'
import { choice } from './values.ts'
import { output, verb } from './verb.ts'

/** The formats of requests to the APIs of models. */
export const REQUEST_FORMATS = Object.keys(REQUESTS) as RequestFormat[]

/** The parts of a request to an API, by their names there. */
const request: Schema<object> = mapOf(arrayOf(anything))

const input = { ...CONTEXT, format: required(choice(REQUEST_FORMATS, 'format'), 'the API') }

export const contextRequest = verb({
  name: 'context-request',
  summary: 'show the context as a request to an API',
  effect: 'read',
  input,
  output: output(object({ request, ...NOTES })),
  run: ({ repo }, { revision: name, format, ...options }) => requestOf(repo, name, format, options),
})

/**
 * Yields the JSON text of the request in pieces, however long it is; its notes are passed on before. Without a budget: to
 * fit one, all is read first.
 */
export const printedRequest = (
  { repo }: VerbContext,
  { revision: name, format }: Omit<InputOf<typeof input>, 'budget'>,
  onNotes: (notes: RequestNotes) => void,
): AsyncIterable<string> => requestPieces(repo, name, format, onNotes)
