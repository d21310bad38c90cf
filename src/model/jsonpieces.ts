import { Verbatim } from './encoding/verbatim.ts'
import { type Json, jsonText } from './json.ts'

/** A value of about this many characters or fewer is one piece. */
const MAX_PIECE = 1 << 16

/**
 * Yields the JSON text of a value in pieces: a text of more than 512 MB cannot be one string. The pieces are tokens or
 * whole values, but for long strings, which are cut.
 */
export function* jsonPieces(value: Json): Generator<string> {
  if (roomAfter(value, MAX_PIECE) >= 0) yield jsonText(value)
  else if (typeof value === 'string') yield* stringPieces(value)
  else if (typeof value !== 'object' || value === null || value instanceof Verbatim) yield jsonText(value)
  else if (Array.isArray(value)) yield* listPieces(value as readonly Json[])
  else yield* objectPieces(Object.entries(value))
}

/** A list, or an object, that is not one piece is not empty. */
function* listPieces(items: readonly Json[]): Generator<string> {
  let before = '['
  for (const item of items) {
    yield before
    yield* jsonPieces(item)
    before = ','
  }
  yield ']'
}

/** As `JSON.stringify`, leaves out what is undefined. */
function* objectPieces(entries: readonly (readonly [string, Json | undefined])[]): Generator<string> {
  let before = '{'
  for (const [key, item] of entries) {
    if (item === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    yield* jsonPieces(item)
    before = ','
  }
  yield '}'
}

function* stringPieces(text: string): Generator<string> {
  yield '"'
  yield* escapedPieces(text)
  yield '"'
}

/** Yields the JSON of a text without its quotes. Cuts no surrogate pair: its halves would be escaped. */
export function* escapedPieces(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const end = from + MAX_PIECE
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
    yield JSON.stringify(text.slice(from, to)).slice(1, -1)
    from = to
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** Returns about how much of a number of characters a value leaves; a negative number as soon as it takes more. */
function roomAfter(value: Json | undefined, room: number): number {
  if (typeof value === 'string') return room - value.length
  if (value instanceof Verbatim) return room - value.text.length
  let left = room - 1
  if (typeof value !== 'object' || value === null) return left
  // Of a list the keys are its indexes, which count too.
  for (const key in value) {
    left = roomAfter((value as Readonly<Record<string, Json>>)[key], left - key.length)
    if (left < 0) break
  }
  return left
}
