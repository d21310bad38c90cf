import { distance } from 'fastest-levenshtein'

/** Words that people know from git, jj and agents, and the commands that do that here, the likeliest first. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  add: ['import', 'append'],
  amend: ['append'],
  blame: ['log'],
  bookmark: ['label', 'branch'],
  cat: ['show'],
  check: ['fsck'],
  checkout: ['switch'],
  clone: ['import', 'fork'],
  commit: ['append'],
  continue: ['append'],
  copy: ['fork'],
  cp: ['fork'],
  create: ['append', 'init'],
  delete: ['rm', 'branch'],
  duplicate: ['fork'],
  fetch: ['import'],
  find: ['search'],
  graph: ['tree', 'log'],
  grep: ['search'],
  history: ['log', 'reflog'],
  info: ['show', 'stats'],
  list: ['ls'],
  load: ['import'],
  message: ['append'],
  mv: ['rename'],
  new: ['append'],
  open: ['switch', 'show'],
  operation: ['op'],
  pull: ['import'],
  push: ['export'],
  remove: ['rm', 'branch'],
  reset: ['switch', 'undo'],
  restore: ['undo', 'op'],
  resume: ['append'],
  revert: ['undo'],
  rollback: ['undo', 'switch'],
  save: ['export'],
  say: ['append'],
  sessions: ['ls'],
  setting: ['config'],
  settings: ['config'],
  status: ['ls', 'log'],
  tag: ['label'],
  verify: ['fsck'],
  view: ['show'],
}

/** Returns the commands of sess that do what a word of another tool does. */
export const meantBy = (word: string, commands: readonly string[]): string[] =>
  (Object.hasOwn(FOREIGN, word) ? (FOREIGN[word] ?? []) : []).filter((command) => commands.includes(command))

/**
 * Returns at most three names that a word may have meant, the nearest first: similar ones, or ones that contain the
 * word.
 */
export function nearest(word: string, names: Iterable<string>): string[] {
  const asked = word.toLowerCase()
  // Two letters that changed places are two edits.
  const limit = asked.length < 4 ? 1 : Math.max(2, Math.min(4, Math.floor(asked.length / 3)))
  const scored: [number, string][] = []
  for (const name of new Set(names)) {
    const lower = name.toLowerCase()
    const apart = distance(asked, lower.slice(0, 200))
    const within = asked.length >= 3 && lower.includes(asked)
    if (apart <= limit || within || (asked.length > 2 && sorted(asked) === sorted(lower)))
      scored.push([within ? 0 : apart, name])
  }
  return scored
    .sort(([a], [b]) => a - b)
    .slice(0, 3)
    .map(([, name]) => name)
}

/** Returns the letters of a word in order: those of two are the same where letters only changed places. */
const sorted = (word: string): string => [...word].sort().join('')

/** Returns the start of a hint that suggests names for a mistyped word; '' if no name is near. */
export const guessing = (names: readonly string[]): string =>
  names.length === 0 ? '' : `did you mean ${names.map((name) => `'${name}'`).join(' or ')}? `
