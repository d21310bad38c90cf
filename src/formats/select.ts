import { isObject, items, type Json, type JsonObject } from '../model/json.ts'

/** Returns the part of a value that belongs to the conversation: the value itself where that is all of it. */
export type Select = (value: Json) => Json

/** The fields of an object that belong to the conversation, each with the part of it that does. */
export type Fields = Readonly<Record<string, Select>>

const whole: Select = (value) => value

/** Selects named fields of an object. A value that is no object is taken whole. */
export const fields =
  (allowed: Fields): Select =>
  (value) =>
    isObject(value) ? chosen(value, allowed) : value

/** Returns the named fields of an object, in its order; the object itself where it has no others. */
export function chosen(value: JsonObject, allowed: Fields): JsonObject {
  const body: Record<string, Json> = {}
  let same = true
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(allowed, key)) {
      same = false
      continue
    }
    const child = value[key] as Json
    const select = allowed[key] as Select
    const part = select === whole ? child : select(child)
    if (part !== child) same = false
    body[key] = part
  }
  return same ? value : body
}

/** Selects from each element of a list. A value that is no list is taken whole. */
export const each =
  (select: Select): Select =>
  (value) => {
    if (!Array.isArray(value)) return value
    const parts = items(value).map(select)
    return parts.every((part, i) => part === value[i]) ? (value as Json) : parts
  }

/** Selects fields of an object by its `type`. An object of another type is taken whole, as is any other value. */
export const byType =
  (types: Readonly<Record<string, Fields>>): Select =>
  (value) => {
    if (!isObject(value)) return value
    const { type } = value
    return typeof type === 'string' && Object.hasOwn(types, type)
      ? chosen(value, types[type] as Fields)
      : value
  }

/** Selects fields of an object that has one of them; an object with none of them is taken whole, as is any other value. */
export const known =
  (allowed: Fields): Select =>
  (value) =>
    isObject(value) && Object.keys(value).some((key) => Object.hasOwn(allowed, key))
      ? chosen(value, allowed)
      : value

/** Names fields that are taken whole. */
export const all = (...keys: readonly string[]): Record<string, Select> =>
  Object.fromEntries(keys.map((key) => [key, whole]))
