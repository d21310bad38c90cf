import { isObject, items, type Json, type JsonObject } from '../../model/json.ts'

/** Returns the part of a value that belongs to the conversation: the value itself where that is all of it. */
export type FieldSelector = (value: Json) => Json

/** The fields of an object that belong to the conversation, each with the part of it that does. */
export type AllowList = Readonly<Record<string, FieldSelector>>

const whole: FieldSelector = (value) => value

/** The names of the fields that a selection is made of, below the field that it selects from. */
const names = new WeakMap<FieldSelector, readonly string[]>()

function named(select: FieldSelector, below: readonly string[]): FieldSelector {
  names.set(select, below)
  return select
}

/** Returns the names of fields as a path each, below a path of keys. */
export const fieldNames = (allowed: AllowList, at: readonly string[] = []): readonly string[] =>
  Object.entries(allowed).flatMap(([key, select]) => {
    const path = [...at, key].join('.')
    const below = names.get(select)
    return below ? below.map((name) => `${path}${name.startsWith('[') ? '' : '.'}${name}`) : [path]
  })

/** Selects named fields of an object. A value that is no object is taken whole. */
export const fields = (allowed: AllowList): FieldSelector =>
  named((value) => (isObject(value) ? selectFields(value, allowed) : value), fieldNames(allowed))

/** Returns the named fields of an object, in its order; the object itself where it has no others. */
export function selectFields(value: JsonObject, allowed: AllowList): JsonObject {
  const body: Record<string, Json> = {}
  let same = true
  for (const key of Object.keys(value)) {
    if (!Object.hasOwn(allowed, key)) {
      same = false
      continue
    }
    const child = value[key] as Json
    const select = allowed[key] as FieldSelector
    const part = select === whole ? child : select(child)
    if (part !== child) same = false
    body[key] = part
  }
  return same ? value : body
}

/** Selects from each element of a list. A value that is no list is taken whole. */
export const each = (select: FieldSelector): FieldSelector =>
  named(
    (value) => {
      if (!Array.isArray(value)) return value
      const parts = items(value).map(select)
      return parts.every((part, i) => part === value[i]) ? (value as Json) : parts
    },
    (names.get(select) ?? ['']).map((name) => (name === '' ? '[]' : `[].${name}`)),
  )

/** Selects fields of an object by its `type`. An object of another type is taken whole, as is any other value. */
export const byType = (types: Readonly<Record<string, AllowList>>): FieldSelector =>
  named(
    (value) => {
      if (!isObject(value)) return value
      const { type } = value
      return typeof type === 'string' && Object.hasOwn(types, type)
        ? selectFields(value, types[type] as AllowList)
        : value
    },
    [...new Set(Object.values(types).flatMap((one) => fieldNames(one)))],
  )

/** Selects fields of an object that has one of them; an object with none of them is taken whole, as is any other value. */
export const known = (allowed: AllowList): FieldSelector =>
  named(
    (value) =>
      isObject(value) && Object.keys(value).some((key) => Object.hasOwn(allowed, key))
        ? selectFields(value, allowed)
        : value,
    fieldNames(allowed),
  )

/** Names fields that are taken whole. */
export const all = (...keys: readonly string[]): Record<string, FieldSelector> =>
  Object.fromEntries(keys.map((key) => [key, whole]))
