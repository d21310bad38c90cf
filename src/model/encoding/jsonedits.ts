/**
 * Returns the edits that turn one JSON text into another of the same value that differs only in white space, escapes
 * and the spelling of numbers, as JSON: for each the distance from the end of the one before, the number of characters
 * removed, and the text inserted. Undefined if the texts differ in more, or the edits are longer than `limit`. Takes
 * linear time.
 */
export function differences(base: string, text: string, limit: number): string | undefined {
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
      // Within a number its digits go before the white space behind it, else white space goes first.
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
export function applied(base: string, edits: string): string {
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

/** Returns the character that an escape or a plain character stands for; -1 for none, as for a closing quote. */
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
