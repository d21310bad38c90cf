import { asString, field, items, type Json, Verbatim } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'

/** Gives a value as agents read it: what is kept as text is parsed, undefined where that is no JSON. */
export const opened = (value: Json | undefined): Json | undefined =>
  value instanceof Verbatim ? tryParse(value.text) : value

/** Gives what stands at a path of keys, undefined where there is nothing. */
export function at(value: Json | undefined, ...path: readonly string[]): Json | undefined {
  let found = opened(value)
  for (const key of path) found = opened(field(found, key))
  return found
}

/** Gives the string at a path of keys, undefined where there is none. */
export const textAt = (value: Json | undefined, ...path: readonly string[]): string | undefined =>
  asString(at(value, ...path))

/** Gives the elements of the list at a path of keys, none where there is no list. */
export const listAt = (value: Json | undefined, ...path: readonly string[]): readonly (Json | undefined)[] =>
  items(at(value, ...path)).map(opened)

/** Gives the id at a path of keys, undefined where there is none: an empty string is none. */
export const idAt = (value: Json | undefined, ...path: readonly string[]): string | undefined =>
  textAt(value, ...path) || undefined

/** Gives the strings of a list, in order. */
export const asIds = (value: Json | undefined): readonly string[] =>
  listAt(value).flatMap((item) => asString(item) ?? [])
