import type { JsonObject } from '../../model/json.ts'

/** A JSON Schema, draft 2020-12. */
export type Schema = JsonObject

export const anything: Schema = {}
export const text: Schema = { type: 'string' }
export const truth: Schema = { type: 'boolean' }
export const number: Schema = { type: 'number' }
export const amount: Schema = { type: 'number', minimum: 0 }
export const count: Schema = { type: 'integer', minimum: 0 }

/** Gives the schema of one of some words. */
export const word = (...words: readonly string[]): Schema => ({ enum: words })

/** Gives the schema of a list. */
export const list = (of: Schema): Schema => ({ type: 'array', items: of })

/** Gives the schema of an object whose names are not known before. */
export const map = (of: Schema): Schema => ({ type: 'object', additionalProperties: of })

/** Gives the schema of what fits one of some schemas. */
export const either = (...schemas: readonly Schema[]): Schema => ({ anyOf: schemas })

/** Gives the schema of what may be null. */
export const nullable = (schema: Schema): Schema =>
  typeof schema.type === 'string' && schema.enum === undefined
    ? { ...schema, type: [schema.type, 'null'] }
    : either(schema, { type: 'null' })

/** Gives the schema of an object that has these properties, may have the optional ones, and no others. */
export const object = (properties: JsonObject, optional: JsonObject = {}): Schema => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
})

/** A schema with a description. */
export type Described = Schema & { readonly description: string }

/** Gives a schema with a description. */
export const about = (description: string, schema: Schema): Described => ({ description, ...schema })
