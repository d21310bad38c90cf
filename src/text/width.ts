import { eastAsianWidth } from 'get-east-asian-width'

/** Latin letters, the usual signs, and what trees are drawn with: one column each, none of them joins another. */
const PLAIN =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2030-\u203b\u2190-\u2193\u22ef\u2500-\u257f\u25cb\u25cf\u25c6]*$/
const MARK = /^[\p{M}\p{Cf}]/u
/** Characters that are shown as a picture though their first character is not: flags, and text with a selector. */
const PICTURE = /\ufe0f|^[\u{1f1e6}-\u{1f1ff}]{2}/u

let graphemes: Intl.Segmenter | undefined

/** Returns whether each character of a text takes one column. */
export const isPlain = (text: string): boolean => PLAIN.test(text)

/** Yields the graphemes of a text, each with its width in columns. */
export function* columnsOf(text: string): Generator<readonly [grapheme: string, columns: number]> {
  if (PLAIN.test(text)) for (const char of text) yield [char, 1]
  else {
    // Ten milliseconds to make: for texts that need it only.
    graphemes ??= new Intl.Segmenter()
    for (const { segment } of graphemes.segment(text)) yield [segment, graphemeWidth(segment)]
  }
}

function graphemeWidth(grapheme: string): number {
  if (MARK.test(grapheme)) return 0
  return PICTURE.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) as number)
}

/** Returns how many columns a text takes on a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const [, columns] of columnsOf(text)) width += columns
  return width
}

/** Returns a text cut to a number of columns, the last one an ellipsis. */
export function cut(text: string, columns: number): string {
  // Most texts: checking a prefix suffices.
  if (isPlain(text.slice(0, columns + 1)))
    return text.length <= columns ? text : `${text.slice(0, columns - 1).trimEnd()}…`
  const near = text.slice(0, 8 * columns)
  if (near.length === text.length && widthOf(text) <= columns) return text
  let kept = ''
  let width = 0
  for (const [grapheme, taken] of columnsOf(near)) {
    width += taken
    if (width >= columns) break
    kept += grapheme
  }
  return `${kept.trimEnd()}…`
}

/** Returns the end of a text, such as a path, that fits into a number of columns; the first one is an ellipsis. */
export const endOf = (text: string, columns: number): string =>
  widthOf(text) <= columns ? text : `…${[...text].slice(1 - columns).join('')}`

/** Returns a text filled up with spaces to some columns. */
export const pad = (text: string, columns: number): string =>
  text + ' '.repeat(Math.max(0, columns - widthOf(text)))

/** Returns a text filled up with spaces in front. */
export const padStart = (text: string, columns: number): string =>
  ' '.repeat(Math.max(0, columns - widthOf(text))) + text
