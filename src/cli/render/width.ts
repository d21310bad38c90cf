import { eastAsianWidth } from 'get-east-asian-width'

const PLAIN = /^[\x20-\x7e]*$/
const MARK = /^[\p{M}\p{Cf}]/u
/**
 * What is shown as a picture though its first character alone is not: flags, and text followed by a selector.
 */
const PICTURE = /\ufe0f|^[\u{1f1e6}-\u{1f1ff}]{2}/u

const graphemes = new Intl.Segmenter()

/** Gives the characters of a text as people count them, each with the columns that it takes on a terminal. */
export function* columnsOf(text: string): Generator<readonly [grapheme: string, columns: number]> {
  for (const { segment } of graphemes.segment(text)) yield [segment, graphemeWidth(segment)]
}

function graphemeWidth(grapheme: string): number {
  if (MARK.test(grapheme)) return 0
  return PICTURE.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) as number)
}

/** Gives how many columns a text takes on a terminal. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length
  let width = 0
  for (const [, columns] of columnsOf(text)) width += columns
  return width
}
