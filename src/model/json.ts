import { MAX_PARSED_DEPTH, Verbatim } from './encoding/verbatim.ts'

/**
 * A JSON value as sess holds it. It is the result of `JSON.parse`, but for the parts that a JavaScript value
 * cannot hold faithfully: those are kept as their JSON text in a `Verbatim`.
 */
export type Json = null | boolean | number | string | Verbatim | readonly Json[] | JsonObject
/** A JSON object, its keys in the order of the source. */
export interface JsonObject {
  readonly [key: string]: Json
}

/** Returns whether a value is an object, neither an array nor verbatim text. */
export const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Verbatim)

/** `Array.isArray`, which does not tell the type of what a readonly list holds. */
const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** Returns a field of a value if the value is an object that has it. */
export const field = (value: Json | undefined, key: string): Json | undefined =>
  isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** Returns an object without some of its keys. */
export const without = (object: JsonObject, ...keys: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([key]) => !keys.includes(key)))

/** An object without the properties that are undefined. */
export type Defined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Returns an object without the properties that are undefined. */
export const defined = <T extends object>(properties: T): Defined<T> =>
  Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as Defined<T>

/** Returns a value if it is a string. */
export const asString = (value: Json | undefined): string | undefined => {
  if (typeof value === 'string') return value
  if (!(value instanceof Verbatim)) return undefined
  const parsed: unknown = JSON.parse(value.text)
  return typeof parsed === 'string' ? parsed : undefined
}

/** Returns the elements of a value; none if it is not an array. */
export const items = (value: Json | undefined): readonly Json[] => (isList(value) ? value : [])

/**
 * Returns a value as plain JavaScript, with verbatim parts parsed by `JSON.parse`. Those that are nested too deep for
 * functions that call themselves, as `JSON.stringify` does, stay verbatim.
 */
export const plain = (value: Json): Json => (hasVerbatim(value) ? unwrapped(value) : value)

function unwrapped(value: Json): Json {
  if (value instanceof Verbatim) return isDeep(value.text) ? value : (JSON.parse(value.text) as Json)
  if (Array.isArray(value)) return value.map(unwrapped)
  if (isObject(value)) return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, unwrapped(v)]))
  return value
}

/** Returns whether brackets open deeper in a JSON text than values may be nested, those in strings counted too. */
export function isDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const ch = text[at]
    if (ch === '[' || ch === '{') depth++
    else if (ch === ']' || ch === '}') depth--
    if (depth > MAX_PARSED_DEPTH) return true
  }
  return false
}

/** Returns whether any part of a value is verbatim. */
export function hasVerbatim(value: Json): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (value instanceof Verbatim) return true
  if (isList(value)) return value.some(hasVerbatim)
  for (const key in value) {
    const child = value[key] as Json
    if (typeof child === 'object' && hasVerbatim(child)) return true
  }
  return false
}

/** Returns whether two values are equal including the order of keys: then their texts are equal. */
export function isSame(a: Json, b: Json): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Verbatim || b instanceof Verbatim)
    return a instanceof Verbatim && b instanceof Verbatim && a.text === b.text
  if (isList(a) || isList(b))
    return isList(a) && isList(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i] as Json))
  const [keys, others] = [Object.keys(a), Object.keys(b)]
  return (
    keys.length === others.length &&
    keys.every((key, i) => key === others[i] && isSame(a[key] as Json, b[key] as Json))
  )
}

/** Returns the compact JSON text of a value; without verbatim parts it is that of `JSON.stringify`. */
export function jsonText(value: Json): string {
  if (!hasVerbatim(value)) return JSON.stringify(value)
  return spelled(value, ',', ':')
}

/** Returns a value's JSON text with chosen separators. */
export function spelled(value: Json, comma: string, colon: string): string {
  if (value instanceof Verbatim) return value.text
  if (isList(value)) return `[${value.map((v) => spelled(v, comma, colon)).join(comma)}]`
  if (isObject(value)) {
    const parts = Object.entries(value).map(
      ([k, v]) => `${JSON.stringify(k)}${colon}${spelled(v, comma, colon)}`,
    )
    return `{${parts.join(comma)}}`
  }
  return JSON.stringify(value)
}
