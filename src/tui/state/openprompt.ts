import { entryAt, rowAt, type State, sessionOf } from './state.ts'

/** Opens a line to type into. */
export function openPrompt(
  state: State,
  action: 'search' | 'everywhere' | 'label' | 'branch' | 'export' | 'run' | 'resumeElsewhere',
): State {
  const { focus, main, sessions } = state
  if (action === 'search') {
    const kind = focus === 'sessions' || !main ? 'sessions' : main.kind
    return { ...state, prompt: { kind, text: kind === 'sessions' ? sessions.search : '', at: null } }
  }
  if (action === 'everywhere' || action === 'run')
    return { ...state, prompt: { kind: action, text: '', at: null } }
  if (action === 'export' || action === 'resumeElsewhere') {
    const kind = action === 'export' ? action : 'agent'
    return sessionOf(state) === undefined ? state : { ...state, prompt: { kind, text: '', at: null } }
  }
  const at = entryAt(state)
  if (!at) return state
  return { ...state, prompt: { kind: action, text: action === 'label' ? (labelHere(state) ?? '') : '', at } }
}

/** Returns the label of the entry at the cursor. */
export function labelHere({ main }: State): string | undefined {
  const row = main?.kind === 'tree' ? rowAt(main, main.scroll.cursor) : undefined
  return row?.refs.find(({ kind }) => kind === 'label')?.name
}
