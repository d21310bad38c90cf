import { styled } from '../../text/text.ts'
import type { Pane, Place } from '../state/layout.ts'
import { layoutIn } from '../state/needs.ts'
import type { State } from '../state/state.ts'
import { type PaneSpan, paneSpan, type ScreenRow } from '../terminal/screen.ts'
import { mainRows } from './main.ts'
import type { BrowserLook, PaneRow } from './pane.ts'
import { planRows } from './plan.ts'
import { previewRows } from './preview.ts'
import { sessionRows } from './sessions.ts'
import { statusLine } from './status.ts'

const PAINTERS: Readonly<Record<Pane, (state: State, place: Place, look: BrowserLook) => PaneRow[]>> = {
  sessions: sessionRows,
  main: mainRows,
  preview: previewRows,
}

/** Returns a frame: the panes, what a plan would do above the status line, and that. */
export function view(state: State, look: BrowserLook): ScreenRow[] {
  const { columns, rows } = state.size
  const frame: PaneSpan[][] = Array.from({ length: rows }, () => [])
  for (const [pane, place] of Object.entries(layoutIn(state)) as [Pane, Place][]) {
    const painted = PAINTERS[pane](state, place, look)
    for (let i = 0; i < place.height; i++) {
      const row = frame[place.y + i]
      if (place.x > 0) row?.push(paneSpan(place.x - 1, 1, [styled('dim', look.ascii ? '|' : '│')]))
      const { line = [], reverse = false } = painted[i] ?? {}
      row?.push(paneSpan(place.x, place.width, line, reverse))
    }
  }
  const plan = planRows(state)
  for (const [i, line] of plan.entries()) {
    const y = rows - 1 - plan.length + i
    if (y >= 0) frame[y] = [paneSpan(0, columns, line)]
  }
  frame[rows - 1] = [paneSpan(0, columns, statusLine(state), false)]
  return frame
}
