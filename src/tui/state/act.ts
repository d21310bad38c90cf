import { FILTERS, type GraphFilter } from '../../model/graphfilter.ts'
import { promptIn } from '../../model/prompt.ts'
import {
  decided,
  forkChange,
  mergeChange,
  navigateChange,
  pickChange,
  popChange,
  REDO,
  switchChange,
  undoChange,
} from './changes.ts'
import type { BrowserEffect, Step } from './events.ts'
import type { ActionName } from './keymap.ts'
import { contentHeight, type Pane } from './layout.ts'
import { isReading, layoutIn, mainHeight } from './needs.ts'
import { openPrompt } from './openprompt.ts'
import { clamped, movedBy, pagedBy, type Scroll, scrolled, wrappedBy } from './scroll.ts'
import { searched } from './sessions.ts'
import {
  type EntryPlace,
  entryAt,
  type ListSubject,
  listOf,
  type MainPane,
  type PlannedChange,
  rowAt,
  type State,
  sessionAt,
  sessionOf,
  type TreePane,
  treeOf,
} from './state.ts'
import { withEntry } from './tree.ts'

/** Returns the state after an action, and what is to be done. `nearest` goes to the hit at the cursor or after it. */
export function act(state: State, action: ActionName | 'nearest'): Step {
  switch (action) {
    case 'up':
      return only(moveBy(state, -1))
    case 'down':
      return only(moveBy(state, 1))
    case 'pageUp':
      return only(page(state, -1))
    case 'pageDown':
      return only(page(state, 1))
    case 'first':
      return only(moveBy(state, Number.NEGATIVE_INFINITY))
    case 'last':
      return only(moveBy(state, Number.POSITIVE_INFINITY))
    case 'nextPane':
      return only(refocused(state, 1))
    case 'previousPane':
      return only(refocused(state, -1))
    case 'choose':
      return choose(state)
    case 'back':
      return only(back(state))
    case 'quit':
      return only({ ...state, ending: { code: state.picks ? 1 : 0, output: state.text } })
    case 'search':
    case 'everywhere':
    case 'label':
    case 'branch':
    case 'export':
    case 'run':
    case 'resumeElsewhere':
      return only(openPrompt(state, action))
    case 'next':
    case 'previous':
    case 'nearest':
      return toHit(state, action)
    case 'tree':
      return only(showTree(state))
    case 'log':
    case 'reader':
      return only(showPath(state, action))
    case 'context': {
      const revision = revisionHere(state)
      return only(revision === undefined ? state : show(state, { kind: action, revision }))
    }
    case 'fork': {
      const session = sessionOf(state)
      return only(session === undefined ? state : show(state, { kind: 'prompts', session }))
    }
    case 'operations':
    case 'commands':
    case 'help':
      return only(show(state, { kind: action }))
    case 'diff':
    case 'compare':
      return only(showMarked(state, action))
    case 'mark':
      return only(mark(state))
    case 'times':
      return only({ ...state, showsTimes: !state.showsTimes })
    case 'filterDefault':
      return only(filter(state, 'default'))
    case 'filterNoTools':
      return only(filter(state, 'no-tools'))
    case 'filterUserOnly':
      return only(filter(state, 'user-only'))
    case 'filterLabeled':
      return only(filter(state, 'labeled-only'))
    case 'filterAll':
      return only(filter(state, 'all'))
    case 'nextFilter':
      return only(turnFilter(state, 1))
    case 'previousFilter':
      return only(turnFilter(state, -1))
    case 'fold':
    case 'unfold':
      return folded(state, action === 'unfold')
    case 'parent':
    case 'child':
      return relative(state, action)
    case 'current':
      return only(onTree(state, (tree) => ({ ...tree, at: null, rows: [], total: 0, pending: null })))
    case 'resume':
      return resume(state)
    case 'edit':
    case 'copy':
      return textOf(state, action)
    default:
      return plan(state, action)
  }
}

const only = (state: State): Step => ({ state, effects: [] })

const note = (state: State, text: string): Step => only({ ...state, notice: { text, isError: false } })

/** Moves the cursor of the pane that has the focus. */
function moveBy(state: State, rows: number): State {
  return moveIn(state, (scroll, count, height) => {
    if (rows === Number.NEGATIVE_INFINITY) return { cursor: 0, top: 0 }
    if (rows === Number.POSITIVE_INFINITY) return scrolled({ cursor: count - 1, top: count }, count, height)
    // As in pi, the list of a choice goes round; a text has ends.
    if (state.focus !== 'preview' && !isReading(state.main) && Math.abs(rows) === 1)
      return wrappedBy(scroll, rows as 1 | -1, count, height)
    return movedBy(scroll, rows, count, height)
  })
}

const page = (state: State, pages: number): State =>
  moveIn(state, (scroll, count, height) => pagedBy(scroll, pages, count, height))

function moveIn(state: State, move: (scroll: Scroll, count: number, height: number) => Scroll): State {
  const { focus, main, sessions, preview } = state
  const layout = layoutIn(state)
  if (focus === 'sessions') {
    const height = contentHeight(layout.sessions)
    return {
      ...state,
      sessions: { ...sessions, scroll: move(sessions.scroll, sessions.shown.length, height) },
    }
  }
  if (focus === 'preview') {
    const height = contentHeight(layout.preview)
    const most = Math.max(0, preview.lines.length - height)
    // A text has no cursor: its first row moves.
    const { cursor } = move({ cursor: preview.top, top: preview.top }, most + 1, 1)
    return { ...state, preview: { ...preview, top: clamped(cursor, 0, most) } }
  }
  if (!main) return state
  const height = mainHeight(state)
  if (main.kind === 'tree')
    return { ...state, main: withEntry({ ...main, scroll: move(main.scroll, main.total, height) }) }
  return { ...state, main: { ...main, scroll: move(main.scroll, main.items.length, height) } }
}

/** Gives the focus to another pane; to the tree of the session where no view is open yet. */
function refocused(state: State, by: 1 | -1): State {
  const panes: readonly Pane[] = isReading(state.main)
    ? ['sessions', 'main']
    : ['sessions', 'main', 'preview']
  const focus = panes[(panes.indexOf(state.focus) + by + panes.length) % panes.length] ?? 'sessions'
  if (focus !== 'sessions' && !state.main) return focus === 'main' ? showTree(state) : state
  return { ...state, focus }
}

/** Shows a view in the main pane; Escape goes back to the one before. */
function open(state: State, main: MainPane): State {
  const { main: before, behind } = state
  return { ...state, main, focus: 'main', behind: before ? [before, ...behind].slice(0, MAX_BEHIND) : behind }
}

const MAX_BEHIND = 20

const show = (state: State, subject: ListSubject): State => open(state, listOf(subject))

/** Shows the tree of the session at the cursor, at its entry where there is one. */
function showTree(state: State): State {
  const session = sessionOf(state)
  if (session === undefined) return state
  const at = entryAt(state)?.oid ?? null
  const { main } = state
  if (main?.kind === 'tree' && main.session === session) return { ...state, focus: 'main' }
  const chosen = state.main?.kind === 'tree' ? state.main.filter : 'default'
  // A tree is looked at after another: Escape goes back to the sessions.
  if (state.focus === 'sessions')
    return { ...state, focus: 'main', main: treeOf(session, chosen), behind: [] }
  return open(state, treeOf(session, chosen, at))
}

/** Returns the revision that the cursor is at. */
function revisionHere(state: State): string | undefined {
  const entry = entryAt(state)
  return entry?.oid ?? sessionOf(state)
}

function showPath(state: State, kind: 'log' | 'reader'): State {
  const session = sessionOf(state)
  if (session === undefined) return state
  const entry = entryAt(state)
  // The log of a session begins at its tip, that of an entry at the entry.
  const isAtHead = state.main?.kind === 'tree' && rowAt(state.main, state.main.scroll.cursor)?.head === true
  const revision = entry && !isAtHead && kind === 'log' ? entry.oid : session
  return show(state, { kind, session, revision })
}

function mark(state: State): State {
  const place = entryAt(state)
  if (!place) return state
  const isThis = ({ session, oid }: EntryPlace): boolean => session === place.session && oid === place.oid
  const marks = state.marks.some(isThis) ? state.marks.filter((one) => !isThis(one)) : [...state.marks, place]
  return moveBy({ ...state, marks }, 1)
}

/** Compares two marks, or a mark and the row of the cursor; of a session its tip. */
function showMarked(state: State, kind: 'diff' | 'compare'): State {
  const here = revisionHere(state)
  const marked = state.marks.slice(-2).map(({ oid }): string => oid)
  const [a, b] = marked.length === 2 ? marked : [...marked, here]
  if (a === undefined || b === undefined || a === b)
    return {
      ...state,
      notice: { text: 'mark an entry with Space first, then choose another', isError: false },
    }
  return show(state, { kind, a, b })
}

/** Escape: clears the search, then goes back a view, then to the sessions, then leaves. */
function back(state: State): State {
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

function onTree(state: State, change: (tree: TreePane) => TreePane): State {
  const { main } = state
  return main?.kind === 'tree' ? { ...state, main: change(main) } : state
}

/** Shows a tree by another filter; the same again goes back to the default. */
const filter = (state: State, chosen: GraphFilter): State =>
  onTree(state, ({ session, filter: before, at }) =>
    treeOf(session, before === chosen ? 'default' : chosen, at),
  )

const turnFilter = (state: State, by: 1 | -1): State =>
  onTree(state, ({ session, filter: before, at }) => {
    const place = (FILTERS.indexOf(before) + by + FILTERS.length) % FILTERS.length
    return treeOf(session, FILTERS[place] ?? 'default', at)
  })

function folded(state: State, isOpen: boolean): Step {
  const { main } = state
  const at = entryAt(state)
  if (main?.kind !== 'tree' || !at) return only(state)
  return { state, effects: [{ kind: 'fold', at, isOpen, filter: main.filter }] }
}

function relative(state: State, to: 'parent' | 'child'): Step {
  const { main } = state
  const at = entryAt(state)
  if (main?.kind !== 'tree' || !at) return only(state)
  const effect: BrowserEffect = {
    kind: to === 'parent' ? 'find-parent' : 'find-child',
    at,
    filter: main.filter,
  }
  return { state, effects: [effect] }
}

/** Goes to a hit of the search: in the tree by its position, elsewhere to a row that holds the words. */
function toHit(state: State, to: 'next' | 'previous' | 'nearest'): Step {
  const { main } = state
  if (main?.kind === 'list') return only(inList(state, to))
  if (main?.kind !== 'tree' || !main.hits) return note(state, 'search with / first')
  const { places } = main.hits
  const { cursor } = main.scroll
  const found =
    to === 'previous'
      ? (places.findLast(({ position }) => position < cursor) ?? places.at(-1))
      : (places.find(({ position }) => (to === 'next' ? position > cursor : position >= cursor)) ?? places[0])
  if (!found) return only(state)
  const height = mainHeight(state)
  const top = clamped(main.scroll.top, found.position - height + 1, found.position)
  const scroll = scrolled({ cursor: found.position, top }, main.total, height)
  return only({ ...state, main: { ...withEntry({ ...main, scroll }), at: found.oid } })
}

function inList(state: State, to: 'next' | 'previous' | 'nearest'): State {
  const { main } = state
  if (main?.kind !== 'list' || main.search === '') return state
  const { items, scroll, search } = main
  const holds = (i: number): boolean => textOfItem(items[i]).toLowerCase().includes(search.toLowerCase())
  const by = to === 'previous' ? -1 : 1
  for (let step = to === 'nearest' ? 0 : 1; step <= items.length; step++) {
    const i = (scroll.cursor + by * step + 2 * items.length) % items.length
    if (holds(i))
      return {
        ...state,
        main: { ...main, scroll: scrolled({ ...scroll, cursor: i }, items.length, mainHeight(state)) },
      }
  }
  return { ...state, notice: { text: `nothing holds '${search}'`, isError: false } }
}

/** Returns the text of an item by which it is searched. */
function textOfItem(item: ReturnType<typeof itemAt>): string {
  switch (item?.kind) {
    case 'line':
      return item.line.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')
    case 'operation':
      return item.operation.command
    case 'entry':
      return item.entry.view.blocks.map((block) => ('text' in block ? block.text : '')).join('\n')
    case 'hit':
      return item.hit.snippets.map(({ text }) => text).join('\n')
    default:
      return ''
  }
}

const itemAt = (main: MainPane, i: number) => (main.kind === 'list' ? main.items[i] : undefined)

/** Enter: resumes a session, goes to an entry by the rule of pi, opens a hit, offers to undo an operation. */
function choose(state: State): Step {
  const { focus, main, picks, sessions } = state
  if (picks) return only(pick(state))
  if (focus === 'sessions') {
    if (sessionAt(sessions)) return resume(state)
    const isFound = sessions.places !== null && sessions.places.length > 0
    return isFound ? { state, effects: [{ kind: 'run', words: 'import' }] } : only(state)
  }
  if (main?.kind === 'tree') {
    const row = rowAt(main, main.scroll.cursor)
    if (!row) return only(state)
    if (row.head && promptIn(row.view) === undefined) return note(state, 'the session is here already')
    return planned(
      state,
      decided(state, main.session, navigateChange({ session: main.session, oid: row.oid })),
    )
  }
  const item = main && itemAt(main, main.scroll.cursor)
  if (item?.kind === 'operation') return planned(state, undoChange(item.operation.number))
  const place = entryAt(state)
  if (place && main?.kind === 'list' && main.subject.kind === 'prompts')
    return planned(state, forkChange(place, true))
  if (place) return only(open(state, treeOf(place.session, 'default', place.oid)))
  if (item?.kind === 'hit') return only(open(state, treeOf(item.hit.session, 'default')))
  return only(state)
}

/** Ends with the choice: the id of a session, or the oid of an entry. */
function pick(state: State): State {
  const chosen = entryAt(state)?.oid ?? sessionOf(state)
  return chosen === undefined ? state : { ...state, ending: { code: 0, output: chosen } }
}

function resume(state: State): Step {
  const session = sessionOf(state)
  if (session === undefined || state.picks) return only(state)
  return { state: { ...state, waits: true }, effects: [{ kind: 'resume', session }] }
}

function textOf(state: State, kind: 'edit' | 'copy'): Step {
  if (kind === 'edit' && state.text !== null)
    return { state, effects: [{ kind: 'edit-text', text: state.text }] }
  const place = entryAt(state)
  return place ? { state, effects: [{ kind, of: place.oid }] } : only(state)
}

/** Asks what a change would do; nothing is written before the user says so. */
const planned = (state: State, change: PlannedChange): Step =>
  state.picks ? only(state) : { state: { ...state, waits: true }, effects: [{ kind: 'plan', change }] }

function plan(
  state: State,
  action: 'forkHere' | 'switch' | 'pop' | 'cherryPick' | 'merge' | 'undo' | 'redo',
): Step {
  if (action === 'undo') {
    const { main, focus } = state
    const item = main && focus !== 'sessions' ? itemAt(main, main.scroll.cursor) : undefined
    return planned(state, undoChange(item?.kind === 'operation' ? item.operation.number : undefined))
  }
  if (action === 'redo') return planned(state, REDO)
  const place = entryAt(state)
  const session = state.main?.kind === 'tree' ? state.main.session : place?.session
  if (!place || session === undefined) return only(state)
  switch (action) {
    case 'forkHere':
      return planned(state, forkChange(place, false))
    case 'switch':
      return planned(state, decided(state, session, switchChange(place)))
    case 'pop':
      return planned(state, decided(state, session, popChange(place)))
    case 'cherryPick':
      return planned(
        state,
        decided(state, session, pickChange(session, state.marks.length > 0 ? state.marks : [place])),
      )
    case 'merge':
      return planned(state, decided(state, session, mergeChange(session, place)))
  }
}
