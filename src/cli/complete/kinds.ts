/** The kinds of values of arguments and options, by their names in help. */
export type Kind =
  | 'session'
  | 'revision'
  | 'branch'
  | 'label'
  | 'labels'
  | 'pair'
  | 'pairs'
  | 'key'
  | 'operation'
  | 'ref'
  | 'agent'
  | 'format'
  | 'file'
  | 'folder'
  | 'topic'
  | 'command'
  | 'setting'
  | 'value'

const KINDS: Readonly<Record<string, Kind>> = {
  session: 'session',
  revision: 'revision',
  start: 'revision',
  ref: 'revision',
  entry: 'revision',
  a: 'revision',
  b: 'revision',
  branch: 'branch',
  label: 'label',
  path: 'file',
  file: 'file',
  dir: 'folder',
  topic: 'topic',
  key: 'setting',
  value: 'value',
  pair: 'pair',
  operation: 'operation',
  op: 'operation',
  agent: 'agent',
}

/** The same for commands that mean something else by a name. */
const OF: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  'for-each-ref': { pattern: 'ref' },
  help: { command: 'command' },
  log: { name: 'format' },
  ls: { name: 'format', label: 'labels', condition: 'pairs' },
  set: { key: 'key' },
  show: { name: 'format' },
  'update-ref': { name: 'ref', new: 'revision', old: 'revision' },
}

/** Returns the kind of an argument name in a command, if any: the last word of a name decides. */
export function kindOf(name: string, command: string): Kind | undefined {
  const word = name.split(/[-\s]/).at(-1) ?? ''
  return OF[command]?.[word] ?? KINDS[word]
}
