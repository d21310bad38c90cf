import { isObject, items, type Json, type JsonObject } from '../model/json.ts'

/** Gives the part of a value that belongs to the conversation; the value itself where that is all of it. */
export type Select = (value: Json) => Json

const whole: Select = (value) => value

/** Selects named fields of an object, each in its own way. What is no object is taken whole. */
export const fields =
  (allowed: Readonly<Record<string, Select>>): Select =>
  (value) =>
    isObject(value) ? chosen(value, allowed) : value

/** Selects named fields of an object; the object itself where they are all that it has. */
export function chosen(value: JsonObject, allowed: Readonly<Record<string, Select>>): JsonObject {
  const body: Record<string, Json> = {}
  let same = true
  for (const [key, child] of Object.entries(value)) {
    if (!Object.hasOwn(allowed, key)) {
      same = false
      continue
    }
    const part = (allowed[key] as Select)(child)
    if (part !== child) same = false
    body[key] = part
  }
  return same ? value : body
}

/** Selects from each element of a list. What is no list is taken whole. */
export const each =
  (select: Select): Select =>
  (value) => {
    if (!Array.isArray(value)) return value
    const parts = items(value).map(select)
    return parts.every((part, i) => part === value[i]) ? (value as Json) : parts
  }

/** Names fields that are taken whole. */
export const all = (...keys: readonly string[]): Record<string, Select> =>
  Object.fromEntries(keys.map((key) => [key, whole]))
