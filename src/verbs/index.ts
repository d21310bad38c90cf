import type { Verb } from './verb.ts'

/** Loads the declaration of each verb, by its name: an interface that runs one verb loads no other. */
const LOADERS = {
  append: async () => (await import('./append.ts')).append,
  branch: async () => (await import('./branch.ts')).branch,
  'branch-delete': async () => (await import('./branch-delete.ts')).branchDelete,
  'branch-rename': async () => (await import('./branch-rename.ts')).branchRename,
  branches: async () => (await import('./branches.ts')).branches,
  fork: async () => (await import('./fork.ts')).fork,
  graph: async () => (await import('./graph.ts')).graph,
  label: async () => (await import('./label.ts')).label,
  'label-delete': async () => (await import('./label-delete.ts')).labelDelete,
  labels: async () => (await import('./labels.ts')).labels,
  log: async () => (await import('./log.ts')).log,
  ls: async () => (await import('./ls.ts')).ls,
  navigate: async () => (await import('./navigate.ts')).navigate,
  new: async () => (await import('./new.ts')).newSession,
  'op-log': async () => (await import('./op-log.ts')).opLog,
  'op-restore': async () => (await import('./op-restore.ts')).opRestore,
  'op-show': async () => (await import('./op-show.ts')).opShow,
  pop: async () => (await import('./pop.ts')).pop,
  redo: async () => (await import('./redo.ts')).redo,
  reflog: async () => (await import('./reflog.ts')).reflog,
  rename: async () => (await import('./rename.ts')).rename,
  rm: async () => (await import('./rm.ts')).rm,
  search: async () => (await import('./search.ts')).search,
  'search-count': async () => (await import('./search-count.ts')).searchCount,
  switch: async () => (await import('./switch.ts')).switchHead,
  tree: async () => (await import('./tree.ts')).tree,
  undo: async () => (await import('./undo.ts')).undo,
} as const

export type VerbName = keyof typeof LOADERS

/** The names of all verbs. */
export const VERBS = Object.keys(LOADERS) as readonly VerbName[]

/** Returns the declaration of a verb. */
export const loadVerb = (name: VerbName): Promise<Verb> => LOADERS[name]() as Promise<Verb>
