import type { JsonObject } from '../../model/json.ts'

/** A JSON Schema, draft 2020-12. */
export type Schema = JsonObject

export const anything: Schema = {}
export const text: Schema = { type: 'string' }
export const truth: Schema = { type: 'boolean' }
export const number: Schema = { type: 'number' }
export const amount: Schema = { type: 'number', minimum: 0 }
export const count: Schema = { type: 'integer', minimum: 0 }

/** Returns the schema of one of some words. */
export const word = (...words: readonly string[]): Schema => ({ enum: words })

/** Returns the schema of a list. */
export const list = (of: Schema): Schema => ({ type: 'array', items: of })

/** Returns the schema of an object whose names are not known before. */
export const map = (of: Schema): Schema => ({ type: 'object', additionalProperties: of })

/** Returns the schema of what fits one of some schemas. */
export const either = (...schemas: readonly Schema[]): Schema => ({ anyOf: schemas })

/** Returns the schema of what may be null. */
export const nullable = (schema: Schema): Schema =>
  typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : either(schema, { type: 'null' })

/** Returns the schema of an object with required and optional properties, and no others. */
export const object = (properties: JsonObject, optional: JsonObject = {}): Schema => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
})

/** A schema with a description. */
export type Described = Schema & { readonly description: string }

/** Returns a schema with a description. */
export const about = (description: string, schema: Schema): Described => ({ description, ...schema })
