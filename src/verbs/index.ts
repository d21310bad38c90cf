import type { Verb } from './verb.ts'

/** Loads the declaration of each verb, by its name: an interface that runs one verb loads no other. */
const LOADERS = {
  append: async () => (await import('./append.ts')).append,
  branch: async () => (await import('./branch.ts')).branch,
  'branch-delete': async () => (await import('./branch-delete.ts')).branchDelete,
  'branch-rename': async () => (await import('./branch-rename.ts')).branchRename,
  branches: async () => (await import('./branches.ts')).branches,
  'cat-file': async () => (await import('./cat-file.ts')).catFile,
  'cherry-pick': async () => (await import('./cherry-pick.ts')).cherryPick,
  compact: async () => (await import('./compact.ts')).compact,
  compare: async () => (await import('./compare.ts')).compare,
  context: async () => (await import('./context.ts')).context,
  'context-compare': async () => (await import('./context-compare.ts')).contextCompare,
  'context-diff': async () => (await import('./context-diff.ts')).contextDiff,
  'context-pi': async () => (await import('./context-pi.ts')).contextPi,
  'context-request': async () => (await import('./context-request.ts')).contextRequest,
  diff: async () => (await import('./diff.ts')).diff,
  'diff-stat': async () => (await import('./diff-stat.ts')).diffStat,
  'for-each-ref': async () => (await import('./for-each-ref.ts')).forEachRef,
  fork: async () => (await import('./fork.ts')).fork,
  graph: async () => (await import('./graph.ts')).graph,
  handoff: async () => (await import('./handoff.ts')).handoff,
  label: async () => (await import('./label.ts')).label,
  'label-delete': async () => (await import('./label-delete.ts')).labelDelete,
  labels: async () => (await import('./labels.ts')).labels,
  log: async () => (await import('./log.ts')).log,
  ls: async () => (await import('./ls.ts')).ls,
  'ls-objects': async () => (await import('./ls-objects.ts')).lsObjects,
  merge: async () => (await import('./merge.ts')).merge,
  'merge-base': async () => (await import('./merge-base.ts')).mergeBase,
  mv: async () => (await import('./mv.ts')).mv,
  navigate: async () => (await import('./navigate.ts')).navigate,
  new: async () => (await import('./new.ts')).newSession,
  'op-log': async () => (await import('./op-log.ts')).opLog,
  'op-restore': async () => (await import('./op-restore.ts')).opRestore,
  'op-show': async () => (await import('./op-show.ts')).opShow,
  pop: async () => (await import('./pop.ts')).pop,
  rebase: async () => (await import('./rebase.ts')).rebase,
  redo: async () => (await import('./redo.ts')).redo,
  reflog: async () => (await import('./reflog.ts')).reflog,
  rename: async () => (await import('./rename.ts')).rename,
  'rev-list': async () => (await import('./rev-list.ts')).revList,
  'rev-list-count': async () => (await import('./rev-list-count.ts')).revListCount,
  'rev-parse': async () => (await import('./rev-parse.ts')).revParse,
  rm: async () => (await import('./rm.ts')).rm,
  search: async () => (await import('./search.ts')).search,
  'search-count': async () => (await import('./search-count.ts')).searchCount,
  set: async () => (await import('./set.ts')).set,
  show: async () => (await import('./show.ts')).show,
  stats: async () => (await import('./stats.ts')).stats,
  switch: async () => (await import('./switch.ts')).switchHead,
  tree: async () => (await import('./tree.ts')).tree,
  'tree-graph': async () => (await import('./tree-graph.ts')).treeGraph,
  undo: async () => (await import('./undo.ts')).undo,
  'update-ref': async () => (await import('./update-ref.ts')).updateRef,
  usage: async () => (await import('./usage.ts')).usage,
} as const

export type VerbName = keyof typeof LOADERS

/** The names of all verbs. */
export const VERBS = Object.keys(LOADERS) as readonly VerbName[]

/** Returns the declaration of a verb. */
export const loadVerb = (name: VerbName): Promise<Verb> => LOADERS[name]() as Promise<Verb>
