import { firstLine, grouped, type Line, plainLine, styled } from '../../text/text.ts'
import { widthOf } from '../../text/width.ts'
import type { ActionName } from '../state/keymap.ts'
import { isReading } from '../state/needs.ts'
import type { PromptKind, State } from '../state/state.ts'

const ASKED: Readonly<Record<PromptKind, string>> = {
  sessions: '/',
  tree: '/',
  list: '/',
  everywhere: 'search all sessions: ',
  label: 'label (empty removes): ',
  branch: 'name of the branch: ',
  export: 'write to the file: ',
  run: ':sess ',
  agent: 'resume in the agent: ',
}

/** Returns the last line of the screen: what is typed, what was done, or the keys that matter here. */
export function statusLine(state: State): Line {
  const { prompt, plan, notice, waits, marks } = state
  if (plan)
    return [
      styled('bold', ' Enter'),
      ' does it, ',
      ...(plan.change.verb === 'navigate' ? [styled('bold', 'd'), ' and leaves a digest of the path, '] : []),
      styled('bold', 'Escape'),
      ' does not',
    ]
  if (prompt) return [styled('bold', ` ${ASKED[prompt.kind]}`), prompt.text, styled('bold', '▏')]
  if (notice) return [styled(notice.isError ? 'red' : 'green', ` ${firstLine(notice.text)}`)]
  const told: Line = [
    ...(waits ? [styled('yellow', ' …')] : []),
    ...(marks.length > 0 ? [styled('cyan', ` ${grouped(marks.length)} marked`)] : []),
  ]
  const hints = hintsOf(state).map(
    ([action, does]): Line => [
      '  ',
      styled('bold', keyName(state.keymap[action].keys[0] ?? '')),
      styled('dim', ` ${does}`),
    ],
  )
  // Search, help and leaving stay where not all of them fit.
  while (hints.length > GENERAL && widthOf(plainLine([...told, ...hints.flat()])) > state.size.columns)
    hints.splice(-GENERAL - 1, 1)
  return [...told, ...hints.flat()]
}

/** The number of keys that matter in most panes. */
const GENERAL = 3

const NAMES: Readonly<Record<string, string>> = {
  enter: '⏎',
  escape: 'Esc',
  tab: 'Tab',
  space: 'Space',
  up: '↑',
  down: '↓',
  left: '←',
  right: '→',
}

/** Returns a key as people write it. */
export const keyName = (key: string): string =>
  NAMES[key] ?? key.replace('ctrl+', '^').replace('alt+', 'Alt+').replace('shift+', 'Shift+')

/** Returns the keys that matter in the pane that has the focus. */
function hintsOf({ focus, main, picks }: State): [ActionName, string][] {
  const general: [ActionName, string][] = [
    ['search', 'search'],
    ['help', 'keys'],
    ['quit', 'leave'],
  ]
  if (picks)
    return [
      ['choose', 'choose'],
      ['nextPane', 'its tree'],
      ['back', 'nothing'],
    ]
  if (focus === 'sessions')
    return [
      ['choose', 'resume'],
      ['nextPane', 'tree'],
      ['reader', 'read'],
      ['everywhere', 'find text'],
      ...general,
    ]
  if (focus === 'preview') return [['pageDown', 'page'], ['back', 'back'], ...general]
  if (main?.kind === 'tree')
    return [
      ['choose', 'go here'],
      ['fork', 'fork'],
      ['mark', 'mark'],
      ['diff', 'diff'],
      ['reader', 'read'],
      ['undo', 'undo'],
      ...general,
    ]
  if (isReading(main)) return [['pageDown', 'page'], ['back', 'back'], ...general]
  return [['choose', 'open'], ['back', 'back'], ...general]
}
