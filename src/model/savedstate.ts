import { Verbatim } from './encoding/verbatim.ts'

type Fields = Record<string, unknown>

/** The state of an object. */
export interface SavedState {
  /** Its fields as plain data: primitives, lists, maps, sets, typed arrays and objects without a class. */
  readonly fields: Readonly<Fields>
  /** Whether maps stand for objects of classes in them. */
  readonly hasVerbatim: boolean
}

/**
 * Returns the state of an object: its own fields, and those of the objects of classes in them. What its constructor got,
 * what holds until the line ends, and what is only remembered for speed, stays in private names (`#`), which are no fields. Shares data with the object:
 * it is to be encoded before the object goes on.
 */
export function saveState(object: object): SavedState {
  let hasVerbatim = false
  const replace = (value: unknown): unknown => {
    if (value instanceof Verbatim) {
      hasVerbatim = true
      return new Map([[TEXT, value.text]])
    }
    if (typeof value === 'function' || isStateful(value)) throw new RangeError('a state holds data alone')
    return mapped(value, replace)
  }
  const save = (of: object): Fields =>
    Object.fromEntries(
      Object.entries(of).map(([name, value]) => [name, isStateful(value) ? save(value) : replace(value)]),
    )
  const fields = save(object)
  return { fields, hasVerbatim }
}

/**
 * Puts a saved state into an object that was made like the one it is of. Returns false, and changes nothing, where the
 * object has other fields: the state is of another version of the program.
 */
export function restoreState(object: object, { fields, hasVerbatim }: SavedState): boolean {
  if (!fits(object, fields)) return false
  restoreFields(object as Fields, fields, hasVerbatim ? revived : (value) => value)
  return true
}

function fits(object: object, state: unknown): boolean {
  if (typeof state !== 'object' || state === null) return false
  const names = Object.keys(object)
  return (
    names.length === Object.keys(state).length &&
    names.every((name) => {
      if (!Object.hasOwn(state, name)) return false
      const field = (object as Fields)[name]
      return !isStateful(field) || fits(field, (state as Fields)[name])
    })
  )
}

function restoreFields(object: Fields, state: Readonly<Fields>, revive: (value: unknown) => unknown): void {
  for (const [name, field] of Object.entries(object))
    if (isStateful(field)) restoreFields(field as Fields, state[name] as Fields, revive)
    else object[name] = revive(state[name])
}

/** Returns whether a value is an object of a class that has a state of its own. */
function isStateful(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || isData(value)) return false
  return !(value instanceof Verbatim)
}

const isData = (value: object): boolean =>
  Array.isArray(value) ||
  value instanceof Map ||
  value instanceof Set ||
  ArrayBuffer.isView(value) ||
  Object.getPrototypeOf(value) === Object.prototype

/** The key of the text in the map that stands for a `Verbatim`, which would lose its class. No other map has it. */
const TEXT = null

const revived = (value: unknown): unknown =>
  value instanceof Map && value.has(TEXT) ? new Verbatim(value.get(TEXT) as string) : mapped(value, revived)

/** Returns data with each part replaced; the data itself, so that what is shared stays shared, where no part changes. */
function mapped(value: unknown, replace: (part: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || value instanceof Set)
    return value
  if (value instanceof Map) {
    const changed = changedParts(value, replace)
    return changed.length === 0 ? value : new Map([...value, ...changed])
  }
  const changed = changedParts(Object.entries(value), replace)
  if (changed.length === 0) return value
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...value }
  return Object.assign(copy, Object.fromEntries(changed))
}

function changedParts<K>(
  parts: Iterable<readonly [K, unknown]>,
  replace: (part: unknown) => unknown,
): (readonly [K, unknown])[] {
  const changed: (readonly [K, unknown])[] = []
  for (const [key, part] of parts) {
    if (typeof part !== 'object' || part === null) continue
    const now = replace(part)
    if (now !== part) changed.push([key, now])
  }
  return changed
}
