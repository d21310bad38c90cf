/* The types of what verbs return, and of what functions beside them take, for those that call them. */

import type { TreeMove } from '../ops/treemove.ts'

export type { Subagent, ToolPart, Turn, TurnPart } from '../model/turn.ts'
export type { Meaning } from '../ops/ambiguousnames.ts'
export type { StoreBackup } from '../ops/backup.ts'
export type { Branch, ListedBranch } from '../ops/branch.ts'
export type { BranchDetail, BranchFigures } from '../ops/branchlist.ts'
export type { ChangedSession, ChangesOptions, MovedRef, StoreChange } from '../ops/changes.ts'
export type { Comparison, Difference, Metric, Side } from '../ops/compare.ts'
export type { ComparedContexts, ContextDiff, ContextSize, Seen } from '../ops/context/compare.ts'
export type {
  ContextLeft,
  ContextMessage,
  ContextNotes,
  ContextRepair,
  NeutralContext,
  RequestContext,
  RequestFormat,
  RequestNotes,
} from '../ops/context/context.ts'
export type { Amount, Diff, DiffChange, DiffStat, Pair } from '../ops/diff.ts'
export type { DiscoveredFiles } from '../ops/discover.ts'
export type { Edited } from '../ops/edit.ts'
export type { LogEntry } from '../ops/entries.ts'
export type { Loss } from '../ops/export/export.ts'
export type { FormatState, UnknownName } from '../ops/formats.ts'
export type { Finding } from '../ops/fsck/finding.ts'
export type { Fsck } from '../ops/fsck/fsck.ts'
export type { Repair } from '../ops/fsck/repairstore.ts'
export type { Dropped, Gc } from '../ops/gc.ts'
export type { Grafting } from '../ops/graft.ts'
export type { Elided, GraphEntry, GraphHeading, GraphRef } from '../ops/graphentry.ts'
export type { EntryDraft } from '../ops/hashobject.ts'
export type { BasedSession } from '../ops/import/base.ts'
export type { Totals as ImportTotals } from '../ops/import/import.ts'
export type { SessionImport } from '../ops/import/importsessions.ts'
export type { MovedId } from '../ops/import/moveid.ts'
export type { Notice as ImportNotice } from '../ops/import/notices.ts'
export type { Imported, Skipped, Unread } from '../ops/import/result.ts'
export type { UnlinkedSubagent } from '../ops/import/spawnedagents.ts'
export type { UnknownOfFormat } from '../ops/import/unknownofimport.ts'
export type { Label, ListedLabel } from '../ops/label.ts'
export type { Listed, ListedRow, ListedSession, Listing } from '../ops/list.ts'
export type { ListedRef } from '../ops/listrefs.ts'
export type { Merged, SettingConflict } from '../ops/merge.ts'
export type { Migration } from '../ops/migrate.ts'
export type { NearNames } from '../ops/nearnames.ts'
export type { LoggedOperation, Moved } from '../ops/operations.ts'
export type { Rebased } from '../ops/rebase.ts'
export type { ReflogStep } from '../ops/reflog.ts'
export type { Removed } from '../ops/remove.ts'
export type { LostLink, ReplayedEntry, ReplayResult } from '../ops/replay.ts'
export type { ReadAs, Reread, RereadOptions, UnchangedReading } from '../ops/reread/reread.ts'
export type { Resume } from '../ops/resume.ts'
export type { HitPage } from '../ops/rows/searchpage.ts'
export type { TreeCursor, TreeRow } from '../ops/rows/treerows.ts'
export type {
  TreePosition,
  TreeView,
  TreeViewOptions,
  TreeWindow,
  TreeWindowOptions,
} from '../ops/rows/treeview.ts'
export type { Hit, HitSnippet } from '../ops/search/hit.ts'
export type { FoundSession } from '../ops/search/search.ts'
export type { FoundSecret } from '../ops/secrets/scan.ts'
export type { Pairs, WereSet } from '../ops/setkeys.ts'
export type { SharedBase } from '../ops/sharedbase.ts'
export type { Neighbour, Shown, Surroundings } from '../ops/show.ts'
export type { SessionUsage, Stats, UsageRow, UsageStats } from '../ops/stats.ts'
export type { MadeSummary, PathEntries, SummaryEntry } from '../ops/summarize.ts'
export type { Swarm, SwarmBranch } from '../ops/swarm.ts'
export type { TreeMove } from '../ops/treemove.ts'
export type { Turned } from '../ops/undo.ts'
export type { WatchedPlaces } from '../ops/watch.ts'

/** The position of a session: on a branch, on an entry, or before the first one. */
export type Head = TreeMove['head']
export type { SessionRow } from './ls.ts'
