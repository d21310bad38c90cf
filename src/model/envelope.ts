import { encode } from './encoding/canonical.ts'
import { isObject, type Json, type JsonObject } from './json.ts'

/**
 * A record without its body: a shape, and the values that the body lacks. The shape is JSON: 0 is the value that the
 * body has at that place, 1 the next of the values, an object or a list a container with parts of both. If the body is
 * nested inside the value, the shape is `@` and JSON of `[path, shape]`.
 */
export interface Envelope {
  readonly shape: string
  readonly values: readonly Json[]
}

type EnvelopeShape = 0 | 1 | readonly EnvelopeShape[] | { readonly [key: string]: EnvelopeShape }

/**
 * Takes a body out of the value that it was selected from. Whatever is not found equal at the same place of
 * the body stays in the envelope, so that `fill` returns the value for every pair of value and body.
 */
export function subtract(value: Json, body: Json | undefined, at: readonly string[] = []): Envelope {
  const values: Json[] = []
  const shape = walk(value, nested(body, at), values)
  return { shape: at.length === 0 ? JSON.stringify(shape) : `@${JSON.stringify([at, shape])}`, values }
}

const nested = (body: Json | undefined, at: readonly string[]): Json | undefined =>
  body === undefined ? undefined : at.reduceRight<Json>((inner, key) => ({ [key]: inner }), body)

function walk(value: Json, body: Json | undefined, values: Json[]): EnvelopeShape {
  if (body !== undefined && value === body) return 0
  if (isObject(value) && isObject(body)) {
    const shape: Record<string, EnvelopeShape> = {}
    for (const [key, child] of Object.entries(value))
      shape[key] = walk(child, Object.hasOwn(body, key) ? body[key] : undefined, values)
    return shape
  }
  if (Array.isArray(value) && Array.isArray(body) && value.length === body.length)
    return value.map((child: Json, i) => walk(child, body[i] as Json, values))
  values.push(value)
  return 1
}

/** A parsed shape. */
export interface ParsedEnvelope {
  /** The path of keys to the body. */
  readonly at: readonly string[]
  readonly shape: EnvelopeShape
  readonly plan: Plan
}

/** A key with its canonical bytes and its JSON text, a colon after it. */
interface PlannedKey {
  readonly key: string
  readonly canonical: Uint8Array
  readonly text: Uint8Array
}

/** A shape in a form that is fast to walk: an object as a list of keys and a list of plans. */
export type Plan =
  | 0
  | 1
  | readonly Plan[]
  | { readonly keys: readonly PlannedKey[]; readonly plans: readonly Plan[] }

function planOf(shape: EnvelopeShape): Plan {
  if (shape === 0 || shape === 1) return shape
  if (isList(shape)) return shape.map(planOf)
  return { keys: Object.keys(shape).map(planned), plans: Object.values(shape).map(planOf) }
}

const MOST_KEYS = 4096
const plannedKeys = new Map<string, PlannedKey>()

/** Returns a planned key, mostly from a cache. */
function planned(key: string): PlannedKey {
  const known = plannedKeys.get(key)
  if (known) return known
  if (plannedKeys.size >= MOST_KEYS) plannedKeys.clear()
  const next = { key, canonical: encode(key), text: Buffer.from(`${JSON.stringify(key)}:`) }
  plannedKeys.set(key, next)
  return next
}

const shapes = new Map<string, ParsedEnvelope>()

/** Returns the parsed shape, mostly from a cache. */
export function parsed(source: string): ParsedEnvelope {
  const known = shapes.get(source)
  if (known) return known
  const [at, shape] = source.startsWith('@')
    ? (JSON.parse(source.slice(1)) as [readonly string[], EnvelopeShape])
    : [[], JSON.parse(source) as EnvelopeShape]
  if (shapes.size >= 4096) shapes.clear()
  const next = { at, shape, plan: planOf(shape) }
  shapes.set(source, next)
  return next
}

/**
 * Puts a body back into its envelope: the inverse of `subtract`. Throws a RangeError where the two do not
 * match.
 */
export function fill({ shape, values }: Envelope, body: Json | undefined): Json {
  let next = 0
  const build = (plan: Plan, part: Json | undefined): Json => {
    if (plan === 0) {
      if (part === undefined) throw new RangeError('the body lacks a part that its record names')
      return part
    }
    if (plan === 1) {
      if (next >= values.length) throw new RangeError('the record has fewer values than its shape')
      return values[next++] as Json
    }
    if (isPlans(plan))
      return plan.map((child, i) => build(child, Array.isArray(part) ? (part[i] as Json) : undefined))
    const { keys, plans } = plan
    const from = isObject(part) ? part : NOTHING
    const object: Record<string, Json> = {}
    for (let i = 0; i < keys.length; i++) {
      const { key } = keys[i] as PlannedKey
      object[key] = build(plans[i] as Plan, from[key])
    }
    return object
  }
  const { at, plan } = parsed(shape)
  return build(plan, at.length === 0 ? body : nested(body, at))
}

const NOTHING: JsonObject = {}

export const isPlans = (plan: Plan): plan is readonly Plan[] => Array.isArray(plan)

const isList = (shape: EnvelopeShape): shape is readonly EnvelopeShape[] => Array.isArray(shape)

/**
 * Returns an envelope with each value replaced by `change`, which also gets the name of its field, and with field names
 * replaced by `rename`. The body must be renamed likewise.
 */
export function envelopeWith<V>(
  { shape: source, values }: { readonly shape: string; readonly values: readonly V[] },
  change: (value: V, key: string) => V,
  rename: (name: string) => string = (name) => name,
): { readonly shape: string; readonly values: readonly V[] } {
  const { at, shape } = parsed(source)
  const next: V[] = []
  const build = (part: EnvelopeShape, key: string): EnvelopeShape => {
    if (part === 0) return 0
    if (part === 1) {
      next.push(change(values[next.length] as V, key))
      return 1
    }
    if (isList(part)) return part.map((child) => build(child, key))
    return Object.fromEntries(Object.entries(part).map(([name, child]) => [rename(name), build(child, name)]))
  }
  const built = build(shape, '')
  const same = next.every((value, i) => value === values[i])
  const text = at.length === 0 ? JSON.stringify(built) : `@${JSON.stringify([at.map(rename), built])}`
  return { shape: text, values: same ? values : next }
}
