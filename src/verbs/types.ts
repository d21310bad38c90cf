/* The types of what verbs return, for interfaces that show it. */

import type { TreeMove } from '../ops/treemove.ts'

export type { ListedBranch } from '../ops/branch.ts'
export type { BranchDetail } from '../ops/branchlist.ts'
export type { Comparison, Difference, Metric, Side } from '../ops/compare.ts'
export type { ComparedContexts, ContextDiff, Seen } from '../ops/context/compare.ts'
export type { ContextMessage, ContextNotes, NeutralContext } from '../ops/context/context.ts'
export type { Amount, Diff, DiffChange, DiffStat, Pair } from '../ops/diff.ts'
export type { LogEntry } from '../ops/entries.ts'
export type { Elided, GraphEntry, GraphHeading, GraphRef } from '../ops/graphentry.ts'
export type { ListedLabel } from '../ops/label.ts'
export type { Listed, ListedSession, Listing } from '../ops/list.ts'
export type { ListedRef } from '../ops/listrefs.ts'
export type { Merged, SettingConflict } from '../ops/merge.ts'
export type { LoggedOperation, Moved } from '../ops/operations.ts'
export type { Rebased } from '../ops/rebase.ts'
export type { ReflogStep } from '../ops/reflog.ts'
export type { Removed } from '../ops/remove.ts'
export type { ReplayResult } from '../ops/replay.ts'
export type { Hit, HitSnippet } from '../ops/search/hit.ts'
export type { Pairs, WereSet } from '../ops/setkeys.ts'
export type { Neighbour, Shown, Surroundings } from '../ops/show.ts'
export type { Stats, UsageRow, UsageStats } from '../ops/stats.ts'
export type { Subagent } from '../ops/subagents.ts'
export type { TreeMove } from '../ops/treemove.ts'
export type { Turned } from '../ops/undo.ts'

/** The position of a session: on a branch, on an entry, or before the first one. */
export type Head = TreeMove['head']
