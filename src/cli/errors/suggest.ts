import { distance } from 'fastest-levenshtein'

/** Words that people know from git, jj and agents, and the commands that do that here, the likeliest first. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  add: ['import', 'append'],
  agents: ['formats', 'stats --by agent'],
  amend: ['append'],
  annotate: ['log --everywhere -- FILE'],
  blame: ['log --everywhere -- FILE'],
  bookmark: ['label', 'branch'],
  cat: ['show'],
  chat: ['append'],
  check: ['fsck'],
  checkout: ['switch'],
  clean: ['gc'],
  clone: ['import', 'fork'],
  commit: ['append'],
  continue: ['append'],
  copy: ['fork'],
  cost: ['stats', 'ls --sort cost'],
  costs: ['stats', 'ls --sort cost'],
  cp: ['fork'],
  create: ['append', 'init'],
  delete: ['rm', 'branch'],
  doctor: ['fsck'],
  duplicate: ['fork'],
  fetch: ['import'],
  files: ['log --everywhere -- FILE'],
  find: ['search'],
  graph: ['tree', 'log'],
  grep: ['search'],
  history: ['log', 'op log'],
  info: ['show', 'stats'],
  last: ['show', 'log'],
  list: ['ls'],
  load: ['import'],
  message: ['append'],
  models: ['stats --by model'],
  new: ['append'],
  open: ['switch', 'show'],
  operation: ['op'],
  price: ['stats'],
  projects: ['ls --project NAME', 'stats --by project'],
  prune: ['gc'],
  pull: ['import'],
  push: ['export'],
  recent: ['ls'],
  remove: ['rm', 'branch'],
  repair: ['fsck'],
  reset: ['switch', 'undo'],
  restore: ['undo', 'op'],
  revert: ['undo'],
  rewind: ['pop', 'switch'],
  rollback: ['undo', 'switch'],
  save: ['export'],
  say: ['append'],
  sessions: ['ls'],
  setting: ['config'],
  settings: ['config'],
  spend: ['stats'],
  status: ['ls', 'log'],
  summarize: ['compact'],
  summary: ['compact'],
  sync: ['import'],
  tag: ['label'],
  title: ['rename'],
  today: ['stats --by day'],
  tokens: ['stats'],
  update: ['import'],
  usage: ['stats', 'stats --by day'],
  verify: ['fsck'],
  view: ['show'],
  who: ['op log'],
}

/** Returns the commands of sess, with what is typed after them, that do what a word of another tool does. */
export const meantBy = (word: string, commands: readonly string[]): string[] =>
  (Object.hasOwn(FOREIGN, word) ? (FOREIGN[word] ?? []) : []).filter((line) =>
    commands.includes(line.split(' ', 1)[0] as string),
  )

/**
 * Returns at most three names that a word may have meant, the nearest first: similar ones, ones with a similar first
 * word, or ones that contain the word.
 */
export function nearest(word: string, names: Iterable<string>): string[] {
  const asked = word.toLowerCase()
  const limit = asked.length < 6 ? 1 : asked.length < 9 ? 2 : 3
  const scored: [number, string][] = []
  for (const name of new Set(names)) {
    const lower = name.toLowerCase()
    const [first = ''] = lower.split(/[-\s]/)
    const edits = Math.min(editsTo(asked, lower), asked.length < 4 ? limit + 1 : editsTo(asked, first) + 0.5)
    if (asked.length >= 3 && lower.includes(asked)) scored.push([0, name])
    else if (edits <= limit + 0.5) scored.push([edits, name])
  }
  return scored
    .sort(([a], [b]) => a - b)
    .slice(0, 3)
    .map(([, name]) => name)
}

/** Returns how many letters differ; letters that only changed places are one edit. */
function editsTo(asked: string, name: string): number {
  const edits = distance(asked, name.slice(0, 200))
  const isSwapped = asked.length > 2 && asked.length === name.length && sorted(asked) === sorted(name)
  return isSwapped ? Math.min(1, edits) : edits
}

const sorted = (word: string): string => [...word].sort().join('')

/** Returns the start of a hint that suggests names for a mistyped word; '' if no name is near. */
export const didYouMean = (names: readonly string[]): string =>
  names.length === 0 ? '' : `did you mean ${names.map((name) => `'${name}'`).join(' or ')}? `
