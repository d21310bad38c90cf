import type { AgentMessage, Entry } from './entry.ts'
import type { LaneRecord, OperationStartedRecord } from './record.ts'

export type EntryOrder = 'newestFirst' | 'oldestFirst'

/**
 * Which entries are asked for, the newest first unless said. The cursor goes on behind a `seq`, in the order that is
 * asked for.
 */
export interface EntryQuery {
  type?: Entry['type']
  customType?: string
  order?: EntryOrder
  limit?: number
  cursor?: { afterSeq: number }
}

/** Where a look along a branch begins (its leaf) and ends (its root), the entries named included. */
export interface BranchBounds {
  start?: string
  stopAtType?: Entry['type']
  stopAtId?: string
}

/** Which records are asked for: those behind `afterSeq` in time, the newest first unless said. */
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

/** What a session came to: its messages, and the sums over its usage records. */
export interface SessionStats {
  messageCount: number
  cachedTokens: number
  uncachedTokens: number
  totalTokens: number
  costTotal: number
}

/** A lane, and the entry that it stands on. */
export interface LanePointer {
  lane: string
  leafId: string | null
}

/** One change of a session. */
export type LogItem =
  | { kind: 'entry'; seq: number; entry: Entry }
  | { kind: 'record'; seq: number; record: LaneRecord }
  | { kind: 'lane'; seq: number; lane: string; leafId: string | null }
  | { kind: 'fact'; seq: number; fact: 'name'; name: string | undefined }
  | { kind: 'fact'; seq: number; fact: 'label'; targetId: string; label: string | undefined }

export interface LogOptions {
  afterSeq?: number
  limit?: number
}

/** A session as seen from one of its lanes. */
export interface SessionTree {
  getLeafId(): Promise<string | null>
  getEntry(id: string): Promise<Entry | undefined>
  getStats(): Promise<SessionStats>
  getName(): Promise<string | undefined>
  setName(name: string | undefined): Promise<void>
  getLabel(targetId: string): Promise<string | undefined>
  setLabel(targetId: string, label: string | undefined): Promise<void>
  /** The entries of all branches, by their `seq`. */
  findEntries(query?: EntryQuery): Promise<Entry[]>
  findEntry(query?: EntryQuery): Promise<Entry | undefined>
  /** The entries from `start`, the lane's leaf unless said, towards the root. */
  findEntriesOnBranch(query?: EntryQuery & BranchBounds): Promise<Entry[]>
  findEntryOnBranch(query?: EntryQuery & BranchBounds): Promise<Entry | undefined>
  appendMessage(message: AgentMessage): Promise<string>
  appendCustomEntry(customType: string, data?: unknown): Promise<string>
}

export interface SessionCreateOptions {
  id?: string
  parentSessionId?: string
}

/** What a fork takes along: one branch (up to a message, or before it), or the tree with its lanes. */
export type ForkOptions =
  | { scope?: 'branch'; entryId?: string; position?: 'before' | 'at' }
  | { scope: 'tree' }

/** Gives new ids: of entries whose caller names none, and of sessions. */
export interface IdGenerator {
  next(): string
}
