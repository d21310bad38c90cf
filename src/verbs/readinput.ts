import { SessError } from '../model/errors.ts'
import { isObject, type Json, type JsonObject, without } from '../model/json.ts'
import { type Input, type InputOf, type Inputs, usualValue } from './input.ts'
import { anything, boolean, described, mapOf, type Schema, string } from './schema.ts'
import type { Value, Where } from './values.ts'
import type { Terms, Verb } from './verb.ts'

/** The inputs that every verb that writes has: the terms on which it writes. */
const TERMS = {
  expected: described(
    'what the call was decided on: oids by revisions, values by names of refs, null for none',
    mapOf(anything),
  ),
  key: described('the same where a call is repeated: it is done once', string),
  dryRun: described('show what would change; write nothing', boolean),
}

/** The part of a verb that says how it is called. */
type Callable = Pick<Verb, 'name' | 'input' | 'effect' | 'operations'>

/** Returns the terms that a call of a verb may have. */
function termsOf({ effect, operations = 'one' }: Callable): Partial<typeof TERMS> {
  if (effect === 'read') return {}
  const { key, expected, dryRun } = TERMS
  if (operations === 'none') return { dryRun }
  return operations === 'several' ? { expected, dryRun } : { expected, key, dryRun }
}

/** Returns the JSON Schema of the input of a verb. */
export function inputSchema(verb: Callable): Schema {
  const { input } = verb
  const properties = Object.entries(input).map(([name, one]) => [name, schemaOf(one)] as const)
  const required = Object.entries(input).flatMap(([name, one]) => (one.required ? [name] : []))
  return {
    type: 'object',
    properties: { ...Object.fromEntries(properties), ...termsOf(verb) },
    required,
    additionalProperties: false,
  }
}

function schemaOf({ about, value, list, required, default: usual }: Input): JsonObject {
  const one: JsonObject = value?.schema ?? boolean
  return {
    description: about,
    ...(list ? { type: 'array', items: one, ...(required && { minItems: 1 }) } : one),
    ...(usual !== undefined && { default: usual as Json }),
  }
}

/** A call of a verb as it was read: its inputs, and the terms of a write. */
export interface Asked {
  readonly input: InputOf<Inputs>
  readonly terms: Terms
}

/** Returns what JSON asks of a verb, as its input schema describes it. Throws `bad-usage`. */
export function readInput(declared: Callable, asked: Json, where: Where): Asked {
  const { name: verb, input } = declared
  if (!isObject(asked)) throw new SessError('bad-usage', `the input of '${verb}' is an object`)
  const known = Object.keys(termsOf(declared))
  const given = without(asked, ...known)
  const terms = termsIn(Object.fromEntries(known.map((term) => [term, asked[term]])))
  for (const name of Object.keys(given))
    if (!Object.hasOwn(input, name))
      throw new SessError('bad-usage', `'${verb}' has no input '${name}'`, {
        typed: name,
        choices: Object.keys(input),
      })
  const read: { [name: string]: unknown } = {}
  for (const [name, one] of Object.entries(input)) {
    checkCompany(name, one, given)
    const value = valueIn(name, one, given[name], where)
    if (value !== undefined) read[name] = value
  }
  return { input: read, terms }
}

/** Throws `bad-usage` where an input lacks another one, or does not go with it. */
function checkCompany(name: string, { needs, excludes = [] }: Input, given: JsonObject): void {
  if (!isGiven(given[name])) return
  if (needs !== undefined && !isGiven(given[needs]))
    throw new SessError('bad-usage', `'${name}' needs '${needs}'`)
  const other = excludes.find((one) => isGiven(given[one]))
  if (other !== undefined) throw new SessError('bad-usage', `'${name}' and '${other}' exclude each other`)
}

const isGiven = (value: Json | undefined): boolean => value !== undefined && value !== null && value !== false

function valueIn(name: string, declared: Input, given: Json | undefined, where: Where): unknown {
  const { value, list, required } = declared
  if (given === undefined || given === null) {
    if (required) throw new SessError('bad-usage', `'${name}' is missing`)
    return usualValue(declared)
  }
  if (!value) {
    if (typeof given === 'boolean') return given
    throw new SessError('bad-usage', `'${name}' is true or false`)
  }
  if (!list) return meaningOf(name, value, given, where)
  if (!Array.isArray(given) || (required && given.length === 0))
    throw new SessError('bad-usage', `'${name}' is a list${required ? ' of one or more' : ''}`)
  return (given as readonly Json[]).map((one) => meaningOf(name, value, one, where))
}

function meaningOf(name: string, value: Value<unknown, string>, given: Json, where: Where): unknown {
  const { read, take, takes, choices = [], hint = '' } = value
  const isText = typeof given === 'string' || typeof given === 'number'
  const meaning = isText ? read(`${given}`, where) : take?.(given)
  if (meaning !== undefined) return meaning
  throw new SessError('bad-usage', `'${name}' takes ${takes}, not ${JSON.stringify(given)}`, {
    ...(isText && { typed: `${given}` }),
    choices,
    hint,
  })
}

function termsIn({
  expected,
  key,
  dryRun,
}: { readonly [name in keyof typeof TERMS]?: Json | undefined }): Terms {
  if (expected !== undefined && !isObject(expected))
    throw new SessError('bad-usage', "'expected' is an object of values by name")
  if (key !== undefined && typeof key !== 'string') throw new SessError('bad-usage', "'key' is a text")
  if (dryRun !== undefined && typeof dryRun !== 'boolean')
    throw new SessError('bad-usage', "'dryRun' is true or false")
  return { expected, key, dryRun }
}
