import { field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { Facts } from './format.ts'

/** Returns the row that a line of a database holds, of a table of this name; undefined where it holds another. */
export function rowOf(value: Json | undefined, table: string): JsonObject | undefined {
  const row = field(value, 'row')
  return field(value, 'table') === table && isObject(row) ? row : undefined
}

/** Returns facts without those that are not known. */
export const factsOf = (facts: { readonly [K in keyof Facts]: Facts[K] | undefined }): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== ''))
