import { quoted } from '../../text/shellwords.ts'
import { type PressedKey, typedBy } from '../terminal/keys.ts'
import { act } from './act.ts'
import { withDigest } from './changes.ts'
import { type Event, only, type Step } from './events.ts'
import { actionOf, type KeyScope } from './keymap.ts'
import { isReading, mainHeight, withNeeds } from './needs.ts'
import { edited, submitted } from './prompt.ts'
import { scrolled } from './scroll.ts'
import { searched } from './sessions.ts'
import { entryAt, type MainPane, type State, withNotice } from './state.ts'
import { withCounts, withWindow } from './tree.ts'

/** Returns the state after an event, and what is to be done then. */
export function update(state: State, event: Event): Step {
  const { state: changed, effects } = react(state, event)
  if (changed.ending) return { state: changed, effects: [] }
  const step = withNeeds(changed)
  return { state: step.state, effects: [...effects, ...step.effects] }
}

function react(state: State, event: Event): Step {
  switch (event.kind) {
    case 'key':
      return onKey(state.notice ? { ...state, notice: null } : state, event.key)
    case 'resized':
      return only(resized({ ...state, size: event.size }))
    case 'ended':
      return only({ ...state, ending: { code: event.code, output: state.text } })
    case 'sessions':
      return only({
        ...state,
        sessions: searched({ ...state.sessions, rows: event.rows, isPending: false }, state),
      })
    case 'places':
      return only({ ...state, sessions: { ...state.sessions, places: event.places } })
    case 'window':
      return only(
        onTree(state, event, (tree) =>
          isSame(tree.pending, event.request) ? withWindow(tree, event, mainHeight(state)) : tree,
        ),
      )
    case 'counted':
      return only(onTree(state, event, withCounts))
    case 'folded':
      return only(onTree(state, event, (tree) => ({ ...tree, at: event.oid, isStale: true })))
    case 'place':
      return placed(state, event)
    case 'found':
      return found(state, event)
    case 'page':
      return only(withPage(state, event))
    case 'preview':
      return only(withPreviewLines(state, event))
    case 'planned':
      // Keys that are typed meanwhile are not lost to the question.
      return only({
        ...state,
        waits: false,
        plan: state.prompt ? state.plan : { change: event.change, lines: event.lines },
      })
    case 'performed':
      return performed(state, event)
    case 'moved':
      return moved(state, event.sessions)
    case 'noted':
      return only({
        ...withNotice({ ...state, waits: false }, event.text, event.isError),
        commands: event.command === undefined ? state.commands : [...state.commands, event.command],
      })
    case 'failed':
      return only(failed(withNotice(state, event.text, true), event))
  }
}

function onKey(state: State, key: PressedKey): Step {
  if ('name' in key) {
    if (key.name === 'ctrl+c') return only({ ...state, ending: { code: 130, output: state.text } })
    if (key.name === 'ctrl+z') return { state, effects: [{ kind: 'suspend' }] }
  }
  if (state.plan) return answered(state, 'name' in key ? key.name : '')
  if (state.prompt) {
    if ('name' in key && key.name === 'enter') return submitted(state)
    if (state.prompt.kind !== 'sessions' || isTyping(key)) return only(edited(state, key))
    // Other keys act on what was found.
    return onKey({ ...state, prompt: null }, key)
  }
  const typed = typedBy(key)
  if (state.typesToSearch && typed !== undefined && !isReading(state.main) && !isShifted(typed))
    return only(edited({ ...state, prompt: searchPrompt(state) }, key))
  const name = 'name' in key ? key.name : ''
  const action = actionOf(state.keymap, name, scopesOf(state))
  if (action === undefined) return only(state)
  return act(state, action)
}

/** Returns whether a key changes a line that is typed, or ends it. */
const isTyping = (key: PressedKey): boolean =>
  typedBy(key) !== undefined || ('name' in key && EDITING.has(key.name))

const EDITING: ReadonlySet<string> = new Set(['backspace', 'ctrl+u', 'ctrl+w', 'escape'])

/** Keys of pi that act though text searches at once. */
const isShifted = (typed: string): boolean => typed === 'L' || typed === 'T'

/** Returns an empty search of the pane that has the focus. */
const searchPrompt = ({ focus, main }: State): NonNullable<State['prompt']> => ({
  kind: focus === 'sessions' ? 'sessions' : main?.kind === 'tree' ? 'tree' : 'list',
  text: '',
  at: null,
})

/** Returns the scopes in which a key is searched, the narrowest first. */
function scopesOf(state: State): KeyScope[] {
  const { focus, main } = state
  if (focus === 'sessions') return ['everywhere']
  const own: readonly KeyScope[] = main?.kind === 'tree' ? ['tree'] : []
  return [...own, ...(entryAt(state) ? (['entry'] as const) : []), 'everywhere']
}

/** Performs a change that was planned, or drops it. */
function answered(state: State, key: string): Step {
  const { plan } = state
  if (!plan) return only(state)
  if (key === 'enter')
    return {
      state: { ...state, plan: null, waits: true },
      effects: [{ kind: 'perform', change: plan.change }],
    }
  if (key === 'd' && plan.change.verb === 'navigate')
    return {
      state: { ...state, plan: null, waits: true },
      effects: [{ kind: 'perform', change: withDigest(plan.change) }],
    }
  if (key === 'escape') return only(withNotice({ ...state, plan: null }, 'nothing was changed'))
  return only(state)
}

function resized(state: State): State {
  const { main, sessions } = state
  const height = mainHeight(state)
  const refitted = searched(sessions, state)
  if (!main) return { ...state, sessions: refitted }
  const count = main.kind === 'tree' ? main.total : main.items.length
  return { ...state, sessions: refitted, main: { ...main, scroll: scrolled(main.scroll, count, height) } }
}

/** Changes the tree of a session, where it is shown. */
function onTree(
  state: State,
  { session, filter }: { readonly session: string; readonly filter?: string },
  change: (tree: Extract<State['main'], { kind: 'tree' }>) => Extract<State['main'], { kind: 'tree' }>,
): State {
  const { main } = state
  if (main?.kind !== 'tree' || main.session !== session) return state
  if (filter !== undefined && main.filter !== filter) return state
  return { ...state, main: change(main) }
}

/** Goes to an entry of the tree that is shown. */
function placed(state: State, { session, oid }: Event & { readonly kind: 'place' }): Step {
  if (oid === null) return only(withNotice(state, 'there is none'))
  return only(onTree(state, { session }, (tree) => ({ ...tree, at: oid, isStale: true, pending: null })))
}

function found(state: State, { session, text, places }: Event & { readonly kind: 'found' }): Step {
  const next: State = { ...state, waits: false }
  const { main } = next
  // Rows were added: it is the same search again.
  if (main?.kind === 'tree' && main.session === session && main.hits?.text === text)
    return only({ ...next, main: { ...main, hits: { text, places } } })
  if (places.length === 0) return only(withNotice(next, `nothing holds '${text}'`))
  return act(
    onTree(next, { session }, (tree) => ({ ...tree, hits: { text, places } })),
    'nearest',
  )
}

/** Returns whether two values are the same as JSON. */
const isSame = (a: object | null, b: object | null): boolean => JSON.stringify(a) === JSON.stringify(b)

function withPage(
  state: State,
  { subject, items, isFirst, next, columns }: Event & { readonly kind: 'page' },
): State {
  const { main } = state
  if (main?.kind !== 'list' || !isSame(main.subject, subject) || main.columns !== columns) return state
  const all = isFirst ? items : [...main.items, ...items]
  const scroll = scrolled(main.scroll, all.length, mainHeight(state))
  return { ...state, main: { ...main, items: all, next, isPending: false, scroll } }
}

function withPreviewLines(state: State, { of, columns, lines }: Event & { readonly kind: 'preview' }): State {
  const { preview } = state
  return preview.of === of && preview.columns === columns
    ? { ...state, preview: { ...preview, lines } }
    : state
}

/** Tells what was done; a prompt that was taken back is kept for the end. */
function performed(state: State, { change, text, prompt }: Event & { readonly kind: 'performed' }): Step {
  const { commands, main } = state
  const next: State = {
    ...state,
    waits: false,
    marks: change.verb === 'cherry-pick' ? [] : state.marks,
    commands: [...commands, change.words.map(quoted).join(' ')],
    text: prompt ?? state.text,
    notice: {
      text: prompt === null ? text : `${text}; its text is printed when you leave, e edits it`,
      isError: false,
    },
    main: main?.kind === 'tree' ? { ...main, isStale: true } : main,
  }
  const { resumeIn, input } = change
  if (resumeIn === undefined) return only(next)
  return { state: next, effects: [{ kind: 'resume', session: String(input.session), format: resumeIn }] }
}

/** Has what other processes, or this one, changed read again. */
function moved(state: State, sessions: readonly string[]): Step {
  const { main, behind, preview, sessions: list } = state
  const isOfMoved = sessions.some((id) => preview.of === `session:${id}`)
  const next: State = {
    ...state,
    sessions: { ...list, isStale: true },
    main: main && outdated(main, sessions),
    behind: behind.map((one) => outdated(one, sessions)),
    preview: isOfMoved ? { ...preview, of: null } : preview,
  }
  // The hits of a search are counted by their rows, which move.
  if (main?.kind !== 'tree' || !main.hits || !sessions.includes(main.session)) return only(next)
  const { session, filter, hits } = main
  return { state: next, effects: [{ kind: 'find', session, filter, text: hits.text }] }
}

/** Returns a view that is to be read again, if sessions that changed stand in it. */
function outdated(main: MainPane, sessions: readonly string[]): MainPane {
  if (main.kind === 'tree')
    return sessions.includes(main.session) ? { ...main, isStale: true, error: null } : main
  return GROWING.has(main.subject.kind) && main.scroll.cursor === 0
    ? { ...main, isStale: true, error: null }
    : main
}

/** The lists whose first rows are the newest. */
const GROWING: ReadonlySet<string> = new Set(['log', 'operations'])

/** Returns the state in which nothing waits any more for what could not be done. */
function failed(state: State, { effect, text }: Event & { readonly kind: 'failed' }): State {
  const { main, sessions } = state
  switch (effect.kind) {
    case 'read-sessions':
      return { ...state, sessions: { ...sessions, rows: sessions.rows ?? [], isPending: false } }
    case 'read-places':
      return { ...state, sessions: { ...sessions, places: [] } }
    case 'read-window':
      return onTree(state, effect, (tree) => ({ ...tree, pending: null, error: text }))
    case 'read-page':
      return main?.kind === 'list' && isSame(main.subject, effect.subject)
        ? { ...state, main: { ...main, isPending: false, error: text } }
        : state
    case 'read-preview':
      return state
    default:
      return { ...state, waits: false }
  }
}
