import type { Json, JsonObject } from '../model/json.ts'
import type { VerbContext } from '../verbs/open.ts'
import type { Schema } from '../verbs/schema.ts'
import type { Effect } from '../verbs/verb.ts'

/** A request to an endpoint. */
export interface EndpointRequest {
  /** The context of the call, with its signal. */
  readonly context: VerbContext
  /** The parameters of the path by their names. */
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** The text of the body; empty where the method has none. */
  readonly body: string
  readonly header: (name: string) => string | undefined
}

/** An answer: JSON, or bytes of another type. */
export interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: Json
  readonly bytes?: ReadableStream<Uint8Array>
}

/** A parameter of a query. */
export interface Parameter {
  readonly name: string
  readonly about: string
  readonly schema: Schema
  readonly required: boolean
  /** Whether it may be repeated. */
  readonly list: boolean
}

/** The inputs and the answer of an endpoint, for the description of the API. */
export interface EndpointDetail {
  readonly query: readonly Parameter[]
  /** The body of a request; undefined where there is none. */
  readonly body?: Schema
  /** The media type of an answer, and its schema where it is JSON. */
  readonly type: string
  readonly schema?: Schema
  /** The schemas that have names in the description, by these. */
  readonly named?: Readonly<Record<string, Schema>>
}

/** A row of the API: what is served, and what its description says of it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST'
  /** Its path below `/api`, with `:id` for a part that is a parameter. */
  readonly path: string
  readonly id: string
  readonly summary: string
  readonly effect: Effect
  /** Whether an error is also in `error`, as callers of Dash's routes expect it. */
  readonly isDash?: boolean
  /** Whether a program calls it, as a rule, and no person. */
  readonly isByProgram?: boolean
  detail(): Promise<EndpointDetail>
  answer(request: EndpointRequest): Promise<Answer>
}

/** The media type of JSON. */
export const JSON_TYPE = 'application/json'

/** Returns the names of the parameters of a path. */
export const paramsIn = (path: string): readonly string[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => name as string)

/** Returns an object without the properties that others name. */
export const withoutKeys = (object: JsonObject, keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))
