import { SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { isObject, jsonText } from '../model/json.ts'
import { parseJson } from '../model/value.ts'
import { loadVerb } from '../verbs/index.ts'
import type { VerbContext } from '../verbs/open.ts'
import { readInput } from '../verbs/readinput.ts'
import { perform, type Verb } from '../verbs/verb.ts'
import { jsonOfQuery } from './query.ts'
import type { Route } from './routes.ts'

/** A request to a route. */
export interface RouteRequest {
  /** The parameters of the path by their names. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The body; undefined where the method has none. */
  readonly body?: string
  readonly header: (name: string) => string | undefined
}

/** The most items of a page: a caller that wants more asks for the next page. */
export const MAX_PAGE = 1000

/** Performs the verb of a route. Returns what is sent. Throws as the verb, and `bad-usage`. */
export async function answer(route: Route, context: VerbContext, request: RouteRequest): Promise<Json> {
  const verb = await loadVerb(route.verb)
  const asked = { ...askedIn(route, verb, request), ...termsIn(verb, request) }
  const { input, terms } = readInput(verb, asked, context.where)
  checkLimit(input)
  const { result, ...written } = await perform(verb, context, input, terms)
  const sent = result === null ? null : (verb.output.wire(result) as Json)
  return verb.effect === 'read' ? sent : { ...written, result: sent }
}

function askedIn(route: Route, verb: Verb, { params, query, body }: RouteRequest): JsonObject {
  const asked = body === undefined ? jsonOfQuery(verb.input, query) : objectIn(body)
  const { inputs = {}, fixed = {} } = route
  const fromPath = Object.entries(inputs).map(([param, name]): [string, Json] => {
    const value = params[param] as string
    return [name, verb.input[name]?.list ? [value] : value]
  })
  // The id in the path is the session; a revision of the query or the body is an entry or a branch of it.
  const named = fromPath.filter(
    ([name]) => name !== 'revision' || !('revision' in asked) || params.id === undefined,
  )
  return { ...asked, ...fixed, ...Object.fromEntries(named) }
}

function objectIn(body: string): JsonObject {
  const value = body.trim() === '' ? {} : parseJson(body)?.value
  if (value === undefined) throw new SessError('bad-usage', 'the body is no JSON')
  if (!isObject(value)) throw new SessError('bad-usage', 'the body is an object')
  return value
}

/** Returns the terms in the headers of a request: `Idempotency-Key`, and `If-Match` with the expected tip of the session. */
function termsIn({ effect }: Verb, { header, params }: RouteRequest): JsonObject {
  if (effect === 'read') return {}
  const [key, tip] = [header('idempotency-key'), header('if-match')]
  const [, oid] = tip === undefined ? [] : (/^"([0-9a-f]{64})"$/.exec(tip) ?? [undefined, ''])
  if (oid === '' || (oid !== undefined && params.id === undefined))
    throw new SessError('bad-usage', "'If-Match' is the oid of the tip of a session, in double quotes")
  return {
    ...(key !== undefined && { key }),
    ...(oid !== undefined && { expected: { [params.id as string]: oid } }),
  }
}

function checkLimit(input: Readonly<Record<string, unknown>>): void {
  if (typeof input.limit === 'number' && input.limit > MAX_PAGE)
    throw new SessError('bad-usage', `'limit' is at most ${MAX_PAGE}`)
}

/** Returns the text of an answer. */
export const textOf = (answered: Json): string => `${jsonText(answered)}\n`
