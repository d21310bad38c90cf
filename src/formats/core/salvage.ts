import { parseJson } from '../../model/value.ts'
import {
  endOfValue,
  type JsonPart,
  MAX_SCANNED_DEPTH,
  OPEN,
  QUOTE,
  skipBlank,
  TOO_DEEP_AT,
  trimBlank,
  valueOf,
} from './jsonscan.ts'
import type { Warning } from './splitter.ts'

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })
const LIST = 0x5b

/** Returns whether an object with a key, or the start of one, begins at a position. */
export const beginsObject = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === OPEN && bytes[skipBlank(bytes, at + 1)] === QUOTE

/** Tracks the brackets of one value across chunks. */
export class Brackets {
  #depth = 0
  #quoted = false
  #escaped = false

  copy(): Brackets {
    const copy = new Brackets()
    copy.#depth = this.#depth
    copy.#quoted = this.#quoted
    copy.#escaped = this.#escaped
    return copy
  }

  /** Reads the bytes between two positions and returns the end of the value; undefined if it does not end there. */
  end(bytes: Uint8Array, from: number, to: number): number | undefined {
    for (let at = from; at < to; at++) {
      const byte = bytes[at]
      if (this.#escaped) this.#escaped = false
      else if (this.#quoted) {
        if (byte === QUOTE) this.#quoted = false
        else this.#escaped = byte === 0x5c
      } else if (byte === QUOTE) this.#quoted = true
      else if (byte === OPEN || byte === LIST) this.#depth++
      else if (byte === 0x7d || byte === 0x5d) if (--this.#depth <= 0) return at + 1
    }
    return undefined
  }
}

/**
 * Returns an object whose strings hold raw control characters, newlines among them, read as if they were escaped. Its
 * text is kept.
 */
export function repairedValue(bytes: Uint8Array, from: number, to: number): JsonPart | undefined {
  const text = utf8.decode(bytes.subarray(from, to))
  const repaired = escaped(text)
  const value = repaired === text && !text.includes('\n') ? undefined : parseJson(repaired, true)?.value
  if (value === undefined) return undefined
  const lines = text.split('\n').length
  const warning = lines > 1 ? joined(lines) : RAW
  return { from, to, value, text, spelling: undefined, salvaged: true, warning }
}

const RAW: Warning = {
  code: 'raw-control',
  message: 'its strings hold raw control characters: it is read as if they were escaped',
}

const joined = (lines: number): Warning => ({
  code: 'broken-line',
  message: `newlines break it into ${lines} lines, which are read as one record`,
})

/**
 * Returns a text with the control characters inside its strings escaped. No pattern does it: an alternative for each
 * character of a long string exhausts the engine's stack.
 */
function escaped(text: string): string {
  let result = ''
  let copied = 0
  let isInside = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) isInside = !isInside
    else if (code === BACKSLASH && isInside && !isControl(text.charCodeAt(at + 1))) at++
    else if (isInside && isControl(code)) {
      result += text.slice(copied, at) + unicode(text.charAt(at))
      copied = at + 1
    }
  }
  return result + text.slice(copied)
}

const BACKSLASH = 0x5c

const isControl = (code: number): boolean => code < 0x20 || (code >= 0x7f && code < 0xa0)

/** DEL and the C1 characters are control characters too; JSON allows them, and escaped they mean the same. */
const unicode = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Returns whether a line begins a record of its own and continues none. */
export const beginsRecord = (bytes: Uint8Array, lineStart: number): boolean =>
  bytes[lineStart] === OPEN && bytes[lineStart + 1] === QUOTE

/** Only longer lines may be nested too deep, which is checked before they are parsed. */
const LONG = 64 * 1024
/**
 * The effort for one damaged line: the positions that are tried as the start of a value, and the passes over its length.
 */
const TRIES = 64
const PASSES = 4

const BAD_JSON: Warning = { code: 'bad-json', message: 'no JSON object or array' }
const TOO_DEEP: Warning = { code: 'too-deep', message: `nested deeper than ${MAX_SCANNED_DEPTH} levels` }

/**
 * Returns the parts of a line (its bytes without the newline) in order: values, including concatenated ones, and
 * unparseable bytes. Of a line that has not ended, only the complete values at its start, because later bytes leave
 * those unchanged; so the first value counts as salvaged only if a NUL byte precedes it.
 */
export function partsOfLine(line: Uint8Array, ended: boolean): JsonPart[] {
  const first = skipBlank(line, 0)
  const last = trimBlank(line, first)
  if (first === last) return []
  let salvaged = line.subarray(0, first).includes(0)
  const whole = last - first > LONG ? undefined : valueOf(line, first, last, salvaged)
  if (whole) return [whole]
  const parts: JsonPart[] = []
  let at = first
  let effort: SearchBudget | undefined
  while (at < last) {
    const end = endOfValue(line, at, last)
    let part = end > at ? (valueOf(line, at, end, salvaged) ?? repairedValue(line, at, end)) : undefined
    if (!part) {
      if (!ended) return parts
      if (end === TOO_DEEP_AT && !effort) return [...parts, rawPart(at, last, TOO_DEEP)]
      effort ??= { tries: TRIES, bytes: (PASSES + 1) * (last - at) }
      if (OPENS.has(line[at] as number)) spend(effort, (end > at ? end : last) - at)
      part = valueAfterGarbage(line, at, last, effort)
      const garbageEnd = part ? trimBlank(line.subarray(0, part.from), at) : last
      parts.push(rawPart(at, garbageEnd, BAD_JSON))
    }
    if (part) parts.push(part)
    salvaged = true
    at = part ? skipBlank(line, part.to) : last
  }
  return parts
}

function rawPart(from: number, to: number, warning: Warning): JsonPart {
  return { from, to, value: undefined, text: undefined, spelling: undefined, salvaged: false, warning }
}

/** The remaining budget of a line for the search for values after garbage. */
interface SearchBudget {
  tries: number
  bytes: number
}

function spend(effort: SearchBudget, bytes: number): void {
  effort.tries--
  effort.bytes -= bytes
}

/**
 * Searches the bytes after garbage for an object of its own: one that follows `:`, `,` or `[`, or that a comma or
 * closing bracket follows, is part of a torn record.
 */
function valueAfterGarbage(
  line: Uint8Array,
  from: number,
  to: number,
  effort: SearchBudget,
): JsonPart | undefined {
  for (let at = line.indexOf(OPEN, from + 1); at >= 0 && at + 1 < to; at = line.indexOf(OPEN, at + 1)) {
    if (line[at + 1] !== QUOTE || INSIDE_BEFORE.has(byteBefore(line, from, at))) continue
    if (effort.tries <= 0 || effort.bytes < 0) return undefined
    const end = endOfValue(line, at, to)
    const isInside = end < 0 || INSIDE_AFTER.has(line[skipBlank(line, end)] ?? 0)
    const part = isInside ? undefined : valueOf(line, at, end, true)
    if (part) return part
    spend(effort, (end > 0 ? end : to) - at)
  }
  return undefined
}

const OPENS: ReadonlySet<number> = new Set([OPEN, 0x5b])
const INSIDE_BEFORE: ReadonlySet<number> = new Set([0x3a, 0x2c, 0x5b])
const INSIDE_AFTER: ReadonlySet<number> = new Set([0x3a, 0x2c, 0x5d, 0x7d])

/** Returns the last byte of the garbage before a position; 0 if that is only a comma, which may separate records. */
function byteBefore(line: Uint8Array, from: number, at: number): number {
  const end = trimBlank(line.subarray(0, at), from)
  const byte = line[end - 1] as number
  return end <= from || (byte === 0x2c && end === from + 1) ? 0 : byte
}
