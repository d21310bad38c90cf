import type { JsonObject } from '../model/json.ts'

/** Marks the type of the values that a schema describes; no schema has such a property. */
declare const TYPE: unique symbol

/** A JSON Schema, draft 2020-12, of values of a type. */
export type Schema<T = unknown> = JsonObject & { readonly [TYPE]?: () => T }

/** The type of the values that a schema describes. */
export type ValueOf<S> = S extends { readonly [TYPE]?: () => infer T } ? T : never

interface Properties {
  readonly [name: string]: Schema
}

/** The properties of an object that declares none. */
// oxlint-disable-next-line typescript/no-generated-empty-object-type -- that is what it is
export type Nothing = Readonly<Record<never, never>>

type Flat<T> = { readonly [K in keyof T]: T[K] }

export const anything: Schema = {}
export const string: Schema<string> = { type: 'string' }
export const boolean: Schema<boolean> = { type: 'boolean' }
export const number: Schema<number> = { type: 'number' }
export const atLeastZero: Schema<number> = { type: 'number', minimum: 0 }
export const integer: Schema<number> = { type: 'integer', minimum: 0 }

/** Returns the schema of one of some words. */
export const oneOf = <const W extends readonly string[]>(...words: W): Schema<W[number]> => ({ enum: words })

/** Returns the schema of a list. */
export const arrayOf = <T>(of: Schema<T>): Schema<readonly T[]> => ({ type: 'array', items: of })

/** Returns the schema of an object whose names are not known in advance. */
export const mapOf = <T>(of: Schema<T>): Schema<{ readonly [name: string]: T }> => ({
  type: 'object',
  additionalProperties: of,
})

/** Returns the schema of what fits one of some schemas. */
export const anyOf = <S extends readonly Schema[]>(...schemas: S): Schema<ValueOf<S[number]>> => ({
  anyOf: schemas,
})

/** Returns the schema of what may be null. */
export const nullable = <T>(schema: Schema<T>): Schema<T | null> =>
  typeof schema.type === 'string' && schema.enum === undefined
    ? { ...(schema as JsonObject), type: [schema.type, 'null'] }
    : { anyOf: [schema, { type: 'null' }] }

/** Returns the schema of an object with required and optional properties, and no others. */
export const object = <P extends Properties, O extends Properties = Nothing>(
  properties: P,
  optional?: O,
): Schema<Flat<{ [K in keyof P]: ValueOf<P[K]> } & { [K in keyof O]?: ValueOf<O[K]> }>> => ({
  type: 'object',
  properties: { ...properties, ...optional },
  required: Object.keys(properties),
  additionalProperties: false,
})

/** Returns a schema with a description. */
export const described = <T>(description: string, schema: Schema<T>): Schema<T> => ({
  description,
  ...(schema as JsonObject),
})
