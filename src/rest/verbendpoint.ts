import { createHash } from 'node:crypto'
import { isOid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import { isObject, type Json, type JsonObject, jsonText } from '../model/json.ts'
import { parseJson } from '../model/value.ts'
import { loadVerb } from '../verbs/index.ts'
import type { Inputs } from '../verbs/input.ts'
import { inputSchema, readInput } from '../verbs/readinput.ts'
import { arrayOf, boolean, integer, nullable, object, type Schema } from '../verbs/schema.ts'
import { perform, type Terms, type Verb } from '../verbs/verb.ts'
import {
  type Answer,
  type Endpoint,
  type EndpointDetail,
  type EndpointRequest,
  JSON_TYPE,
  type Parameter,
  withoutKeys,
} from './endpoint.ts'
import { jsonOfQuery } from './query.ts'
import type { Route } from './routes.ts'

/** The most items of a page: a caller that wants more asks for the next page. */
const MAX_PAGE = 1000

/** The most characters of what is searched for. */
const MAX_QUERY = 2000

/** Returns the endpoint of a route that a verb answers. */
export function verbEndpoint(route: Route, { name, summary, effect }: VerbSummary): Endpoint {
  const { method, path, isByProgram = false } = route
  return {
    isByProgram,
    method,
    path,
    id: method === 'POST' && effect === 'read' ? `${name}-by-post` : name,
    summary,
    effect,
    detail: async () => detailOf(route, await loadVerb(route.verb)),
    answer: async (request) => answer(route, await loadVerb(route.verb), request),
  }
}

type VerbSummary = Pick<Verb, 'name' | 'summary' | 'effect'>

async function answer(route: Route, verb: Verb, request: EndpointRequest): Promise<Answer> {
  const { context, params, header } = request
  if (params.oid !== undefined && !isOid(params.oid)) throw new SessError('no-entry', params.oid)
  const tag = `"${params.oid}"`
  const kept = { etag: tag, 'cache-control': 'private, max-age=31536000, immutable' }
  // An oid names its content for good: what the caller has is right if it has it.
  if (route.isImmutable && hasTag(header('if-none-match'), tag)) return { status: 304, headers: kept }
  const asked = { ...askedIn(route, verb, request), ...termsIn(verb, request) }
  const { input, terms } = readInput(verb, asked, context.where)
  checkLimits(input)
  const { sent, ...written } = await performed(verb, request, input, terms)
  if (verb.effect !== 'read') return { json: { ...written, result: sent } }
  if (route.isImmutable) return { json: soleItem(sent, params.oid as string), headers: kept }
  return params.oid === undefined ? { json: sent } : tagged(sent, header('if-none-match'))
}

/** Performs a verb, and returns what is sent of its result. */
async function performed(verb: Verb, { context }: EndpointRequest, input: object, terms: Terms) {
  const { result, ...written } = await perform(verb, context, input, terms)
  return { ...written, sent: result === null ? null : (verb.output.wire(result) as Json) }
}

/** Returns the only item of a list, which is one with all its content. Throws `no-entry`. */
function soleItem(sent: Json, oid: string): Json {
  const [item] = sent as readonly JsonObject[]
  if (!item || 'missing' in item) throw new SessError('no-entry', oid)
  return item
}

/** Returns an answer with a tag of its content: the labels, branches and answers of an entry change. */
function tagged(json: Json, known: string | undefined): Answer {
  const tag = `"${createHash('sha256').update(jsonText(json)).digest('base64url')}"`
  const headers = { etag: tag, 'cache-control': 'private, no-cache' }
  return hasTag(known, tag) ? { status: 304, headers } : { json, headers }
}

const hasTag = (known: string | undefined, tag: string): boolean =>
  known?.split(',').some((one) => one.trim().replace(/^W\//, '') === tag) ?? false

function askedIn(
  { method, inputs = {}, fixed = {} }: Route,
  { input }: Verb,
  { params, query, body }: EndpointRequest,
): JsonObject {
  const asked = method === 'GET' ? jsonOfQuery(input, query) : objectIn(body)
  const fromPath = Object.entries(inputs).flatMap(([param, name]): [string, Json][] => {
    // An entry or a branch of the session may be named in its place.
    if (param === 'id' && name === 'revision' && asked.revision !== undefined) return []
    const value = params[param] as string
    return [[name, input[name]?.list ? [value] : value]]
  })
  return { ...asked, ...fixed, ...Object.fromEntries(fromPath) }
}

/** Returns the object that a body holds; an empty one for none. Throws `bad-usage`. */
export function objectIn(body: string): JsonObject {
  const value = body.trim() === '' ? {} : parseJson(body)?.value
  if (value === undefined) throw new SessError('bad-usage', 'the body is not JSON')
  if (!isObject(value)) throw new SessError('bad-usage', 'the body is not an object')
  return value
}

/** Returns the terms in the headers of a request: `Idempotency-Key`, and `If-Match` with the expected tip of the session. */
function termsIn({ effect }: Verb, { header, params }: EndpointRequest): JsonObject {
  if (effect === 'read') return {}
  const [key, tip] = [header('idempotency-key'), header('if-match')]
  const [, oid] = /^"([0-9a-f]{64})"$/.exec(tip ?? '') ?? []
  if (tip !== undefined && (oid === undefined || params.id === undefined))
    throw new SessError('bad-usage', "'If-Match' is the oid of the tip of the session, in double quotes")
  return {
    ...(key !== undefined && { key }),
    ...(oid !== undefined && { expected: { [params.id as string]: oid } }),
  }
}

function checkLimits({ limit, query }: { readonly limit?: unknown; readonly query?: unknown }): void {
  if (typeof limit === 'number' && limit > MAX_PAGE)
    throw new SessError('bad-usage', `'limit' is at most ${MAX_PAGE}`)
  if (Array.isArray(query) && query.join(' ').length > MAX_QUERY)
    throw new SessError('bad-usage', `'query' has at most ${MAX_QUERY} characters`)
}

function detailOf(route: Route, verb: Verb): EndpointDetail {
  const { inputs = {}, fixed = {} } = route
  const { effect, output } = verb
  const taken = [
    ...Object.entries(inputs).flatMap(([param, name]) => (isOptional(param, name) ? [] : [name])),
  ]
  const hidden = [...taken, ...Object.keys(fixed)]
  const name = pascal(verb.name)
  const result = route.isImmutable ? (output.schema.items as Schema) : output.schema
  const schema =
    effect === 'read'
      ? result
      : object({ operation: nullable(integer), repeated: boolean, result: nullable(result) })
  return {
    query: route.method === 'GET' ? parametersOf(verb.input, hidden) : [],
    ...(route.method === 'POST' && { body: bodySchema(verb, Object.values(inputs), hidden) }),
    type: JSON_TYPE,
    schema,
    named: {
      [`${name}${effect === 'read' ? '' : 'Result'}`]: result,
      ...(output.each && { [`${name}Item`]: output.each.schema }),
    },
  }
}

/** Whether an input of the path may be given in its place. */
const isOptional = (param: string, name: string): boolean => param === 'id' && name === 'revision'

/** Returns the inputs of a verb as parameters of a query, without some. */
export const parametersOf = (inputs: Inputs, hidden: readonly string[]): readonly Parameter[] =>
  Object.entries(inputs)
    .filter(([name]) => !hidden.includes(name))
    .map(([name, { about, value, list = false, required = false }]) => ({
      name,
      about,
      schema: list ? arrayOf(value?.schema ?? boolean) : (value?.schema ?? boolean),
      required,
      list,
    }))

function bodySchema(verb: Verb, fromPath: readonly string[], hidden: readonly string[]): Schema {
  const whole = inputSchema(verb)
  return {
    ...whole,
    properties: withoutKeys(whole.properties as JsonObject, hidden),
    required: (whole.required as readonly string[]).filter((name) => !fromPath.includes(name)),
  }
}

/** Returns a name of several words in the spelling of types. */
const pascal = (name: string): string =>
  name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase())
