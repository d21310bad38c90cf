import type { Size } from '../terminal/terminal.ts'

export type Pane = 'sessions' | 'main' | 'preview'

/** Where a pane stands on the screen; its title takes the first row. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The panes that a screen has room for, and where; the last row of the screen is the status line. */
export type PaneLayout = Partial<Readonly<Record<Pane, Place>>>

/** From so many columns on, all panes stand side by side. */
const WIDE = 110
/** From so many columns or rows on, a list and the preview are shown together. */
const MEDIUM_COLUMNS = 60
const MEDIUM_ROWS = 14

/** Returns the places of the panes on a screen. */
export function layoutOf({ columns, rows }: Size, focus: Pane, isReading: boolean): PaneLayout {
  const height = Math.max(1, rows - 1)
  const whole: Place = { x: 0, y: 0, width: columns, height }
  if (isReading && columns < WIDE) return { [focus === 'preview' ? 'main' : focus]: whole }
  if (columns >= WIDE) return sideBySide(columns, height, isReading)
  const list = focus === 'sessions' ? 'sessions' : 'main'
  if (columns < MEDIUM_COLUMNS || rows < MEDIUM_ROWS) return { [focus]: whole }
  const lower = Math.floor(height * 0.4)
  return {
    [list]: { ...whole, height: height - lower },
    preview: { ...whole, y: height - lower, height: lower },
  }
}

function sideBySide(columns: number, height: number, isReading: boolean): PaneLayout {
  const sessions = Math.min(48, Math.floor(columns * 0.28))
  const rest = columns - sessions - 1
  const main = isReading ? rest : Math.floor((rest - 1) * 0.52)
  const place = (x: number, width: number): Place => ({ x, y: 0, width, height })
  return {
    sessions: place(0, sessions),
    main: place(sessions + 1, main),
    ...(!isReading && { preview: place(sessions + main + 2, rest - main - 1) }),
  }
}

/** Returns how many rows of content a pane shows: all but its title. */
export const contentHeight = (place: Place | undefined): number => Math.max(1, (place?.height ?? 1) - 1)
