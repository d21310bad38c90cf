import { type PressedKey, typedBy } from '../terminal/keys.ts'
import { act } from './act.ts'
import { agentChange, branchChange, exportChange, labelChange } from './changes.ts'
import type { Step } from './events.ts'
import { labelHere } from './openprompt.ts'
import { searched } from './sessions.ts'
import { type Prompt, type State, sessionOf } from './state.ts'
import { show } from './views.ts'

/** Returns the state after a key of a line that is typed. Escape drops it, and a search of the sessions with it. */
export function edited(state: State, key: PressedKey): State {
  const { prompt } = state
  if (!prompt) return state
  const name = 'name' in key ? key.name : ''
  if (name === 'escape') return cleared(state)
  const typed = typedBy(key)
  const text =
    name === 'backspace'
      ? [...prompt.text].slice(0, -1).join('')
      : name === 'ctrl+u'
        ? ''
        : name === 'ctrl+w'
          ? prompt.text.replace(/\S*\s*$/, '')
          : prompt.text + (typed ?? '')
  const next = { ...state, prompt: { ...prompt, text } }
  if (prompt.kind === 'sessions') return { ...next, sessions: searched(state.sessions, state, text) }
  return next
}

function cleared(state: State): State {
  const { prompt, sessions } = state
  const next = { ...state, prompt: null }
  return prompt?.kind === 'sessions' ? { ...next, sessions: searched(sessions, next, '') } : next
}

/** Returns what the line that was typed begins. */
export function submitted(state: State): Step {
  const { prompt } = state
  if (!prompt) return { state, effects: [] }
  const next: State = { ...state, prompt: null }
  const text = prompt.text.trim()
  switch (prompt.kind) {
    case 'sessions':
      // As in pi, one Enter chooses what was found.
      return state.typesToSearch ? act(next, 'choose') : { state: next, effects: [] }
    case 'tree':
      return searchTree(next, text)
    case 'list': {
      const { main } = next
      return main?.kind === 'list' && text !== ''
        ? act({ ...next, main: { ...main, search: text } }, 'nearest')
        : { state: next, effects: [] }
    }
    case 'everywhere':
      return { state: text === '' ? next : show(next, { kind: 'hits', query: text }), effects: [] }
    case 'run':
      return { state: next, effects: text === '' ? [] : [{ kind: 'run', words: text }] }
    default:
      return named(next, prompt, text)
  }
}

function searchTree(state: State, text: string): Step {
  const { main } = state
  if (main?.kind !== 'tree' || text === '') return { state, effects: [] }
  const { session, filter } = main
  return { state: { ...state, waits: true }, effects: [{ kind: 'find', session, filter, text }] }
}

/** Plans the change that the line gave a name to. */
function named(state: State, { kind, at }: Prompt, text: string): Step {
  const session = sessionOf(state)
  const change =
    kind === 'label'
      ? at && labelChange(at, text, labelHere(state))
      : text === ''
        ? undefined
        : kind === 'branch'
          ? at && branchChange(at, text)
          : session === undefined
            ? undefined
            : kind === 'agent'
              ? agentChange(session, text)
              : exportChange(session, text)
  if (!change) return { state, effects: [] }
  // A label is written at once, as in pi: it is seen in its row, and undone by a key.
  const isPlain = kind === 'label'
  return { state: { ...state, waits: true }, effects: [{ kind: isPlain ? 'perform' : 'plan', change }] }
}
