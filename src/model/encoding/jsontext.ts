import { type Json, jsonText } from '../json.ts'
import { decimalText, isExact } from './decimal.ts'
import { MAX_PARSED_DEPTH, Verbatim } from './verbatim.ts'

/** The result of a scan: a value and its end, or the reason why there is none. */
export type Scan =
  | { readonly ok: true; readonly value: Json; readonly end: number; readonly altered: boolean }
  | { readonly ok: false; readonly at: number; readonly why: string }

type ScanFrame =
  | { readonly array: true; readonly values: Json[] }
  | { readonly array: false; readonly values: Json[]; readonly keys: string[] }

/**
 * Stands for a container whose text is still being gathered in one that is too deep; never leaves this
 * module.
 */
const PENDING = new Verbatim('')

/** The end of a run of plain characters in a string; JSON forbids control characters there. */
// oxlint-disable-next-line no-control-regex
const SPECIAL = /["\\\0-\x1f]/g
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORDS: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
]

/**
 * Reads one JSON value at a place in a text, exactly: what JavaScript would change is kept verbatim, by rules
 * that look at the value alone. Without recursion, so nesting is bounded by memory. `altered` tells whether
 * any part was kept verbatim. A record itself is read as agents read it: with `lenientRoot` a key twice in
 * the outermost object counts by its last value, and integer-like keys of it may move.
 */
export function scanJson(text: string, from = 0, lenientRoot = false): Scan {
  const stack: ScanFrame[] = []
  let at = from
  let altered = false
  /** The text of what is nested too deep, in pieces, so that a million levels cost a million steps. */
  let deep: string[] = []
  const tooDeep = (): boolean => stack.length > MAX_PARSED_DEPTH
  const fail = (why: string): Scan => ({ ok: false, at, why })
  const space = (): void => {
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return
    }
  }
  const verbatim = (source: string): Verbatim => {
    altered = true
    return new Verbatim(source)
  }
  for (;;) {
    space()
    const ch = text[at]
    let value: Json
    if (ch === '{' || ch === '[') {
      at++
      stack.push(ch === '[' ? { array: true, values: [] } : { array: false, values: [], keys: [] })
      if (tooDeep()) deep.push(ch)
      space()
      if (text[at] !== (ch === '[' ? ']' : '}')) {
        if (ch === '[') continue
        const problem = readKey()
        if (problem) return fail(problem)
        continue
      }
      at++
      value = close()
    } else {
      const scalar = readScalar()
      if (scalar === undefined) return fail(at >= text.length ? 'it ends within a value' : 'no value')
      value = scalar
    }
    for (;;) {
      const frame = stack.at(-1)
      if (!frame) return { ok: true, value, end: at, altered }
      if (!tooDeep()) frame.values.push(value)
      else if (value !== PENDING) deep.push(jsonText(value))
      space()
      const next = text[at]
      if (next === ',') {
        at++
        if (tooDeep()) deep.push(',')
        if (!frame.array) {
          space()
          const problem = readKey()
          if (problem) return fail(problem)
        }
        break
      }
      if (next !== (frame.array ? ']' : '}'))
        return fail(next === undefined ? 'it ends within a value' : 'no comma or closing bracket')
      at++
      value = close()
    }
  }

  function readKey(): string | undefined {
    const key = readString()
    if (key === undefined) return 'no key'
    space()
    if (text[at] !== ':') return 'no colon'
    at++
    const frame = stack.at(-1)
    if (tooDeep()) deep.push(JSON.stringify(key), ':')
    else if (frame && !frame.array) frame.keys.push(key)
    return undefined
  }

  function readString(): string | undefined {
    if (text[at] !== '"') return undefined
    SPECIAL.lastIndex = at + 1
    const end = SPECIAL.test(text) ? SPECIAL.lastIndex - 1 : text.length
    if (text[end] === '\\') return readEscaped(end)
    if (text[end] !== '"') {
      if (end === text.length) at = end
      return undefined
    }
    const string = text.slice(at + 1, end)
    at = end + 1
    return string
  }

  /** Reads a string whose first backslash is known, by hand: a regular expression could exhaust its stack. */
  function readEscaped(slash: number): string | undefined {
    let end = slash
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end)
      if (code === 34) break
      if (code === 92) end++
    }
    if (end >= text.length) {
      at = text.length
      return undefined
    }
    try {
      const string = JSON.parse(text.slice(at, end + 1)) as string
      at = end + 1
      return string
    } catch {
      return undefined // a wrong escape or a control character: the caller reports the place
    }
  }

  function readScalar(): Json | undefined {
    if (text[at] === '"') {
      const string = readString()
      if (string === undefined) return undefined
      return string.isWellFormed() ? string : verbatim(JSON.stringify(string))
    }
    for (const [word, value] of WORDS) {
      if (text.startsWith(word, at)) {
        at += word.length
        return value
      }
    }
    NUMBER.lastIndex = at
    const literal = NUMBER.exec(text)?.[0]
    if (literal === undefined) return undefined
    at += literal.length
    return isExact(literal) ? Number(literal) : verbatim(decimalText(literal))
  }

  /** Ends the innermost container: returns its value, or `PENDING` while it is part of one that is too deep. */
  function close(): Json {
    const deepHere = tooDeep()
    const frame = stack.pop() as ScanFrame
    if (deepHere) {
      deep.push(frame.array ? ']' : '}')
      if (tooDeep()) return PENDING
      const source = deep.join('')
      deep = []
      return verbatim(source)
    }
    return frame.array
      ? frame.values
      : closeObject(frame.keys, frame.values, lenientRoot && stack.length === 0)
  }

  function closeObject(keys: readonly string[], values: readonly Json[], lenient: boolean): Json {
    const object: Record<string, Json> = {}
    let faithful = true
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string
      if (key === '__proto__' || !key.isWellFormed()) faithful = false
      else object[key] = values[i] as Json
    }
    if (lenient) return object
    if (faithful) {
      const kept = Object.keys(object)
      faithful = kept.length === keys.length && kept.every((key, i) => key === keys[i])
    }
    if (faithful) return object
    return verbatim(
      `{${keys.map((key, i) => `${JSON.stringify(key)}:${jsonText(values[i] as Json)}`).join(',')}}`,
    )
  }
}
