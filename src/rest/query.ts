import { SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Input, Inputs } from '../verbs/input.ts'

/**
 * Returns the parameters of a query as JSON, by the inputs that they name: several of one name are a list, and an input
 * without a form of its own is `true` or `false`. Throws `bad-usage` for two values of an input that has one.
 */
export function jsonOfQuery(inputs: Inputs, query: URLSearchParams): JsonObject {
  const names = new Set(query.keys())
  return Object.fromEntries(
    [...names].map((name) => {
      const declared = Object.hasOwn(inputs, name) ? inputs[name] : undefined
      return [name, valueOf(name, declared, query.getAll(name))]
    }),
  )
}

function valueOf(name: string, declared: Input | undefined, given: readonly string[]): Json {
  if (declared?.list) return given
  const [value = '', ...others] = given
  if (others.length > 0) throw new SessError('bad-usage', `'${name}' has several values`)
  if (!declared || declared.value) return value
  if (value === 'true' || value === '') return true
  if (value === 'false') return false
  throw new SessError('bad-usage', `'${name}' is true or false`)
}
