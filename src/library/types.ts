/* The types of what the methods of `Store` and `Session` take and return, by subject. */

// Files of agents.
export type { Loss, LossCode } from '../formats/core/losses.ts'
// Contexts and summaries.
export type { PiContext } from '../formats/pi/context.ts'
export type { AnthropicRequest } from '../formats/requests/anthropic.ts'
export type { ChatRequest, ResponsesRequest } from '../formats/requests/openai.ts'
export type { Oid } from '../model/encoding/oid.ts'
// Entries, values and errors.
export type {
  ErrorCode as Code,
  ErrorData,
  ErrorKind as Kind,
  ErrorPosition as Place,
  Remedy,
} from '../model/errors.ts'
export type { Json } from '../model/json.ts'
// Changes of history.
export type { PlanStep, PlanVerb } from '../model/plan.ts'
// Reading, searching and comparing.
export type { Price, PriceOf } from '../model/prices.ts'
export type { RepairKind } from '../model/repair.ts'
// Operations, secrets and upkeep.
export type { FindSecrets, Secret } from '../model/secrets/secret.ts'
export type { Figures, PathOutcome as Outcome } from '../model/statistics.ts'
export type { Earlier } from '../model/structuralsummary.ts'
export type { CallUsage, Tokens, UsageTotals } from '../model/usage.ts'
export type { Block, Effect, Role, Seal, Setting, Usage, View } from '../model/view.ts'
export type { AgentPosition } from '../ops/agentposition.ts'
export type { NewSession } from '../ops/append/append.ts'
// Sessions, branches and labels.
export type { AppendTo, TypedAppend } from '../ops/append/request.ts'
export type { Branch, ListedBranch } from '../ops/branch.ts'
export type { BranchDetail, BranchFigures, BranchList, BranchListOptions } from '../ops/branchlist.ts'
export type { ChangedSession, ChangesOptions, MovedRef, StoreChange } from '../ops/changes.ts'
export type { Picked, PickOptions } from '../ops/cherrypick.ts'
export type { Compacted, CompactOptions } from '../ops/compact.ts'
export type { CompareOptions, Comparison, Difference, Metric, Side } from '../ops/compare.ts'
export type {
  ComparedContexts,
  ContextCompareOptions,
  ContextDiff,
  ContextSize,
  Seen,
} from '../ops/context/compare.ts'
export type {
  ContextLeft,
  ContextMessage,
  ContextNotes,
  ContextOptions,
  ContextRepair,
  NeutralContext,
  RequestContext,
  RequestFormat,
} from '../ops/context/context.ts'
export type { PiContextOptions } from '../ops/context/picontext.ts'
export type { Amount, Diff, DiffChange as Change, DiffStat, Pair } from '../ops/diff.ts'
export type { DiscoverOptions } from '../ops/discover.ts'
export type { Edited, EditOptions } from '../ops/edit.ts'
export type { LogEntry } from '../ops/entries.ts'
// Events.
export type {
  AfterCompact,
  AfterTree,
  BeforeCompact,
  BeforeTree,
  BranchChange,
  EventName,
  Events,
  Forked,
  Forking,
  Handler,
  SummaryAnswer,
  Switched,
  TreePreparation,
  Veto,
} from '../ops/events.ts'
export type { ExportedSession, ExportFileOptions } from '../ops/export/destinations.ts'
export type { ExportOptions } from '../ops/export/export.ts'
export type { ForkOptions } from '../ops/fork.ts'
export type { Finding } from '../ops/fsck/finding.ts'
export type { Fsck } from '../ops/fsck/fsck.ts'
export type { Grafting } from '../ops/graft.ts'
export type { Handoff } from '../ops/handoff.ts'
export type { ImportFilter as Wanted } from '../ops/import/filter.ts'
export type { ImportOptions, ImportResult, Totals } from '../ops/import/import.ts'
export type { Notice } from '../ops/import/notices.ts'
export type { Imported, Refused } from '../ops/import/result.ts'
export type { Label, Labelled, LabelOptions, ListedLabel } from '../ops/label.ts'
export type { Listed, ListedRow, ListedSession, ListOptions, Order } from '../ops/list.ts'
export type { LogOptions } from '../ops/log.ts'
export type { Merged, MergeOptions, SettingConflict } from '../ops/merge.ts'
export type { LoggedOperation, Moved, MovedSince } from '../ops/operations.ts'
export type { PopOptions } from '../ops/pop.ts'
export type { Rebased, RebaseOptions } from '../ops/rebase.ts'
export type { ReflogStep } from '../ops/reflog.ts'
export type { Removed } from '../ops/remove.ts'
export type { Renamed } from '../ops/rename.ts'
export type { LostLink, ReplayedEntry as Came, ReplayResult as Brought } from '../ops/replay.ts'
export type {
  ReadAs,
  Reread,
  RereadOptions,
  RereadResult,
  UnchangedReading as Kept,
} from '../ops/reread/reread.ts'
export type { Resume, ResumeOptions } from '../ops/resume.ts'
export type { SelectOptions } from '../ops/revset/run.ts'
export type { Cursor } from '../ops/rows/cursor.ts'
export type { ListedPageRow, ListPageOptions } from '../ops/rows/listpage.ts'
export type { LogPageOptions } from '../ops/rows/logpage.ts'
export type { Page, PageItem, PageOptions } from '../ops/rows/page.ts'
export type { HitPage, SearchPageOptions } from '../ops/rows/searchpage.ts'
export type { TreeCursor, TreeRow } from '../ops/rows/treerows.ts'
export type {
  TreePosition,
  TreeView,
  TreeViewOptions,
  TreeWindow,
  TreeWindowOptions,
} from '../ops/rows/treeview.ts'
export type { Hit, HitSnippet } from '../ops/search/hit.ts'
export type { Found, SearchOptions } from '../ops/search/search.ts'
export type { Expunged, ExpungeOptions } from '../ops/secrets/expunge.ts'
export type { Redacted, RedactOptions } from '../ops/secrets/redact.ts'
export type { FoundSecret, Scanned, ScanOptions } from '../ops/secrets/scan.ts'
export type {
  EntryContent,
  NewEntry,
  NewOutline,
  NewRecord,
  RecordCursor,
  SessionOutline,
  SessionReads,
  SessionRecord,
  SessionRecords,
  SessionWriteOptions,
  SessionWrites,
} from '../ops/sessionwork.ts'
export type { Pairs, WereSet } from '../ops/setkeys.ts'
export type { Shown } from '../ops/show.ts'
export type { Stats, UsageGroup, UsageOptions, UsageRow, UsageStats } from '../ops/stats.ts'
export type {
  MadeSummary,
  PathEntries as Stretch,
  Preparation,
  Summarizer,
  SummaryEntry,
  SummaryOptions,
} from '../ops/summarize.ts'
export type { TreeMove, TreeOptions } from '../ops/treemove.ts'
export type { Turned, UndoOptions } from '../ops/undo.ts'
export type { FollowOptions, WatchEvent } from '../ops/watch.ts'
export type { Head } from '../repo/session.ts'
export type { DiscoveredFiles as AgentFiles } from '../sources/sessionfolders.ts'
