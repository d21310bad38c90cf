import { asString, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Facts } from './format.ts'
import { isUuid } from './uuid.ts'

/** Returns the value at a path of keys; undefined if there is none. */
export const fieldAt = (value: Json | undefined, ...path: readonly string[]): Json | undefined => {
  let found = value
  for (const key of path) found = field(found, key)
  return found
}

/** Returns a path as several agents name the folder of a project: characters other than letters and digits become `-`. */
export const dashedPath = (path: string): string => path.replace(/[^A-Za-z0-9]/g, '-')

const DRIVE = /^\/[A-Za-z]:(?=\/|$)/

/** Returns the path that a `file:` URI names, of a drive as Windows writes it; any other text as it is. */
export function pathOfUri(text: string): string {
  if (!text.startsWith('file:///')) return text
  const path = decoded(text.slice('file://'.length))
  return DRIVE.test(path) ? path.slice(1).replaceAll('/', '\\') : path
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch (error) {
    // A percent sign that begins no escape: the path was never one of a URI.
    if (error instanceof URIError) return path
    throw error
  }
}

/** Returns the row in a line of a database dump, if it is of the named table. */
export function rowOf(value: Json | undefined, table: string): JsonObject | undefined {
  const row = field(value, 'row')
  return field(value, 'table') === table && isObject(row) ? row : undefined
}

/** Returns facts without those that are not known. */
export const factsOf = (facts: { readonly [K in keyof Facts]: Facts[K] | undefined }): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== ''))

/** Where the facts about a session are in a value: a key each, or the path of keys. */
type FactPaths = {
  readonly [K in 'id' | 'title' | 'cwd' | 'parent' | 'created']?: string | readonly string[]
}

/** Returns the facts at some paths of a value: texts, and the time of `created`. */
export function factsAt(value: Json | undefined, { created, ...texts }: FactPaths): Facts {
  const at = (path: string | readonly string[]): Json | undefined => fieldAt(value, ...[path].flat())
  return factsOf({
    ...Object.fromEntries(Object.entries(texts).map(([fact, path]) => [fact, asString(at(path))])),
    created: created === undefined ? undefined : millis(at(created)),
  })
}

/** Returns the id that the name of a file or folder is, as a fact; none if it is no UUID. */
export const idNamed = (name: string | undefined): Facts =>
  name !== undefined && isUuid(name) ? { id: name } : {}

/**
 * Returns an ISO time, or seconds or milliseconds since 1970, as milliseconds; nothing else passes for a
 * time.
 */
export function millis(value: Json | undefined): number | undefined {
  if (typeof value === 'number') {
    if (value >= 1e8 && value < 1e11) return Math.round(value * 1000)
    return value >= 1e11 && value < 1e14 ? Math.round(value) : undefined
  }
  const text = asString(value)
  if (text === undefined || !/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) || text.length > 40) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
