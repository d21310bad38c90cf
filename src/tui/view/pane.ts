import { type Display, type Line, styled } from '../../text/text.ts'
import { cut, widthOf } from '../../text/width.ts'

/** How a browser looks: its zone and clock, and whether it draws in ASCII. */
export interface BrowserLook extends Omit<Display, 'columns'> {
  readonly ascii: boolean
}

/** A row of a pane, and whether the cursor is on it. */
export interface PaneRow {
  readonly line: Line
  readonly reverse?: boolean
}

/** In fewer columns, lines of a list have neither time nor role: the preview shows them. */
export const ROOMY = 64

/** Returns the title of a pane, with a remark at the right; that of the pane with the focus stands out. */
export function titleLine(title: string, remark: string, columns: number, hasFocus: boolean): Line {
  const name = cut(title, Math.max(1, columns - widthOf(remark) - 2))
  const gap = Math.max(1, columns - widthOf(name) - widthOf(remark) - 1)
  return [styled(hasFocus ? 'bold' : 'dim', ` ${name}`), ' '.repeat(gap - 1), styled('dim', remark)]
}
