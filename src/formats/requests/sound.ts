import { isObject, type Json, type JsonObject, MAX_DEPTH, Verbatim } from '../../model/json.ts'

/** Gives a text without half surrogate pairs, which APIs refuse. */
export const soundText = (text: string): string => text.toWellFormed()

/** Gives the arguments of a call as an object of plain JSON: other values under the name `input`, null as none. */
export function soundInput(input: Json): JsonObject {
  const value = sound(input)
  if (isObject(value)) return value
  return value === null ? {} : { input: value }
}

/** Gives a value as every JSON parser takes it; what is nested too deep stays text. */
function sound(value: Json): Json {
  if (typeof value === 'string') return soundText(value)
  // JSON has no number that no double holds
  if (typeof value === 'number') return Number.isFinite(value) ? value : `${value}`
  if (value instanceof Verbatim) return opened(value)
  if (Array.isArray(value)) return value.map(sound)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [soundText(key), sound(part)]))
}

function opened({ text }: Verbatim): Json {
  return isDeep(text) ? soundText(text) : sound(JSON.parse(text) as Json)
}

/** Tells whether brackets open deeper than values may be nested, those in strings counted too. */
function isDeep(text: string): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const ch = text[at]
    if (ch === '[' || ch === '{') depth++
    else if (ch === ']' || ch === '}') depth--
    if (depth > MAX_DEPTH) return true
  }
  return false
}
