import type { Usage } from '../core/types.ts'

/** A message as pi holds it; what it carries besides is kept as it is. */
export interface V4AgentMessage {
  role: string
  content?: unknown
  timestamp?: number
}

/** The fields of every entry: `seq` counts every change of the session from 1, `timestamp` is in milliseconds. */
export interface EntryBase {
  type: string
  id: string
  seq: number
  parentId: string | null
  timestamp: number
}

export interface V4MessageEntry extends EntryBase {
  type: 'message'
  message: V4AgentMessage
  terminate?: true
}

export interface V4ModelChangeEntry extends EntryBase {
  type: 'model_change'
  provider: string
  modelId: string
}

export interface ThinkingLevelEntry extends EntryBase {
  type: 'thinking_level_change'
  thinkingLevel: string
}

export interface ActiveToolsEntry extends EntryBase {
  type: 'active_tools_change'
  activeToolNames: string[]
}

export interface V4CompactionEntry extends EntryBase {
  type: 'compaction'
  summary: string
  retainedTail: V4AgentMessage[]
  tokensBefore: number
  details?: unknown
  usage?: Usage
}

export interface V4BranchSummaryEntry extends EntryBase {
  type: 'branch_summary'
  fromId: string
  summary: string
  details?: unknown
  usage?: Usage
}

export interface V4CustomEntry extends EntryBase {
  type: 'custom'
  customType: string
  data?: unknown
}

/** A node of a session's tree. */
export type V4Entry =
  | V4MessageEntry
  | V4ModelChangeEntry
  | ThinkingLevelEntry
  | ActiveToolsEntry
  | V4CompactionEntry
  | V4BranchSummaryEntry
  | V4CustomEntry

/** An entry to append: the store sets its position and its time. */
export type ProvisionedEntry<T extends V4Entry = V4Entry> = T extends V4Entry
  ? Omit<T, 'parentId' | 'seq' | 'timestamp'>
  : never

/** The fields of every record of a lane. */
export interface RecordBase {
  id: string
  seq: number
  lane: string
  timestamp: number
}

/** The start of an operation on a lane. */
export interface OperationStartedRecord extends RecordBase {
  type: 'operation_started'
  sourceLeafId: string | null
  intent:
    | {
        kind: 'run'
        originalPrompt: V4AgentMessage[]
        initialMessages: ProvisionedEntry[]
        systemPromptOverride?: string
        resumeData?: { [extensionId: string]: unknown }
      }
    | { kind: 'compaction'; customInstructions?: string; resultEntryId: string }
    | {
        kind: 'navigation'
        targetId: string | null
        summarize: boolean
        customInstructions?: string
        label?: string
        summaryEntryId?: string
      }
}

export interface AbortRequestedRecord extends RecordBase {
  type: 'abort_requested'
  runId: string
}

/** The end of an operation: of the one of its lane that has its `runId`. */
export interface OperationFinishedRecord extends RecordBase {
  type: 'operation_finished'
  runId: string
  outcome: 'completed' | 'aborted' | 'failed' | 'declined'
  error?: { code: string; message: string }
}

export type StepAttemptRecord = RecordBase & {
  type: 'step_attempt'
  runId: string
  attempt: number
  resultEntryId: string
} & (
    | { step: 'assistant' | 'branch_summary'; compactionReason?: never }
    | { step: 'compaction'; compactionReason: 'manual' | 'threshold' | 'overflow' }
  )

export interface ToolStartedRecord extends RecordBase {
  type: 'tool_started'
  runId: string
  assistantEntryId: string
  toolIndex: number
  toolCallId: string
  toolName: string
  effectiveArgs: { [key: string]: unknown }
  resultEntryId: string
  replay: 'never' | 'safe'
}

export type QueueEnqueuedRecord = RecordBase & {
  type: 'queue_enqueued'
  target: ProvisionedEntry
} & ({ queue: 'steer' | 'followUp'; runId: string } | { queue: 'nextRun'; runId?: never })

export interface QueueCancelledRecord extends RecordBase {
  type: 'queue_cancelled'
  runId?: string
  entryId: string
}

export interface WriteDeferredRecord extends RecordBase {
  type: 'write_deferred'
  runId: string
  target: ProvisionedEntry
}

export type UsageRecord = RecordBase & { type: 'usage'; usage: Usage } & (
    | {
        cause: 'assistant' | 'compaction' | 'branch_summary' | 'deferred_fetch'
        runId: string
        entryId: string
        attempt: number
        stopReason: string
      }
    | { cause: 'tool'; runId: string; entryId: string; toolCallId: string }
    | { cause: 'hook'; runId: string; entryId: string }
    | { cause: 'adjustment'; runId?: string; entryId?: string; details?: unknown }
  )

/** A record of a lane besides its entries: for recovery, and for costs. */
export type LaneRecord =
  | OperationStartedRecord
  | AbortRequestedRecord
  | OperationFinishedRecord
  | StepAttemptRecord
  | ToolStartedRecord
  | QueueEnqueuedRecord
  | QueueCancelledRecord
  | WriteDeferredRecord
  | UsageRecord

/** A record as it is handed in. */
export type V4NewRecord<T extends LaneRecord = LaneRecord> = T extends LaneRecord
  ? Omit<T, 'seq' | 'timestamp'>
  : never

export type EntryOrder = 'newestFirst' | 'oldestFirst'

/**
 * The entries to return, by default the newest first. The cursor continues after a `seq`, in the order that is
 * asked for.
 */
export interface EntryQuery {
  type?: V4Entry['type']
  customType?: string
  order?: EntryOrder
  limit?: number
  cursor?: { afterSeq: number }
}

/** The start (the leaf) and the end (the root) of a search along a branch, both included. */
export interface BranchBounds {
  start?: string
  stopAtType?: V4Entry['type']
  stopAtId?: string
}

/** The records to return: those after `afterSeq` in time, by default the newest first. */
export interface RecordQuery {
  lane?: string
  type?: LaneRecord['type']
  /** The id of an operation's start, or the `runId` of what belongs to it. */
  runId?: string
  /** Only with the type `operation_started`. */
  operationKind?: OperationStartedRecord['intent']['kind']
  afterSeq?: number
  order?: EntryOrder
  limit?: number
}

export interface SessionMetadata {
  id: string
  /** Milliseconds since 1970. */
  createdAt: number
  parentSessionId?: string
}

/** The number of messages of a session, and the sums over its usage records. */
export interface SessionStats {
  messageCount: number
  cachedTokens: number
  uncachedTokens: number
  totalTokens: number
  costTotal: number
}

/** A lane and its leaf. */
export interface LanePointer {
  lane: string
  leafId: string | null
}

/** One change of a session. */
export type LogItem =
  | { kind: 'entry'; seq: number; entry: V4Entry }
  | { kind: 'record'; seq: number; record: LaneRecord }
  | { kind: 'lane'; seq: number; lane: string; leafId: string | null }
  | { kind: 'fact'; seq: number; fact: 'name'; name: string | undefined }
  | { kind: 'fact'; seq: number; fact: 'label'; targetId: string; label: string | undefined }

export interface V4LogOptions {
  afterSeq?: number
  limit?: number
}

/** A session as seen from one of its lanes. */
export interface V4SessionTree {
  getLeafId(): Promise<string | null>
  getEntry(id: string): Promise<V4Entry | undefined>
  getStats(): Promise<SessionStats>
  getName(): Promise<string | undefined>
  setName(name: string | undefined): Promise<void>
  getLabel(targetId: string): Promise<string | undefined>
  setLabel(targetId: string, label: string | undefined): Promise<void>
  /** The entries of all branches, by their `seq`. */
  findEntries(query?: EntryQuery): Promise<V4Entry[]>
  findEntry(query?: EntryQuery): Promise<V4Entry | undefined>
  /** The entries from `start`, by default the lane's leaf, towards the root. */
  findEntriesOnBranch(query?: EntryQuery & BranchBounds): Promise<V4Entry[]>
  findEntryOnBranch(query?: EntryQuery & BranchBounds): Promise<V4Entry | undefined>
  appendMessage(message: V4AgentMessage): Promise<string>
  appendCustomEntry(customType: string, data?: unknown): Promise<string>
}

export interface SessionCreateOptions {
  id?: string
  parentSessionId?: string
}

/** The part that a fork copies: one branch (up to a message, or before it), or the tree with its lanes. */
export type V4ForkOptions =
  | { scope?: 'branch'; entryId?: string; position?: 'before' | 'at' }
  | { scope: 'tree' }

/** Returns new ids: of entries whose caller names none, and of sessions. */
export interface IdGenerator {
  next(): string
}
