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

/** The pages of rows that are read around an entry, with the one that shows it. */
const PAGES_AROUND_ENTRY = 5

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
    effects.push({ kind: 'read-sessions', folder: next.folder })
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
    const missing = missingWindow(main, height)
    if (missing === null) return main
    const { session, filter } = main
    effects.push({ kind: 'read-window', session, filter, ...missing })
    // Rows of before a change do not stay beside those of after it.
    const isOld = main.isStale && main.at === null
    return { ...main, ...(isOld && { rows: [], first: 0 }), pending: missing.request, isStale: false }
  }
  return listNeeds(state, main, height, effects)
}

interface MissingWindow {
  readonly request: WindowRequest
  readonly limit: number
}

/**
 * Returns which rows of a tree have to be read; null where those that are shown and a page on each side are loaded, or
 * rows are being read. A page is read before it is shown: the next key then finds its rows.
 */
function missingWindow(tree: TreePane, height: number): MissingWindow | null {
  if (tree.pending || tree.error !== null) return null
  const { first, rows, scroll, total, at } = tree
  const aroundEntry = PAGES_AROUND_ENTRY * height
  if (at !== null && (tree.isStale || rows.length === 0))
    return { request: { around: at }, limit: aroundEntry }
  if (rows.length === 0 && total === 0) return { request: { from: 'end' }, limit: aroundEntry }
  const end = first + rows.length
  const until = Math.min(total, scroll.top + height)
  const isApart = scroll.top > end || until < first
  if (tree.isStale || isApart)
    return { request: { from: Math.max(0, scroll.top - height) }, limit: 3 * height }
  const isAbove = (margin: number): boolean => first > Math.max(0, scroll.top - margin)
  const isBelow = (margin: number): boolean => end < Math.min(total, until + margin)
  // The rows that are shown come first.
  if (isAbove(0) || (isAbove(height) && !isBelow(0))) {
    const from = Math.max(0, Math.min(first, scroll.top) - height)
    return { request: { from }, limit: first - from }
  }
  if (isBelow(height)) return { request: { from: end }, limit: Math.max(end, until) + height - end }
  return null
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
