import type { BrowserEffect, Step } from './events.ts'
import { contentHeight, layoutOf, type PaneLayout } from './layout.ts'
import { clamped } from './scroll.ts'
import {
  entryAt,
  type ListPane,
  type MainPane,
  type State,
  sessionAt,
  type TreePane,
  treeOf,
  type WindowRequest,
} from './state.ts'

/** The pages of rows that are loaded around the one that is shown. */
const PAGES_AROUND = 2

/** Returns whether the main pane is read as a text: it takes the room of the preview too. */
export const isReading = (main: MainPane | null): boolean =>
  main?.kind === 'list' && TEXTS.has(main.subject.kind)

const TEXTS: ReadonlySet<string> = new Set(['reader', 'context', 'diff', 'compare', 'help', 'commands'])

/** Returns where the panes of a state stand. */
export const layoutIn = ({ size, focus, main }: State): PaneLayout => layoutOf(size, focus, isReading(main))

/** Returns how many rows of content the main pane shows. */
export const mainHeight = (state: State): number => contentHeight(layoutIn(state).main)

/** Adds what has to be read for what is to be seen and is not loaded yet. */
export function withNeeds(state: State): Step {
  const effects: BrowserEffect[] = []
  let next = state
  const { sessions } = next
  if ((sessions.rows === null || sessions.isStale) && !sessions.isPending) {
    effects.push({ kind: 'read-sessions' })
    next = { ...next, sessions: { ...sessions, isPending: true, isStale: false } }
  } else if (sessions.rows?.length === 0 && !sessions.asksPlaces) {
    effects.push({ kind: 'read-places' })
    next = { ...next, sessions: { ...sessions, asksPlaces: true } }
  }
  next = withSelectedTree(next)
  const main = next.main && needsOf(next, next.main, effects)
  next = main === next.main ? next : { ...next, main }
  return { state: withPreview(next, effects), effects }
}

/** Shows the tree of the session at the cursor beside the list, while no view was opened. */
function withSelectedTree(state: State): State {
  const { focus, main, behind, sessions } = state
  const session = sessionAt(sessions)
  if (focus !== 'sessions' || !session || !layoutIn(state).main) return state
  if (main && (main.kind !== 'tree' || main.session === session.id || behind.length > 0)) return state
  // A session without entries has no tree.
  return { ...state, main: session.entries === 0 ? null : treeOf(session.id, main?.filter ?? state.filter) }
}

function needsOf(state: State, main: MainPane, effects: BrowserEffect[]): MainPane {
  const height = mainHeight(state)
  if (main.kind === 'tree') {
    const request = missingWindow(main, height)
    if (request === null) return main
    const { session, filter } = main
    effects.push({ kind: 'read-window', session, filter, request, limit: height * (2 * PAGES_AROUND + 1) })
    return { ...main, pending: request, isStale: false }
  }
  return listNeeds(state, main, height, effects)
}

/** Returns which rows of a tree have to be read; null where those that are shown are loaded, or being read. */
function missingWindow(tree: TreePane, height: number): WindowRequest | null {
  if (tree.pending || tree.error !== null) return null
  if (tree.rows.length === 0 && tree.total === 0)
    return tree.at === null ? { from: 'end' } : { around: tree.at }
  if (tree.isStale)
    return tree.at === null ? { from: Math.max(0, tree.scroll.top - height) } : { around: tree.at }
  const { first, rows, scroll, total } = tree
  const until = Math.min(total, scroll.top + height)
  if (scroll.top >= first && until <= first + rows.length) return null
  return { from: Math.max(0, scroll.top - PAGES_AROUND * height) }
}

/** The rows of a list that are read again at once. */
const MAX_AGAIN = 1000

function listNeeds(state: State, list: ListPane, height: number, effects: BrowserEffect[]): ListPane {
  const columns = layoutIn(state).main?.width ?? 0
  // Lines are laid out for one width.
  const isOld = list.columns !== columns && columns > 0
  const nearEnd = list.scroll.top + 2 * height > list.items.length
  const isAgain = isOld || list.isStale
  const isWanted = isAgain || (list.next !== null && nearEnd)
  if (list.isPending || list.error !== null || !isWanted) return list
  const after = isAgain ? null : list.next
  const limit = isAgain ? Math.max(4 * height, Math.min(list.items.length, MAX_AGAIN)) : 4 * height
  effects.push({ kind: 'read-page', subject: list.subject, after, columns, limit })
  return { ...list, isPending: true, isStale: false, columns }
}

/** Returns the revision that the preview is to show. */
function previewed(state: State): string | null {
  const entry = entryAt(state)
  if (entry) return `${entry.session}:${entry.oid}`
  const { main, focus, sessions } = state
  if (main?.kind === 'list' && focus !== 'sessions') {
    const item = main.items[main.scroll.cursor]
    return item?.kind === 'operation' ? `operation:${item.operation.number}` : null
  }
  const session = sessionAt(sessions)
  return session && session.entries > 0 ? `session:${session.id}` : null
}

function withPreview(state: State, effects: BrowserEffect[]): State {
  const place = layoutIn(state).preview
  if (!place) return state
  const of = previewed(state)
  const { preview } = state
  if (preview.of === of && preview.columns === place.width) return state
  if (of !== null) effects.push({ kind: 'read-preview', of, columns: place.width })
  // The former lines stay until the new ones are there: nothing flickers.
  return {
    ...state,
    preview: {
      of,
      columns: place.width,
      lines: of === null ? [] : preview.lines,
      top: preview.of === of ? clamped(preview.top, 0, preview.lines.length) : 0,
    },
  }
}
