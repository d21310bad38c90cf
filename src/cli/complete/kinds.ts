/** What the values of an argument or an option are, by the name that help gives them. */
export type Kind = 'session' | 'revision' | 'branch' | 'label' | 'file' | 'folder' | 'topic' | 'setting'

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
}

/** Gives the kind that a name stands for, if any: a name may have several words, of which the last says what it is. */
export const kindOf = (name: string): Kind | undefined => KINDS[name.split(/[-\s]/).at(-1) ?? '']
