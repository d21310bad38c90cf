import { isObject, type Json, type JsonObject, without } from '../model/json.ts'
import { anything, arrayOf, boolean, integer, object, type Schema, string } from '../verbs/schema.ts'
import { type Endpoint, type EndpointDetail, paramsIn } from './endpoint.ts'
import { PROBLEM } from './problem.ts'

/** An answer to a request that failed: RFC 9457. */
const PROBLEM_SCHEMA = object(
  { type: string, title: string, status: integer, detail: string, code: string, retryable: boolean },
  {
    hint: string,
    choices: arrayOf(string),
    candidates: arrayOf(string),
    present: anything,
    error: string,
  },
)

/** Returns the description of the API: every endpoint, and no other. */
export async function openApi(endpoints: readonly Endpoint[], version: string): Promise<JsonObject> {
  const components = new Components()
  components.add('Problem', PROBLEM_SCHEMA)
  const described = await Promise.all(endpoints.map(async (one) => [one, await one.detail()] as const))
  for (const [, { named = {} }] of described)
    for (const [name, schema] of Object.entries(named)) components.add(name, schema)
  const paths: { [path: string]: { [method: string]: JsonObject } } = {}
  for (const [endpoint, detail] of described) {
    const path = `/api${endpoint.path}`.replace(/:(\w+)/g, '{$1}')
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operationOf(endpoint, detail, components),
    }
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: { title: 'sess', summary: 'a store of agent conversations', version },
    security: [{ token: [] }],
    paths,
    components: {
      schemas: components.schemas(),
      securitySchemes: { token: { type: 'http', scheme: 'bearer' } },
    },
  }
}

function operationOf(
  { id, method, path, summary, effect }: Endpoint,
  { query, body, type, schema }: EndpointDetail,
  components: Components,
): JsonObject {
  const parameters: readonly Json[] = [
    ...paramsIn(path).map((name) => ({ name, in: 'path', required: true, schema: string })),
    ...query.map((one) => ({
      name: one.name,
      in: 'query',
      description: one.about,
      ...(one.required && { required: true }),
      ...(one.list && { style: 'form', explode: true }),
      schema: one.schema,
    })),
    ...(effect === 'read' ? [] : TERM_HEADERS),
  ]
  return {
    operationId: `${method.toLowerCase()}-${id}`,
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { content: { 'application/json': { schema: components.referring(body) } } } }),
    responses: {
      200: {
        description: 'what was asked for',
        content: { [type]: schema ? { schema: components.referring(schema) } : {} },
      },
      default: {
        description: 'why it was not done',
        content: { [PROBLEM]: { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    },
  }
}

const TERM_HEADERS: readonly Json[] = [
  {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'the same where a request is repeated: it is done once',
    schema: string,
  },
  {
    name: 'If-Match',
    in: 'header',
    description: 'the oid of the tip that the session must have, in double quotes',
    schema: string,
  },
]

/** Schemas with names: what is equal to one refers to it, whatever its description. */
class Components {
  readonly #byText = new Map<string, string>()
  readonly #schemas = new Map<string, Schema>()

  /** Names a schema of an object. The first name of two equal ones holds. */
  add(name: string, schema: Schema): void {
    const text = textOf(schema)
    if (!isObject(schema.properties) || this.#byText.has(text) || this.#schemas.has(name)) return
    this.#byText.set(text, name)
    this.#schemas.set(name, schema)
  }

  /** Returns a schema in which those with names are references. */
  referring(schema: Json): JsonObject {
    return this.#replaced(schema) as JsonObject
  }

  schemas(): JsonObject {
    return Object.fromEntries(
      [...this.#schemas].map(([name, schema]) => [
        name,
        Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, this.#replaced(value)])),
      ]),
    )
  }

  #replaced(value: Json): Json {
    if (Array.isArray(value)) return (value as readonly Json[]).map((one) => this.#replaced(one))
    if (!isObject(value)) return value
    const name = this.#byText.get(textOf(value))
    if (name !== undefined) {
      const { description } = value
      return { ...(description !== undefined && { description }), $ref: `#/components/schemas/${name}` }
    }
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#replaced(one)]))
  }
}

const textOf = (schema: JsonObject): string => JSON.stringify(without(schema, 'description'))
