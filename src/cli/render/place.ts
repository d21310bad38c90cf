import type { ErrorPosition } from '../../model/errors.ts'
import { safe } from '../safe.ts'
import { styled } from '../style.ts'
import type { Line } from './line.ts'
import { columnsOf, widthOf } from './width.ts'

/** Returns the line of a text at a position, with carets under the position, cut to a width. */
export function placeLines({ text, from, to }: ErrorPosition, columns: number): Line[] {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const newline = text.indexOf('\n', from)
  const end = newline < 0 ? text.length : newline
  const before = flat(text.slice(start, from))
  const at = flat(text.slice(from, Math.min(to, end)))
  const after = flat(text.slice(Math.min(to, end), end))
  const room = columns - BAR.length - 2
  const shownAt = fitting(at, Math.max(10, room - 20))
  const shownBefore = fitting(before, Math.max(10, Math.floor((room - widthOf(shownAt)) / 2)), 'end')
  const shownAfter = fitting(after, Math.max(0, room - widthOf(shownBefore) - widthOf(shownAt)))
  const bar = styled('dim', BAR)
  const carets = '^'.repeat(Math.max(1, widthOf(shownAt)))
  return [
    [bar, shownBefore + shownAt + shownAfter],
    [bar, ' '.repeat(widthOf(shownBefore)), styled('red', carets)],
  ]
}

const BAR = '  | '

const flat = (text: string): string => safe(text).replace(/[\t\n]/g, ' ')

/** Cuts a text to some columns, keeping its beginning or its end. */
function fitting(text: string, columns: number, keep: 'start' | 'end' = 'start'): string {
  if (widthOf(text) <= columns) return text
  const graphemes = [...columnsOf(text)]
  let kept = ''
  let width = 1
  for (const [grapheme, taken] of keep === 'start' ? graphemes : graphemes.reverse()) {
    width += taken
    if (width > columns) break
    kept = keep === 'start' ? kept + grapheme : grapheme + kept
  }
  return keep === 'start' ? `${kept}…` : `…${kept}`
}
