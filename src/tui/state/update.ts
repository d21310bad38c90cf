import { typedBy } from '../terminal/keys.ts'
import { act } from './act.ts'
import { withDigest } from './changes.ts'
import { type BrowserEffect, type Event, only, type Step } from './events.ts'
import { actionOf, type KeyScope } from './keymap.ts'
import { isReading, mainHeight, withNeeds } from './needs.ts'
import { edited, submitted } from './prompt.ts'
import { scrolled } from './scroll.ts'
import { searched } from './sessions.ts'
import { entryAt, type ListPane, type State, withNotice } from './state.ts'
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
      return only({ ...state, ending: { code: event.code, output: null } })
    case 'sessions':
      return only({
        ...state,
        waits: false,
        sessions: searched({ ...state.sessions, rows: event.rows }, state),
      })
    case 'places':
      return only({ ...state, waits: false, sessions: { ...state.sessions, places: event.places } })
    case 'window':
      return only(onTree(state, event, (tree) => withWindow(tree, event, mainHeight(state))))
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
      return only({ ...state, waits: false, plan: { change: event.change, lines: event.lines } })
    case 'performed':
      return performed(state, event)
    case 'moved':
      return moved(state, event.sessions)
    case 'noted':
      return only({
        ...state,
        waits: false,
        plan: null,
        notice: { text: event.text, isError: event.isError },
      })
  }
}

function onKey(state: State, key: (Event & { readonly kind: 'key' })['key']): Step {
  if ('name' in key) {
    if (key.name === 'ctrl+c') return only({ ...state, ending: { code: 130, output: null } })
    if (key.name === 'ctrl+z') return { state, effects: [{ kind: 'suspend' }] }
  }
  if (state.plan) return answered(state, 'name' in key ? key.name : '')
  if (state.prompt) {
    if ('name' in key && key.name === 'enter') return submitted(state)
    return only(edited(state, key))
  }
  const typed = typedBy(key)
  if (state.typesToSearch && typed !== undefined && !isReading(state.main) && !isShifted(typed))
    return only(edited({ ...state, prompt: searchPrompt(state) }, key))
  const name = 'name' in key ? key.name : ''
  const action = actionOf(state.keymap, name, scopesOf(state))
  if (action === undefined) return only(state)
  return act(state, action)
}

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
  if (focus === 'sessions') return ['sessions', ...(main ? [] : (['entry'] as const)), 'everywhere']
  const own: KeyScope = main?.kind === 'list' ? 'list' : 'tree'
  return [own, ...(entryAt(state) ? (['entry'] as const) : []), 'everywhere']
}

/** Performs a change that was planned, or drops it. */
function answered(state: State, key: string): Step {
  const { plan } = state
  if (!plan) return only(state)
  if (key === 'enter' || key === 'y')
    return {
      state: { ...state, plan: null, waits: true },
      effects: [{ kind: 'perform', change: plan.change }],
    }
  if (key === 'd' && plan.change.verb === 'navigate')
    return {
      state: { ...state, plan: null, waits: true },
      effects: [{ kind: 'perform', change: withDigest(plan.change) }],
    }
  if (key === 'escape' || key === 'n' || key === 'q')
    return only(withNotice({ ...state, plan: null }, 'nothing was changed'))
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

/** Changes the tree of a session, wherever it is shown. */
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
  if (places.length === 0) return only(withNotice(next, `nothing holds '${text}'`))
  return act(
    onTree(next, { session }, (tree) => ({ ...tree, hits: { text, places } })),
    'nearest',
  )
}

const isSameSubject = (a: ListPane['subject'], b: ListPane['subject']): boolean =>
  JSON.stringify(a) === JSON.stringify(b)

function withPage(
  state: State,
  { subject, items, isFirst, next, columns }: Event & { readonly kind: 'page' },
): State {
  const { main } = state
  if (main?.kind !== 'list' || !isSameSubject(main.subject, subject) || main.columns !== columns) return state
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
    commands: [...commands, change.words.join(' ')],
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

/** Reads again what other processes, or this one, changed. */
function moved(state: State, sessions: readonly string[]): Step {
  const { main, preview } = state
  const effects: BrowserEffect[] = [{ kind: 'read-sessions' }]
  const isShown = main?.kind === 'tree' && sessions.includes(main.session)
  return {
    state: {
      ...state,
      main:
        main?.kind === 'tree' && isShown
          ? { ...main, isStale: true }
          : main?.kind === 'list' && ALIVE.has(main.subject.kind) && main.scroll.cursor === 0
            ? { ...main, columns: 0 }
            : main,
      preview: preview.of?.startsWith('session:') ? { ...preview, of: null } : preview,
    },
    effects,
  }
}

/** The lists whose first rows are the newest. */
const ALIVE: ReadonlySet<string> = new Set(['log', 'operations'])
