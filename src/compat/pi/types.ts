/*
 * What the session files of pi hold. Fields can be written to, as there: code that was written against pi does so.
 */
import type {
  AgentMessage,
  AssistantMessage,
  SystemMessage,
  ToolResultMessage,
  Usage,
  UserContent,
} from './message.ts'

export interface SessionHeader {
  type: 'session'
  /** Absent in files of version 1. */
  version?: number
  id: string
  timestamp: string
  cwd: string
  /** The path of the file that this session was forked from. */
  parentSession?: string | undefined
}

export interface NewSessionOptions {
  id?: string
  parentSession?: string
}

export interface SessionEntryBase {
  type: string
  id: string
  parentId: string | null
  /** ISO 8601. */
  timestamp: string
}

export interface SessionMessageEntry extends SessionEntryBase {
  type: 'message'
  message: AgentMessage
}

export interface ThinkingLevelChangeEntry extends SessionEntryBase {
  type: 'thinking_level_change'
  thinkingLevel: string
}

export interface ModelChangeEntry extends SessionEntryBase {
  type: 'model_change'
  provider: string
  modelId: string
}

export interface UsageEntry extends SessionEntryBase {
  type: 'usage'
  kind: string
  provider: string
  model: string
  usage: Usage
  note?: string
}

export interface CompactionEntry<T = unknown> extends SessionEntryBase {
  type: 'compaction'
  summary: string
  firstKeptEntryId: string
  tokensBefore: number
  details?: T | undefined
  usage?: Usage | undefined
  fromHook?: boolean | undefined
  /** The prompt and the tools as they stand at the compaction. */
  systemMessage?: SystemMessage
}

export interface BranchSummaryEntry<T = unknown> extends SessionEntryBase {
  type: 'branch_summary'
  fromId: string
  summary: string
  details?: T | undefined
  usage?: Usage | undefined
  fromHook?: boolean | undefined
}

export interface CustomEntry<T = unknown> extends SessionEntryBase {
  type: 'custom'
  customType: string
  data?: T | undefined
}

export interface LabelEntry extends SessionEntryBase {
  type: 'label'
  targetId: string
  label: string | undefined
}

export interface SessionInfoEntry extends SessionEntryBase {
  type: 'session_info'
  name?: string
}

export interface CustomMessageEntry<T = unknown> extends SessionEntryBase {
  type: 'custom_message'
  customType: string
  content: UserContent
  details?: T | undefined
  display: boolean
}

export type ContextEditableContent = UserContent | AssistantMessage['content'] | ToolResultMessage['content']

export interface ContextEditEntry extends SessionEntryBase {
  type: 'context_edit'
  targetId: string
  /** Null takes the target out of the context. */
  replacement: { content: ContextEditableContent } | null
}

export type SessionEntry =
  | SessionMessageEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | UsageEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | ContextEditEntry
  | LabelEntry
  | SessionInfoEntry

export type FileEntry = SessionHeader | SessionEntry

export interface SessionTreeNode {
  entry: SessionEntry
  children: SessionTreeNode[]
  label?: string | undefined
  /** When the label was set, ISO 8601. */
  labelTimestamp?: string | undefined
}

/** An entry and what it gives to the context: nothing where it is state, or was taken out. */
export interface ProjectedSessionEntry {
  sourceEntry: SessionEntry
  messages: AgentMessage[]
}

export interface SessionContext {
  messages: AgentMessage[]
  thinkingLevel: string
  model: { provider: string; modelId: string } | null
}

export interface SessionProjection extends SessionContext {
  entries: ProjectedSessionEntry[]
}

export interface SessionInfo {
  path: string
  id: string
  /** Empty where the file does not say. */
  cwd: string
  name?: string
  parentSessionPath?: string
  created: Date
  modified: Date
  messageCount: number
  firstMessage: string
  allMessagesText: string
}

/** Told how many files were read of how many, and now and then what was found so far. */
export type SessionListProgress = (
  loaded: number,
  total: number,
  partialSessions?: readonly SessionInfo[],
) => void
