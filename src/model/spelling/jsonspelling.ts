import { Verbatim } from '../encoding/verbatim.ts'
import { hasVerbatim, isObject, type Json, jsonText, spelled } from '../json.ts'

/**
 * How a JSON value is spelled: `''` is compact, as `jsonText` writes it; `p` has a space after commas and colons, like
 * Python; `i2`, `i4`, `it` are indented by spaces or a tab, `i2+4` by four more spaces; a final `a` writes all but
 * ASCII as `\uXXXX`. After a `#` follow edits that turn that text into the real one.
 */
export type Spelling = string

/**
 * Where edits take more than this part of the text, the text is no spelling of the value worth keeping
 * apart.
 */
const WORTH = 1 / 4

/** Returns the spelling with which `spell` returns the text exactly, or undefined if there is none. */
export function spellingOf(value: Json, text: string): Spelling | undefined {
  const layout = layoutOf(value, text)
  const laid = layout === '' ? undefined : styled(value, layout)
  if (laid === text) return layout
  const compact = jsonText(value)
  if (compact === text) return ''
  const unescaped = layout === '' ? compact : laid
  if (unescaped === undefined) return undefined
  const isEscaped = isAscii(text) && !isAscii(compact)
  const [style, base] = isEscaped ? [`${layout}a`, toAscii(unescaped)] : [layout, unescaped]
  if (base === text) return style
  const edits = differences(base, text, text.length * WORTH)
  return edits !== undefined && applied(base, edits) === text ? `${style}#${edits}` : undefined
}

/** Returns the text of a value in a spelling. Throws a RangeError if there is no such spelling. */
export function spell(value: Json, spelling: Spelling): string {
  if (spelling === '') return jsonText(value)
  const mark = spelling.indexOf('#')
  const base = styled(value, mark < 0 ? spelling : spelling.slice(0, mark))
  if (base === undefined) throw new RangeError(`no spelling is called '${spelling.slice(0, 40)}'`)
  return mark < 0 ? base : applied(base, spelling.slice(mark + 1))
}

/**
 * Guesses from its first break and its last line how the text of a value is laid out: `''`, `p` or `i…`. A value that every
 * layout writes alike has `''`.
 */
export function layoutOf(value: Json, text: string): string {
  if (text[1] === '\n') {
    const outer = runOf(text, text.lastIndexOf('\n') + 1)
    const inner = runOf(text, 2)
    const char = inner[0] === '\t' ? '\t' : ' '
    const unit = inner.length - outer.length
    if (unit < 1 || unit > 99 || /[^ ]/.test(inner.replaceAll(char, ' '))) return ''
    const name = char === ' ' ? `${unit}` : unit === 1 ? 't' : `${unit}t`
    return `i${name}${outer === '' ? '' : `+${outer.length}`}`
  }
  const colon = text.indexOf('":')
  const sign = colon < 0 ? text.indexOf(',') : colon + 1
  return sign > 0 && text[sign + 1] === ' ' && hasSeparators(value) ? 'p' : ''
}

/** Returns whether the text of a value has a comma or a colon outside its strings. */
function hasSeparators(value: Json): boolean {
  if (Array.isArray(value)) return value.length > 1 || (value.length === 1 && hasSeparators(value[0] as Json))
  return isObject(value) && Object.keys(value).length > 0
}

function runOf(text: string, from: number): string {
  let to = from
  while (text[to] === ' ' || text[to] === '\t') to++
  return text.slice(from, to)
}

function styled(value: Json, style: string): string | undefined {
  const match = /^(?:(p)|i(\d{1,2})?(t)?(?:\+(\d{1,6}))?)?(a)?$/.exec(style)
  if (!match) return undefined
  const [, spaced, count, tab, outer = '0', ascii] = match
  const char = tab ? '\t' : ' '
  const text = spaced
    ? spelled(value, ', ', ': ')
    : style[0] === 'i'
      ? broken(value, `\n${char.repeat(Number(outer))}`, char.repeat(Number(count ?? 1)))
      : jsonText(value)
  return ascii ? toAscii(text) : text
}

/** The maximum number of characters by which the platform indents. */
const MOST_INDENT = 10

/** Returns the indented text of a value. */
function broken(value: Json, newline: string, unit: string): string {
  if (unit === '' || unit.length > MOST_INDENT || hasVerbatim(value)) return indented(value, newline, unit)
  const text = JSON.stringify(value, null, unit)
  // A string contains no raw newline.
  return newline === '\n' ? text : text.replaceAll('\n', newline)
}

function indented(value: Json, newline: string, unit: string): string {
  if (value instanceof Verbatim) return value.text
  const inner = newline + unit
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]'
    return `[${inner}${value.map((child: Json) => indented(child, inner, unit)).join(`,${inner}`)}${newline}]`
  }
  if (!isObject(value)) return JSON.stringify(value)
  const parts = Object.entries(value).map(
    ([key, child]) => `${JSON.stringify(key)}: ${indented(child, inner, unit)}`,
  )
  return parts.length === 0 ? '{}' : `{${inner}${parts.join(`,${inner}`)}${newline}}`
}

/** Python takes DEL for no ASCII either. */
const OTHER = /[^\0-\x7e]/
const isAscii = (text: string): boolean => !OTHER.test(text)
const toAscii = (text: string): string =>
  text.replace(/[^\0-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

/**
 * Returns the edits that turn one JSON text into another of the same value that differs only in white space, escapes
 * and the spelling of numbers, as JSON: for each the distance from the end of the one before, the number of characters
 * removed, and the text inserted. Undefined if the texts differ in more, or the edits are longer than `limit`. Takes
 * linear time.
 */
function differences(base: string, text: string, limit: number): string | undefined {
  const edits: (number | string)[] = []
  let size = 2
  /** Where the last edit ends, in both texts. */
  let baseEnd = 0
  let textEnd = 0
  /** Where the last edit begins in the text, so that edits that touch become one. */
  let textStart = -1
  let inString = false
  let i = 0
  let j = 0
  while (i < base.length || j < text.length) {
    let [iNext, jNext] = [i, j]
    const char = base.charCodeAt(i)
    if (inString && char === text.charCodeAt(j) && char !== BACKSLASH && char !== QUOTE) {
      i++
      j++
      continue
    }
    if (inString) {
      iNext = i + unitAt(base, i)
      jNext = j + unitAt(text, j)
      const same = base.slice(i, iNext) === text.slice(j, jNext)
      if (same && char === QUOTE) inString = false
      if (same) {
        ;[i, j] = [iNext, jNext]
        continue
      }
      if (codeOf(base.slice(i, iNext)) !== codeOf(text.slice(j, jNext))) return undefined
    } else if (char === text.charCodeAt(j)) {
      if (char === QUOTE) inString = true
      i++
      j++
      continue
    } else {
      // Within a number its digits go before the white space after it, else white space goes first.
      const ends = endOfNumber(base, i - 1) >= i ? [endOfNumber, endOfSpace] : [endOfSpace, endOfNumber]
      for (const end of ends) {
        if (iNext > i || jNext > j) break
        iNext = end(base, i)
        jNext = end(text, j)
      }
      if (iNext === i && jNext === j) return undefined
    }
    if (i === baseEnd && j === textEnd && edits.length > 0) {
      edits[edits.length - 2] = (edits.at(-2) as number) + iNext - i
      edits[edits.length - 1] = text.slice(textStart, jNext)
    } else {
      edits.push(i - baseEnd, iNext - i, text.slice(j, jNext))
      textStart = j
      size += 6
    }
    size += jNext - j
    if (size > limit) return undefined
    ;[i, j] = [iNext, jNext]
    ;[baseEnd, textEnd] = [i, j]
  }
  const all = JSON.stringify(edits)
  return all.length > limit ? undefined : all
}

/** Returns the result of edits on a text. Throws if they are not valid edits of it. */
function applied(base: string, edits: string): string {
  const parsed = JSON.parse(edits) as readonly (number | string)[]
  const parts: string[] = []
  let at = 0
  for (let k = 0; k + 2 < parsed.length; k += 3) {
    const [keep, drop, put] = parsed.slice(k, k + 3) as [number, number, string]
    if (at + keep + drop > base.length) throw new RangeError('an edit stands beyond its text')
    parts.push(base.slice(at, at + keep), put)
    at += keep + drop
  }
  parts.push(base.slice(at))
  return parts.join('')
}

const QUOTE = 34
const BACKSLASH = 92

/** Returns the number of characters that spell the next character of a string. */
const unitAt = (text: string, at: number): number =>
  at >= text.length ? 0 : text.charCodeAt(at) !== BACKSLASH ? 1 : text[at + 1] === 'u' ? 6 : 2

const SHORT: Readonly<Record<string, number>> = { b: 8, f: 12, n: 10, r: 13, t: 9 }

/** Returns the code of an escaped or plain character; -1 for none, as for a closing quote. */
function codeOf(unit: string): number {
  if (unit === '' || unit === '"') return -1 - unit.length
  if (unit.length === 1) return unit.charCodeAt(0)
  if (unit.length === 6) return Number.parseInt(unit.slice(2), 16)
  return SHORT[unit[1] as string] ?? unit.charCodeAt(1)
}

function endOfNumber(text: string, from: number): number {
  let at = Math.max(from, 0)
  while (at < text.length && '0123456789+-.eE'.includes(text[at] as string)) at++
  return at
}

function endOfSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && ' \t\n\r'.includes(text[at] as string)) at++
  return at
}
