import { isObject, items, type Json, type JsonObject, jsonText } from '../../src/model/json.ts'

/** Words of JSON Schema that say nothing about what is valid. */
const SILENT = new Set(['$schema', 'title', 'description'])

type Check = (value: Json, says: Json, schema: JsonObject) => string[]

const typeOf = (value: Json): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

const fits = (value: Json, type: Json): boolean =>
  type === 'integer' ? Number.isInteger(value) : typeOf(value) === type

const list = (value: Json): readonly Json[] => (Array.isArray(value) ? items(value) : [value])

/** Returns a value, or each of a list, as people read it. */
const words = (value: Json, between = ', '): string =>
  list(value)
    .map((one) => (typeof one === 'string' ? one : jsonText(one)))
    .join(between)

const CHECKS: Readonly<Record<string, Check>> = {
  type: (value, says) =>
    list(says).some((type) => fits(value, type)) ? [] : [`is no ${words(says, ' or ')}`],
  enum: (value, says) => (list(says).includes(value) ? [] : [`is none of ${words(says)}`]),
  pattern: (value, says) =>
    typeof value !== 'string' || new RegExp(words(says), 'u').test(value)
      ? []
      : [`does not match ${words(says)}`],
  minimum: (value, says) =>
    typeof value !== 'number' || value >= Number(says) ? [] : [`is less than ${words(says)}`],
  required: (value, says) =>
    isObject(value) ? list(says).flatMap((key) => (words(key) in value ? [] : [`lacks ${words(key)}`])) : [],
  properties: (value, says) =>
    Object.entries(says as JsonObject).flatMap(([key, schema]) =>
      isObject(value) && key in value ? inside(key, violations(schema, value[key] as Json)) : [],
    ),
  additionalProperties: (value, says, { properties = {} }) =>
    Object.entries(isObject(value) ? value : {})
      .filter(([key]) => !(key in (properties as JsonObject)))
      .flatMap(([key, other]) =>
        says === false ? [`has a property ${key}`] : inside(key, violations(says, other)),
      ),
  items: (value, says) =>
    Array.isArray(value) ? value.flatMap((item: Json, i) => inside(String(i), violations(says, item))) : [],
  anyOf: (value, says) => {
    const all = list(says).map((schema) => violations(schema, value))
    return all.some((found) => found.length === 0)
      ? []
      : [`fits none of ${all.length}: ${all.map((found) => found.join(', ')).join('; ')}`]
  },
}

const inside = (key: string, found: readonly string[]): string[] =>
  found.map((problem) => `${key}: ${problem}`)

/** Returns how a value violates a JSON Schema, a line each. Throws for a word of JSON Schema that it does not know. */
export function violations(schema: Json, value: Json): string[] {
  if (!isObject(schema)) throw new TypeError(`no schema: ${JSON.stringify(schema)}`)
  return Object.entries(schema)
    .filter(([name]) => !SILENT.has(name))
    .flatMap(([name, says]) => {
      const check = CHECKS[name]
      if (!check) throw new TypeError(`'${name}' is not known`)
      return check(value, says, schema)
    })
}
