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
import { type BrowserEffect, only, type Step } from './events.ts'
import type { ActionName } from './keymap.ts'
import { itemAt, mark, moveBy, page, toHit } from './moves.ts'
import { openPrompt } from './openprompt.ts'
import {
  entryAt,
  type PlannedChange,
  rowAt,
  type State,
  sessionAt,
  sessionOf,
  treeOf,
  withNotice,
} from './state.ts'
import {
  back,
  filter,
  onTree,
  open,
  refocused,
  revisionHere,
  show,
  showMarked,
  showPath,
  showTree,
  turnFilter,
} from './views.ts'

/** Returns the state after an action, and what is to be done. `nearest` goes to the hit at the cursor or after it. */
export function act(state: State, action: ActionName | 'nearest'): Step {
  if (state.picks && WRITES.has(action)) return only(state)
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
      return only(
        onTree(state, (tree) => ({ ...tree, at: null, rows: [], total: 0, pending: null, error: null })),
      )
    case 'resume':
      return resume(state)
    case 'edit':
    case 'copy':
      return textOf(state, action)
    default:
      return plan(state, action)
  }
}

/** The actions that begin a change, or lend the terminal: not while something is picked. */
const WRITES: ReadonlySet<ActionName | 'nearest'> = new Set([
  'label',
  'branch',
  'fork',
  'forkHere',
  'switch',
  'pop',
  'cherryPick',
  'merge',
  'undo',
  'redo',
  'resume',
  'resumeElsewhere',
  'export',
  'edit',
  'run',
])

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
    if (row.head) return only(withNotice(state, 'the session is here already'))
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
  if (place) return only(open(state, treeOf(place.session, state.filter, place.oid)))
  if (item?.kind === 'hit') return only(open(state, treeOf(item.hit.session, state.filter)))
  return only(state)
}

/** Ends with the choice: the id of a session, or the oid of an entry. */
function pick(state: State): State {
  const entry = entryAt(state)
  const chosen = (state.picks === 'entry' ? entry?.oid : entry?.session) ?? sessionOf(state)
  return chosen === undefined ? state : { ...state, ending: { code: 0, output: chosen } }
}

function resume(state: State): Step {
  const session = sessionOf(state)
  if (session === undefined) return only(state)
  return { state: { ...state, waits: true }, effects: [{ kind: 'resume', session }] }
}

function textOf(state: State, kind: 'edit' | 'copy'): Step {
  if (kind === 'edit' && state.text !== null)
    return { state, effects: [{ kind: 'edit-text', text: state.text }] }
  const place = entryAt(state)
  return place ? { state, effects: [{ kind, of: place.oid }] } : only(state)
}

/** Asks what a change would do; nothing is written before the user says so. */
const planned = (state: State, change: PlannedChange): Step => ({
  state: { ...state, waits: true },
  effects: [{ kind: 'plan', change }],
})

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
