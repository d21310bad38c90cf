import { layOut } from './encoding/canonical.ts'
import { scanJson } from './encoding/jsontext.ts'
import { MAX_PARSED_DEPTH } from './encoding/verbatim.ts'
import type { Json, JsonObject } from './json.ts'
import { layoutOf, type Spelling, spell } from './spelling/jsonspelling.ts'
import { matchText } from './spelling/matchbytes.ts'

/** A parsed text: its value, and the spelling with which `spell` returns the text, if known. */
export interface ParsedJson {
  readonly value: Json
  readonly spelling: Spelling | undefined
}

/**
 * Returns the value of a text that is one JSON value and nothing else, or undefined where it is none. A text
 * that JavaScript parses and writes back unchanged, or laid out as it is, takes the fast path; every other is
 * scanned exactly. Both paths return the same value wherever both apply. Where the UTF-8 of a text is at hand, a compact
 * text takes the fast path only if its value's canonical bytes spell the same UTF-8, so that the encoding of the value is
 * proved along with its spelling.
 */
export function parseJson(text: string, lenientRoot = false, utf8?: Uint8Array): ParsedJson | undefined {
  const value = tryParse(text)
  if (value === undefined) return undefined
  if (isOrdinary(value, 1) && !text.includes(LONE_ESCAPE)) {
    const spelling = layoutOf(value, text)
    const isSpelled =
      spelling === '' && utf8 ? matchText(layOut(value), utf8) === 'compact' : spell(value, spelling) === text
    if (isSpelled) return { value, spelling }
  }
  const scan = scanJson(text, 0, lenientRoot)
  return scan.ok ? { value: scan.value, spelling: undefined } : undefined
}

/**
 * How `JSON.stringify` begins half a surrogate pair: a text that comes back unchanged spells it in no other
 * way.
 */
const LONE_ESCAPE = '\\ud'

/** Returns the result of `JSON.parse`, or undefined if the text is not JSON. */
export function tryParse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Returns whether a value from `JSON.parse` is not nested too deep and has no key `__proto__`. */
function isOrdinary(value: Json, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (depth > MAX_PARSED_DEPTH) return false
  if (Array.isArray(value)) {
    for (const child of value) if (!isOrdinary(child as Json, depth + 1)) return false
    return true
  }
  for (const key in value) {
    if (key === '__proto__') return false
    const child = (value as JsonObject)[key] as Json
    if (typeof child === 'object' && child !== null && !isOrdinary(child, depth + 1)) return false
  }
  return true
}

/**
 * Returns a JavaScript value as JSON, as `JSON.stringify` would write it. Returns undefined if it writes nothing (a
 * function, undefined); throws a TypeError on cycles and bigints, as `JSON.stringify` does.
 */
export function fromValue(value: unknown): Json | undefined {
  const copy = copied(value, 1)
  if (copy !== undefined) return copy
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? undefined : parseJson(text)?.value
}

/**
 * Returns a copy of a value for which the result of `JSON.stringify` is plain, as for most: several times cheaper than
 * its text. Undefined for any other.
 */
function copied(value: unknown, depth: number): Json | undefined {
  switch (typeof value) {
    case 'string':
      return value.isWellFormed() ? value : undefined
    case 'number':
      // Adding 0 makes -0 the 0 that its text is.
      return Number.isFinite(value) ? value + 0 : undefined
    case 'boolean':
      return value
    case 'object':
      if (value === null) return null
      if (depth > MAX_PARSED_DEPTH || 'toJSON' in value) return undefined
      return Array.isArray(value) ? copiedList(value, depth) : copiedObject(value, depth)
    default:
      return undefined
  }
}

function copiedList(list: readonly unknown[], depth: number): Json | undefined {
  const copy: Json[] = []
  for (const item of list) {
    const child = copied(item, depth + 1)
    if (child === undefined) return undefined
    copy.push(child)
  }
  return copy
}

function copiedObject(value: object, depth: number): Json | undefined {
  if (Object.getPrototypeOf(value) !== Object.prototype) return undefined
  const copy: Record<string, Json> = {}
  for (const key of Object.keys(value)) {
    const child = copied((value as Record<string, unknown>)[key], depth + 1)
    if (child === undefined || key === '__proto__' || !key.isWellFormed()) return undefined
    copy[key] = child
  }
  return copy
}
