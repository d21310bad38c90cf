/* The types of what the methods of `Store` and `Session` take and return, by subject. */

import type { PriceOf } from '../model/prices.ts'
import type { FindSecrets } from '../model/secrets/secret.ts'
import type { Zone } from '../model/time.ts'
import type { DiscoverOptions } from '../ops/discover.ts'
import type { Cursor } from '../verbs/page.ts'
import type { Progress } from '../verbs/progress.ts'
import type { SummaryOptions } from '../verbs/summary.ts'
import type { Loss, RequestContext } from '../verbs/types.ts'
import type { OptionsOf, VerbInput, VerbResult } from './perform.ts'

// Entries, values and errors.
export type { Oid } from '../model/encoding/oid.ts'
export type {
  ErrorCode as Code,
  ErrorData,
  ErrorKind as Kind,
  ErrorPosition as Place,
  Remedy,
} from '../model/errors.ts'
export type { Json } from '../model/json.ts'
export type { Block, Effect, Role, Seal, Setting, Usage, View } from '../model/view.ts'
// Verbs by their names.
export type { VerbName } from '../verbs/index.ts'
export type { Terms, Written } from '../verbs/verb.ts'
export type { VerbInput, VerbResult } from './perform.ts'
export type Shown = VerbResult<'show'>

export type { NewSession } from '../ops/append/append.ts'
export type { AppendTo, TypedAppend } from '../ops/append/request.ts'
// Sessions, branches and labels.
export type {
  Branch,
  BranchDetail,
  BranchFigures,
  Head,
  Label,
  Listed,
  ListedBranch,
  ListedLabel,
  ListedRow,
  ListedSession,
  Pairs,
  Removed,
  SessionRow,
} from '../verbs/types.ts'
export type BranchList = VerbResult<'branches'>
export type BranchListOptions = Priced & {
  /** Read the own entries of each branch for its messages, tokens, cost and last activity. */
  readonly figures?: boolean
}
export type ForkOptions = OptionsOf<'fork', 'revision'>
export type LabelOptions = OptionsOf<'label', 'label' | 'revision'>
export type Labelled = VerbResult<'label'>
export type ListOptions = VerbInput<'ls'> & Priced
export type Order = NonNullable<ListOptions['sort']>
export type Renamed = VerbResult<'rename'>
export type WereSet = VerbResult<'set'>

/** The prices of models, for costs that no agent records; by default those of the built-in list. */
interface Priced {
  readonly priceOf?: PriceOf
}

/** The zone of times that name none, and of days; UTC by default. */
interface Zoned {
  readonly zone?: Zone
}

// Changes of history.
export type { PlanStep, PlanVerb } from '../model/plan.ts'
export type {
  LostLink,
  ReplayedEntry as Came,
  ReplayResult as Brought,
  SettingConflict,
} from '../verbs/types.ts'
export type CompactOptions = OptionsOf<'compact', 'revision' | 'summary'> & SummaryOptions
export type Compacted = VerbResult<'compact'>
export type EditOptions = OptionsOf<'edit', 'revision' | 'plan'>
export type Edited = VerbResult<'edit'>
export type MergeOptions = OptionsOf<'merge', 'revision'>
export type Merged = VerbResult<'merge'>
export type PickOptions = OptionsOf<'cherry-pick', 'revision'>
export type Picked = VerbResult<'cherry-pick'>
export type PopOptions = OptionsOf<'pop', 'revision' | 'summary'> & SummaryOptions
export type RebaseOptions = OptionsOf<'rebase', 'upstream'>
export type Rebased = VerbResult<'rebase'>
export type TreeMove = VerbResult<'navigate'>
export type TreeOptions = OptionsOf<'navigate', 'revision' | 'session' | 'root' | 'digest' | 'summary'> &
  SummaryOptions & {
    /** Add a summary of the entries that are left. By default if `summary` or `summarize` is given. */
    readonly wantsSummary?: boolean
  }

// Contexts and summaries.
export type { RepairKind } from '../model/repair.ts'
export type { Earlier } from '../model/structuralsummary.ts'
export type { Preparation, Summarizer, SummaryOptions } from '../verbs/summary.ts'
export type {
  ContextLeft,
  ContextMessage,
  ContextNotes,
  ContextRepair,
  ContextSize,
  MadeSummary,
  NeutralContext,
  PathEntries as Stretch,
  RequestContext,
  RequestFormat,
  Seen,
  SummaryEntry,
} from '../verbs/types.ts'
export type AnthropicRequest = RequestContext<'anthropic'>['request']
export type ChatRequest = RequestContext<'openai-chat'>['request']
export type ComparedContexts = VerbResult<'context-compare'>
export type ContextCompareOptions = OptionsOf<'context-compare', 'revision' | 'other'>
export type ContextDiff = VerbResult<'context-diff'>
export type ContextOptions = OptionsOf<'context', 'revision'>
export type Handoff = VerbResult<'handoff'>
export type PiContext = VerbResult<'context-pi'>
export type PiContextOptions = OptionsOf<'context-pi', 'revision'>
export type ResponsesRequest = RequestContext<'openai'>['request']

// Reading, searching and comparing.
export type { Price, PriceOf } from '../model/prices.ts'
export type { Figures, PathOutcome as Outcome } from '../model/statistics.ts'
export type { CallUsage, Tokens, UsageTotals } from '../model/usage.ts'
export type { Cursor, Page, PageItem, PageOptions } from '../verbs/page.ts'
export type {
  Amount,
  DiffChange as Change,
  Difference,
  Hit,
  HitPage,
  HitSnippet,
  LogEntry,
  Metric,
  Pair,
  Side,
  TreeCursor,
  TreePosition,
  TreeRow,
  TreeView,
  TreeViewOptions,
  TreeWindow,
  TreeWindowOptions,
} from '../verbs/types.ts'
export type CompareOptions = OptionsOf<'compare', 'revisions'> & Priced
export type Comparison = VerbResult<'compare'>
export type Diff = VerbResult<'diff'>
export type DiffStat = VerbResult<'diff-stat'>
export type ListPageOptions = Omit<ListOptions, 'limit' | 'reverse' | keyof Sides> & Sides
export type LogOptions = OptionsOf<
  'log',
  'revision' | 'path' | 'revset' | 'everywhere' | 'after' | 'before'
> & {
  /** Only entries that call a tool with one of these files or folders, or a file below it. */
  readonly touches?: readonly string[]
}
export type LogPageOptions = Omit<LogOptions, 'reverse'> & Sides
export type { FoundRows as Found } from '../verbs/search.ts'
export type SearchOptions = OptionsOf<'search', 'query' | 'after' | 'before'> & Zoned
export type SelectOptions = Pick<VerbInput<'log'>, 'everywhere' | 'limit' | 'usage'> &
  Zoned &
  Priced & {
    /** The session whose entries are selected; `@` by default. */
    readonly session?: string
  }
export type SearchPageOptions = SearchOptions & Sides

/** Where a page begins, and its size. */
interface Sides {
  readonly limit?: number
  readonly after?: Cursor
  readonly before?: Cursor
}

// Files of agents.
export type { AgentPosition } from '../ops/agentposition.ts'
export type { DiscoverOptions } from '../ops/discover.ts'
export type { ExportedSession, ExportFileOptions } from '../ops/export/destinations.ts'
export type { ImportFilter as Wanted } from '../ops/import/filter.ts'
export type { ImportOptions, ImportResult } from '../ops/import/import.ts'
export type { Refused } from '../ops/import/result.ts'
export type { FollowOptions, WatchEvent } from '../ops/watch.ts'
export type {
  DiscoveredFiles as AgentFiles,
  Grafting,
  Imported,
  ImportNotice as Notice,
  ImportTotals as Totals,
  Loss,
  ReadAs,
  Reread,
  RereadOptions,
  UnchangedReading as Kept,
} from '../verbs/types.ts'
export type LossCode = Loss['code']
export type ExportOptions = OptionsOf<'export', 'session' | 'redact' | 'secret'> &
  Pick<RedactOptions, 'secrets'> & {
    /** Finds secrets, which are replaced by marks. */
    readonly redact?: FindSecrets
    /** Called with each loss: content that the written form does not carry. */
    readonly onLoss?: (loss: Loss) => void
  }
export type RereadResult = VerbResult<'reread'>
export type ResumeOptions = OptionsOf<'resume', 'session'> & Partial<Omit<DiscoverOptions, 'agent'>>
export type Resume = VerbResult<'resume'>

export type { FindSecrets, Secret } from '../model/secrets/secret.ts'
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
// Operations, secrets and upkeep.
export type { MovedSince } from '../ops/operations.ts'
export type { Amounts, Progress } from '../verbs/progress.ts'
export type Expunged = VerbResult<'expunge'>
export type ExpungeOptions = OptionsOf<'expunge', 'entry' | 'mark' | 'secret'> &
  RedactOptions &
  Progressing & {
    /** Entries whose whole text is removed. */
    readonly entries?: readonly string[]
    /** Marks of secrets, as `scan` reports them; `find` recognises these secrets. */
    readonly marks?: readonly string[]
  }
export type Redacted = VerbResult<'redact'>
export interface RedactOptions {
  /** Recognises secrets; the rules of `loadSecretList` by default. */
  readonly find?: FindSecrets
  /** Secrets that no rule recognises. */
  readonly secrets?: readonly string[]
}
export type ScanOptions = Pick<RedactOptions, 'find'> &
  Progressing & {
    /** Sessions, ranges, entries. Default: all that the store holds. */
    readonly revisions?: readonly string[]
  }

interface Progressing {
  /** Called repeatedly during the work. */
  readonly onProgress?: (progress: Progress) => void
}

// Sessions of another system.
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
export type {
  ChangedSession,
  ChangesOptions,
  Finding,
  FoundSecret,
  LoggedOperation,
  Moved,
  MovedRef,
  ReflogStep,
  StoreChange,
  UsageRow,
} from '../verbs/types.ts'
export type Fsck = VerbResult<'fsck'>
export type Stats = VerbResult<'stats'>
export type Turned = VerbResult<'undo'>
export type UndoOptions = VerbInput<'undo'>
export type UsageGroup = VerbInput<'usage'>['by']
export type UsageOptions = Priced & Zoned
export type UsageStats = VerbResult<'usage'>
