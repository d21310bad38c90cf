import type { Json } from '../../model/json.ts'
import type { RecordEncoder } from '../../model/recordencoder.ts'
import type { Spelling } from '../../model/spelling/jsonspelling.ts'
import { parseJson, tryParse } from '../../model/value.ts'
import type { Warning } from './splitter.ts'

/** A range of a line: a value with its text, or bytes that are no value. Blank bytes separate ranges. */
export interface JsonPart {
  readonly from: number
  readonly to: number
  readonly value: Json | undefined
  readonly text: string | undefined
  /** How that text spells the value, where that is known. */
  readonly spelling: Spelling | undefined
  /** Whether it is on a line that agents would skip. */
  readonly salvaged: boolean
  readonly warning: Warning | undefined
}

/** A value with containers nested deeper than this is kept as bytes: even looking for its end takes too long. */
export const MAX_SCANNED_DEPTH = 100_000
const BAD_UTF8: Warning = { code: 'invalid-utf8', message: 'it holds bytes that are no UTF-8' }

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const textEncoder = new TextEncoder()

/** The byte that opens an object. */
export const OPEN = 0x7b
export const QUOTE = 0x22
const LIST = 0x5b
const CLOSE = 0x7d
const END_OF_LIST = 0x5d

/** Returns the object or array that the bytes spell and nothing else. */
export function valueOf(line: Uint8Array, from: number, to: number, salvaged: boolean): JsonPart | undefined {
  const first = line[from]
  if (first !== OPEN && first !== LIST) return undefined
  const bytes = line.subarray(from, to)
  const text = utf8.decode(bytes)
  const parsed = parseJson(text, true, bytes)
  if (parsed === undefined) return undefined
  const { value, spelling } = parsed
  const isWhole = spelling === '' || !text.includes('\ufffd') || sameBytes(textEncoder.encode(text), bytes)
  return { from, to, value, text, spelling, salvaged, warning: isWhole ? undefined : BAD_UTF8 }
}

/**
 * Returns the object or array in a range of bytes, encoded by an encoder; undefined if the range holds anything else,
 * or a value that JavaScript would change.
 */
export function encodedPart(
  line: Buffer,
  from: number,
  to: number,
  encoder: RecordEncoder,
): JsonPart | undefined {
  const [first, last] = [line[from], line[to - 1]]
  if (!(first === OPEN && last === CLOSE) && !(first === LIST && last === END_OF_LIST)) return undefined
  const text = line.toString('utf8', from, to)
  const value = tryParse(text)
  if (value === undefined) return undefined
  const match = encoder.match(value, line, from, to)
  if (match === undefined) return undefined
  const spelling = match === 'compact' ? '' : undefined
  return { from, to, value, text, spelling, salvaged: false, warning: undefined }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

const NONE = -1
/** Returned instead of a position where too many brackets are open. */
export const TOO_DEEP_AT = -2

/**
 * Returns where the value that begins at a bracket ends, `NONE` where it does not end, `TOO_DEEP_AT` where it is nested too
 * deep.
 */
export function endOfValue(line: Uint8Array, from: number, to: number): number {
  let depth = 0
  for (let at = from; at < to; at++) {
    const byte = line[at]
    if (byte === QUOTE) {
      for (at++; at < to && line[at] !== QUOTE; at++) if (line[at] === 0x5c) at++
    } else if (byte === OPEN || byte === LIST) {
      if (++depth > MAX_SCANNED_DEPTH) return TOO_DEEP_AT
    } else if (byte === 0x7d || byte === 0x5d) {
      if (--depth <= 0) return depth === 0 ? at + 1 : NONE
    } else if (depth === 0) return NONE
  }
  return NONE
}

const isBlank = (byte: number | undefined): boolean =>
  byte === 0x20 || byte === 0x0d || byte === 0x09 || byte === 0x0a || byte === 0

/** Returns the first place from `at` on that is no white space, NUL or byte order mark. */
export function skipBlank(line: Uint8Array, at: number): number {
  for (;;) {
    if (isBlank(line[at])) at++
    else if (line[at] === 0xef && line[at + 1] === 0xbb && line[at + 2] === 0xbf) at += 3
    else return at
  }
}

/** Returns the position after the last byte that is not white space or NUL, not before `from`. */
export function trimBlank(line: Uint8Array, from: number): number {
  let end = line.length
  while (end > from && isBlank(line[end - 1])) end--
  return end
}

/** The range of a child of an object or list. */
export interface JsonChild {
  readonly key?: string
  readonly from: number
  readonly to: number
}

/** A key twice counts by its last value, as `JSON.parse` has it. */
export const lastOf = (places: readonly JsonChild[], key: string): JsonChild =>
  places.findLast((place) => place.key === key) as JsonChild

/** Returns the ranges of the children of an object or array in valid JSON. */
export function childrenOf(bytes: Uint8Array, open: number): JsonChild[] {
  const places: JsonChild[] = []
  const isList = bytes[open] === 0x5b
  let at = skipBlank(bytes, open + 1)
  while (bytes[at] !== 0x5d && bytes[at] !== 0x7d) {
    let key: string | undefined
    if (!isList) {
      const end = endOfScalar(bytes, at)
      key = JSON.parse(utf8.decode(bytes.subarray(at, end))) as string
      at = skipBlank(bytes, skipBlank(bytes, end) + 1)
    }
    const closed = endOfValue(bytes, at, bytes.length)
    const to = closed > at ? closed : endOfScalar(bytes, at)
    places.push(key === undefined ? { from: at, to } : { key, from: at, to })
    at = skipBlank(bytes, to)
    if (bytes[at] === 0x2c) at = skipBlank(bytes, at + 1)
  }
  return places
}

/** Returns where a string, number or word ends. */
export function endOfScalar(bytes: Uint8Array, from: number): number {
  let at = from + 1
  if (bytes[from] === 0x22) {
    for (; at < bytes.length && bytes[at] !== 0x22; at++) if (bytes[at] === 0x5c) at++
    return at + 1
  }
  while (!ENDS.has(bytes[at] as number) && at < bytes.length) at++
  return at
}

/** The bytes that end a number or word: white space, a comma, a closing bracket. */
const ENDS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, 0x5d, 0x7d])
