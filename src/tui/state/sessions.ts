import { contentHeight } from './layout.ts'
import { layoutIn } from './needs.ts'
import { scrolled } from './scroll.ts'
import { type SessionRow, type SessionsPane, type State, sessionAt } from './state.ts'

/** Returns the list with the rows that hold all words of the search; the cursor stays at its session. */
export function searched(pane: SessionsPane, state: State, search = pane.search): SessionsPane {
  const before = sessionAt(pane)?.id
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const rows = pane.rows ?? []
  const shown = words.length === 0 ? rows : rows.filter((row) => holdsAll(row, words))
  const at = shown.findIndex(({ id }) => id === before)
  const isNew = search !== pane.search
  const cursor = isNew || at < 0 ? 0 : at
  const top = isNew ? 0 : pane.scroll.top + cursor - pane.scroll.cursor
  const height = contentHeight(layoutIn(state).sessions)
  return { ...pane, search, shown, scroll: scrolled({ cursor, top }, shown.length, height) }
}

function holdsAll(row: SessionRow, words: readonly string[]): boolean {
  const text = [row.title, row.prompt, row.project, row.agent, row.id].join('\n').toLowerCase()
  return words.every((word) => text.includes(word))
}
