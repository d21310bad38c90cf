import { FILTERS, type GraphFilter } from '../../model/graphfilter.ts'
import type { Pane } from './layout.ts'
import { isReading } from './needs.ts'
import { searched } from './sessions.ts'
import {
  entryAt,
  type ListSubject,
  listOf,
  type MainPane,
  rowAt,
  type State,
  sessionOf,
  type TreePane,
  treeOf,
  withNotice,
} from './state.ts'

/** Shows a view in the main pane; Escape goes back to the one before. */
export function open(state: State, main: MainPane): State {
  const { main: before, behind } = state
  const kept = before ? [resting(before), ...behind].slice(0, MAX_BEHIND) : behind
  return { ...state, main, focus: 'main', behind: kept }
}

const MAX_BEHIND = 20

/** Returns a view that waits for nothing: what it asked for is dropped while another one is shown. */
const resting = (main: MainPane): MainPane =>
  main.kind === 'tree'
    ? { ...main, pending: null, isStale: true }
    : { ...main, isPending: false, isStale: main.isStale || main.items.length === 0 }

export const show = (state: State, subject: ListSubject): State => open(state, listOf(subject))

/** Shows the tree of the session at the cursor, at its entry where there is one. */
export function showTree(state: State): State {
  const session = sessionOf(state)
  if (session === undefined) return state
  const at = entryAt(state)?.oid ?? null
  const { main } = state
  if (main?.kind === 'tree' && main.session === session) return { ...state, focus: 'main' }
  const chosen = state.main?.kind === 'tree' ? state.main.filter : state.filter
  // A tree is looked at after another: Escape goes back to the sessions.
  if (state.focus === 'sessions')
    return { ...state, focus: 'main', main: treeOf(session, chosen), behind: [] }
  return open(state, treeOf(session, chosen, at))
}

/** Returns the revision that the cursor is at. */
export function revisionHere(state: State): string | undefined {
  const entry = entryAt(state)
  return entry?.oid ?? sessionOf(state)
}

export function showPath(state: State, kind: 'log' | 'reader'): State {
  const session = sessionOf(state)
  if (session === undefined) return state
  const entry = entryAt(state)
  // That of a session ends at its tip, that of another entry at the entry.
  const isAtHead = state.main?.kind === 'tree' && rowAt(state.main, state.main.scroll.cursor)?.head === true
  const revision = entry && !isAtHead ? entry.oid : session
  return show(state, { kind, session, revision })
}

/** Compares two marks, or a mark and the row of the cursor; of a session its tip. */
export function showMarked(state: State, kind: 'diff' | 'compare'): State {
  const here = revisionHere(state)
  const marked = state.marks.slice(-2).map(({ oid }): string => oid)
  const [a, b] = marked.length === 2 ? marked : [...marked, here]
  if (a === undefined || b === undefined || a === b)
    return withNotice(state, 'mark an entry with Space first, then choose another')
  return show(state, { kind, a, b })
}

/** Escape: clears the search, then goes back a view, then to the sessions, then leaves. */
export function back(state: State): State {
  const { main, behind, focus, sessions, picks } = state
  if (focus === 'sessions') {
    if (sessions.search !== '') return { ...state, sessions: searched(sessions, state, '') }
    return { ...state, ending: { code: picks ? 1 : 0, output: state.text } }
  }
  if (focus === 'preview') return { ...state, focus: 'main' }
  if (main?.kind === 'tree' && main.hits) return { ...state, main: { ...main, hits: null } }
  const [before, ...rest] = behind
  if (before) return { ...state, main: before, behind: rest }
  return { ...state, focus: 'sessions', main: main?.kind === 'list' ? null : main }
}

export function onTree(state: State, change: (tree: TreePane) => TreePane): State {
  const { main } = state
  return main?.kind === 'tree' ? { ...state, main: change(main) } : state
}

/** Shows a tree by another filter; the same again goes back to the default. */
export const filter = (state: State, chosen: GraphFilter): State =>
  onTree(state, ({ session, filter: before, at }) =>
    treeOf(session, before === chosen ? 'default' : chosen, at),
  )

export const turnFilter = (state: State, by: 1 | -1): State =>
  onTree(state, ({ session, filter: before, at }) => {
    const place = (FILTERS.indexOf(before) + by + FILTERS.length) % FILTERS.length
    return treeOf(session, FILTERS[place] ?? 'default', at)
  })

/** Moves the focus to another pane; to the tree of the session where no view is open yet. */
export function refocused(state: State, by: 1 | -1): State {
  const panes: readonly Pane[] = isReading(state.main)
    ? ['sessions', 'main']
    : ['sessions', 'main', 'preview']
  const focus = panes[(panes.indexOf(state.focus) + by + panes.length) % panes.length] ?? 'sessions'
  const isOther = state.focus === 'sessions' && (!state.main || state.main.kind === 'tree')
  if (focus !== 'sessions' && isOther) return showTree(state)
  return { ...state, focus }
}
