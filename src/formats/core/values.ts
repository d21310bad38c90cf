import { asString, field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Facts } from './format.ts'

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
