import type { AgentMessage, ProvisionedEntry, Usage } from './entry.ts'

/** What all records of a lane's work have. */
export interface RecordBase {
  id: string
  seq: number
  lane: string
  timestamp: number
}

/** How a piece of work on a lane began. */
export interface OperationStartedRecord extends RecordBase {
  type: 'operation_started'
  sourceLeafId: string | null
  intent:
    | {
        kind: 'run'
        originalPrompt: AgentMessage[]
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

/** How a piece of work ended; it closes the one of its lane that has its `runId`. */
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

/** What a lane's work leaves behind besides entries: for recovery, and for what it cost. */
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
export type NewRecord<T extends LaneRecord = LaneRecord> = T extends LaneRecord
  ? Omit<T, 'seq' | 'timestamp'>
  : never
