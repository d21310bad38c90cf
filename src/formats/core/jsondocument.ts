import { joined } from '../../model/bytes.ts'
import { field, isObject, type Json, type JsonObject } from '../../model/json.ts'
import { tryParse } from '../../model/value.ts'
import {
  childrenOf,
  endOfScalar,
  endOfValue,
  type JsonChild,
  type JsonPart,
  lastOf,
  MAX_SCANNED_DEPTH,
  skipBlank,
  TOO_DEEP_AT,
  trimBlank,
  valueOf,
} from './jsonscan.ts'
import { newlines, rawUnits, type Splitter, type Unit, type Warning } from './splitter.ts'

const [LIST, OBJECT, COMMA, COLON, QUOTE] = [0x5b, 0x7b, 0x2c, 0x3a, 0x22]

/** The complete elements of a truncated document's list, and the fields before the list. */
export interface TruncatedDocument {
  readonly parts: readonly JsonPart[]
  readonly enclosing?: JsonObject
}

/**
 * Returns the complete elements of the first of these lists that a truncated document has; '' names a document that
 * is itself a list. Undefined if none has a complete element.
 */
function truncatedParts(bytes: Uint8Array, lists: readonly string[]): TruncatedDocument | undefined {
  for (const list of lists) {
    const open = startOf(bytes, list)
    const parts = open === undefined ? [] : completeElements(bytes, open)
    if (open === undefined || parts.length === 0) continue
    const enclosing = tryParse(`${utf8.decode(bytes.subarray(skipBlank(bytes, 0), open + 1))}]}`)
    return { parts, ...(isObject(enclosing) && { enclosing }) }
  }
  return undefined
}

function completeElements(bytes: Uint8Array, open: number): JsonPart[] {
  const parts: JsonPart[] = []
  for (let at = skipBlank(bytes, open + 1); at < bytes.length; ) {
    const end = endOfValue(bytes, at, bytes.length)
    const part = end > at ? valueOf(bytes, at, end, true) : undefined
    if (!part) break
    parts.push(part)
    at = skipBlank(bytes, end)
    if (bytes[at] === COMMA) at = skipBlank(bytes, at + 1)
  }
  return parts
}

/** Returns the position of the list's bracket: at the beginning, or as the value of a key of the outermost object. */
function startOf(bytes: Uint8Array, list: string): number | undefined {
  let at = skipBlank(bytes, 0)
  if (list === '') return bytes[at] === LIST ? at : undefined
  if (bytes[at] !== OBJECT) return undefined
  at = skipBlank(bytes, at + 1)
  while (bytes[at] === QUOTE) {
    const end = endOfScalar(bytes, at)
    const key = tryParse(utf8.decode(bytes.subarray(at, end)))
    const colon = skipBlank(bytes, end)
    if (bytes[colon] !== COLON) return undefined
    at = skipBlank(bytes, colon + 1)
    if (key === list) return bytes[at] === LIST ? at : undefined
    const closed = endOfValue(bytes, at, bytes.length)
    at = skipBlank(bytes, closed > at ? closed : endOfScalar(bytes, at))
    if (bytes[at] === COMMA) at = skipBlank(bytes, at + 1)
  }
  return undefined
}

/** A larger document is not parsed. */
const LIMIT = 32 * 1024 * 1024
/** How many levels of objects are searched for the main list. */
const LEVELS = 3
/** Names of lists of messages; such a list is preferred to longer ones of other names. */
const NAMES: ReadonlySet<string> = new Set([
  'messages',
  'history',
  'conversation',
  'turns',
  'items',
  'events',
])

const OVERSIZE: Warning = {
  code: 'oversize',
  message: `a document of more than ${LIMIT} bytes is kept without being read`,
}
const BAD_JSON: Warning = { code: 'bad-json', message: 'no JSON document' }
const TOO_DEEP: Warning = { code: 'too-deep', message: `nested deeper than ${MAX_SCANNED_DEPTH} levels` }

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Splits a JSON document: each element of its main list is a unit, the bytes between elements are the lead of the
 * next one, and those after the last are the tail. A document without such a list is one unit. Bytes that are no JSON
 * are units without values. If the main list is known, by its key or by '' for the document itself, the complete
 * elements of a truncated document are salvaged; `lists` has its possible names.
 */
export function jsonDocument(
  list?: string,
  lists: readonly string[] = list === undefined ? [] : [list],
): Splitter {
  const chunks: Uint8Array[] = []
  let length = 0
  let opaque: Splitter | undefined
  return {
    push(bytes) {
      if (opaque) return opaque.push(bytes)
      // A copy, because the caller may fill the same buffer again. The `slice` of a Buffer would be none.
      chunks.push(new Uint8Array(bytes))
      length += bytes.length
      if (length <= LIMIT) return []
      opaque = rawUnits()
      const units: Unit[] = []
      for (const chunk of chunks.splice(0)) units.push(...opaque.push(chunk))
      return warned(units, OVERSIZE)
    },
    end() {
      if (opaque) return opaque.end()
      const bytes = joined(chunks)
      if (skipBlank(bytes, 0) >= length) return { units: [], tail: length > 0 ? [bytes] : [] }
      const parts = partsOfDocument(bytes, list)
      if (!('code' in parts)) return unitsOf(bytes, parts)
      const torn = parts === BAD_JSON ? truncatedParts(bytes, lists) : undefined
      if (torn) return { ...unitsOf(bytes, torn), torn: true }
      return { units: opaqueUnits(bytes, parts), tail: [] }
    },
  }
}

const warned = (units: readonly Unit[], warning: Warning): Unit[] =>
  units.map((unit, i) => (i === 0 ? { ...unit, warning } : unit))

function opaqueUnits(bytes: Uint8Array, warning: Warning): Unit[] {
  const splitter = rawUnits()
  const units = splitter.push(bytes)
  let line = 1
  for (const unit of units) line += newlines(unit.bytes)
  const rest = splitter.end().tail.map((tail): Unit => ({ line, bytes: tail, lead: 0, salvaged: false }))
  return warned([...units, ...rest], warning)
}

/** The elements of a list inside a value, and that value with the list emptied. */
interface Elements {
  readonly parts: readonly JsonPart[]
  readonly enclosing?: JsonObject
}

/** Returns elements as units, the bytes between them as leads; the bytes after the last are the tail. */
export function unitsOf(
  bytes: Uint8Array,
  { parts, enclosing }: Elements,
  start = 1,
): { units: Unit[]; tail: Uint8Array[] } {
  let at = 0
  let line = start
  const units = parts.map(({ from, to, ...rest }, i): Unit => {
    line += newlines(bytes.subarray(at, from))
    const within = i === 0 && enclosing ? { enclosing } : {}
    const unit = { line, bytes: bytes.subarray(at, to), lead: from - at, ...rest, ...within }
    line += newlines(bytes.subarray(from, to))
    at = to
    return unit
  })
  return { units, tail: at < bytes.length ? [bytes.subarray(at)] : [] }
}

/**
 * Returns the elements of a document's main list, or the whole document if it has none, or the reason why it is not
 * read.
 */
function partsOfDocument(bytes: Uint8Array, key: string | undefined): Elements | Warning {
  const from = skipBlank(bytes, 0)
  const to = trimBlank(bytes, from)
  const root = tryParse(utf8.decode(bytes.subarray(from, to)))
  if (typeof root !== 'object' || root === null) return BAD_JSON
  if (endOfValue(bytes, from, to) === TOO_DEEP_AT) return TOO_DEEP
  const path = key === undefined ? mainList(root) : pathTo(root, key)
  if (path) return elementsOf(bytes, from, root, path) ?? BAD_JSON
  const whole = valueOf(bytes, from, to, false)
  return whole ? { parts: [whole] } : BAD_JSON
}

/**
 * Returns the elements of the list at a path in the value that starts at a position; undefined unless each parses.
 */
export function elementsOf(
  bytes: Uint8Array,
  from: number,
  value: Json,
  path: readonly string[],
): Elements | undefined {
  let list = { from }
  for (const key of path) list = lastOf(childrenOf(bytes, list.from), key)
  const parts = valuesAt(bytes, childrenOf(bytes, list.from))
  return parts && { parts, ...(isObject(value) && path.length > 0 && { enclosing: emptied(value, path) }) }
}

function emptied(value: JsonObject, [key = '', ...rest]: readonly string[]): JsonObject {
  const inner = value[key]
  return { ...value, [key]: isObject(inner) ? emptied(inner, rest) : [] }
}

function valuesAt(bytes: Uint8Array, places: readonly JsonChild[]): JsonPart[] | undefined {
  const parts: JsonPart[] = []
  for (const { from, to } of places) {
    const part = valueOf(bytes, from, to, false)
    if (!part) return undefined
    parts.push(part)
  }
  return parts
}

function pathTo(root: Json, key: string): readonly string[] | undefined {
  if (key === '') return Array.isArray(root) ? [] : undefined
  return Array.isArray(field(root, key)) ? [key] : undefined
}

/**
 * Returns the keys that lead to the list that holds the conversation, or undefined if no list of objects
 * is.
 */
function mainList(root: Json): readonly string[] | undefined {
  let best: { readonly path: readonly string[]; readonly rank: number } | undefined
  const visit = (value: Json, path: readonly string[]): void => {
    if (Array.isArray(value)) {
      if (value.length === 0 || !value.every(isObject)) return
      const rank = value.length + (NAMES.has(path.at(-1) ?? '') ? LIMIT : 0)
      if (!best || rank > best.rank) best = { path, rank }
    } else if (isObject(value) && path.length < LEVELS)
      for (const [key, child] of Object.entries(value)) visit(child, [...path, key])
  }
  visit(root, [])
  return best?.path
}
