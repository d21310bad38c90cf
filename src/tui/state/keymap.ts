import { SessError } from '../../model/errors.ts'

/** Where a key acts: in every pane, or only in one kind of view. */
export type KeyScope = 'everywhere' | 'tree' | 'entry'

/** An action: its keys, where they act, and its line in the help. */
export interface Binding {
  readonly keys: readonly string[]
  readonly scope: KeyScope
  readonly does: string
}

const binding = (keys: string, scope: KeyScope, does: string): Binding => ({
  keys: keys.split(' '),
  scope,
  does,
})

/**
 * The keys of the browser by the names of their actions, in the order of the help. Arrows, page keys and those with Ctrl or
 * Alt are keys of pi's selector; single letters act only where text does not search at once.
 */
export const KEYMAP = {
  up: binding('up k', 'everywhere', 'one row up'),
  down: binding('down j', 'everywhere', 'one row down'),
  pageUp: binding('left pageup', 'everywhere', 'a page up'),
  pageDown: binding('right pagedown', 'everywhere', 'a page down'),
  first: binding('home g', 'everywhere', 'the first row'),
  last: binding('end G', 'everywhere', 'the last row'),
  nextPane: binding('tab', 'everywhere', 'the next pane'),
  previousPane: binding('shift+tab', 'everywhere', 'the pane before'),
  choose: binding('enter', 'everywhere', 'choose: resume the session, go to the entry, open the hit'),
  back: binding('escape', 'everywhere', 'clear the search, then go back, then leave'),
  search: binding('/', 'everywhere', 'search in this pane'),
  next: binding('n', 'everywhere', 'the next hit'),
  previous: binding('N', 'everywhere', 'the hit before'),
  everywhere: binding('F', 'everywhere', 'search the text of all sessions'),

  tree: binding('t 1', 'everywhere', 'the tree of the session'),
  log: binding('l 2', 'everywhere', 'its log, newest first'),
  reader: binding('v 3', 'everywhere', 'the conversation, to read'),
  operations: binding('o 4', 'everywhere', 'the operations of the store'),
  context: binding('C 5', 'everywhere', 'what the model sees here'),
  commands: binding('W 6', 'everywhere', 'the commands that did the same'),
  diff: binding('d', 'entry', 'diff of two marks, or of a mark and this row'),
  compare: binding('c', 'entry', 'compare two marks, or a mark and this row'),

  fold: binding('ctrl+left alt+left', 'tree', 'fold, or to the start of the segment'),
  unfold: binding('ctrl+right alt+right', 'tree', 'unfold, or to the next segment'),
  parent: binding('K', 'tree', 'the entry that this one continues'),
  child: binding('J', 'tree', 'the entry that continues this one'),
  current: binding('@', 'tree', 'where the session is'),
  filterDefault: binding('ctrl+d', 'tree', 'filter: default'),
  filterNoTools: binding('ctrl+t', 'tree', 'filter: no tools'),
  filterUserOnly: binding('ctrl+u', 'tree', 'filter: prompts only'),
  filterLabeled: binding('ctrl+l', 'tree', 'filter: labels only'),
  filterAll: binding('ctrl+a', 'tree', 'filter: all'),
  nextFilter: binding('ctrl+o', 'tree', 'the next filter'),
  previousFilter: binding('shift+ctrl+o alt+o', 'tree', 'the filter before'),
  times: binding('T', 'tree', 'show times, or hide them'),

  mark: binding('space', 'entry', 'mark, or unmark'),
  label: binding('L', 'entry', 'label the entry; an empty label removes'),
  fork: binding('f', 'tree', 'choose a prompt of the user, and fork a session before it'),
  forkHere: binding('B', 'entry', 'fork a session at this entry'),
  branch: binding('b', 'entry', 'create a branch here'),
  switch: binding('s', 'entry', 'switch the session to this entry'),
  pop: binding('p', 'entry', 'go back to this entry and leave a summary'),
  cherryPick: binding('y', 'entry', 'append the marked entries, or this one, to the current branch'),
  merge: binding('m', 'entry', 'merge this entry into the current branch'),
  undo: binding('u', 'everywhere', 'undo the last operation'),
  redo: binding('U', 'everywhere', 'redo what was undone'),
  resume: binding('R', 'everywhere', 'resume the session in its agent'),
  resumeElsewhere: binding('A', 'everywhere', 'resume the session in another agent'),
  export: binding('x', 'everywhere', 'export the session to a file'),
  edit: binding('e', 'entry', 'open the text of the entry in $EDITOR'),
  copy: binding('ctrl+x', 'entry', 'copy the text of the entry'),
  run: binding(':', 'everywhere', 'run a sess command'),
  help: binding('?', 'everywhere', 'all keys'),
  quit: binding('q', 'everywhere', 'leave'),
} as const satisfies Readonly<Record<string, Binding>>

export type ActionName = keyof typeof KEYMAP

const ACTIONS = Object.keys(KEYMAP) as readonly ActionName[]

/** The keys of an action, by its name. */
export type Keymap = Readonly<Record<ActionName, Binding>>

/**
 * Returns the keys with those that a setting changes: words `action=key` or `action=key,key`. Throws `bad-usage` for an
 * action that there is not.
 */
export function keymapWith(setting: string): Keymap {
  const changed: Record<string, Binding> = { ...KEYMAP }
  for (const word of setting.split(/\s+/).filter(Boolean)) {
    const [name = '', keys = ''] = word.split(/=(.*)/s)
    const known = changed[name]
    if (!known)
      throw new SessError('bad-usage', `'${name}' is no action of the browser`, {
        typed: name,
        choices: ACTIONS,
      })
    changed[name] = { ...known, keys: keys.split(',').filter(Boolean) }
  }
  return changed as Keymap
}

/** Returns the action of a key in some scopes; the narrowest scope counts first. */
export function actionOf(keymap: Keymap, key: string, scopes: readonly KeyScope[]): ActionName | undefined {
  const named = ACTIONS.filter((name) => keymap[name].keys.includes(key))
  for (const scope of scopes) {
    const found = named.find((name) => keymap[name].scope === scope)
    if (found !== undefined) return found
  }
  return undefined
}
