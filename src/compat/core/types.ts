/*
 * Messages and entries in the shape of pi's session files. Fields are writable, as in pi: code written against pi writes to
 * them.
 */

export interface TextContent {
  type: 'text'
  text: string
  textSignature?: string
}

export interface ImageContent {
  type: 'image'
  data: string
  mimeType: string
}

export interface ThinkingContent {
  type: 'thinking'
  thinking: string
  thinkingSignature?: string
  redacted?: boolean
}

export interface ToolCall {
  type: 'toolCall'
  id: string
  name: string
  arguments: Record<string, unknown>
  thoughtSignature?: string
  namespace?: string
}

export type UserContent = string | (TextContent | ImageContent)[]

export interface Usage {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  cacheWrite1h?: number
  reasoning?: number
  totalTokens: number
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number }
}

export interface Tool {
  name: string
  description: string
  parameters: unknown
}

export interface SystemMessage {
  role: 'system'
  content: string | TextContent[]
  /** Parts of the prompt by name; null takes one away. */
  sections?: Record<string, string | null>
  toolsAdded?: Tool[]
  toolsRemoved?: { name: string }[]
  timestamp: number
}

export interface UserMessage {
  role: 'user'
  content: UserContent
  timestamp: number
}

export interface AssistantMessage {
  role: 'assistant'
  content: (TextContent | ThinkingContent | ToolCall)[]
  api: string
  provider: string
  model: string
  usage: Usage
  stopReason: string
  errorMessage?: string
  timestamp: number
}

export interface ToolResultMessage {
  role: 'toolResult'
  toolCallId: string
  toolName: string
  content: (TextContent | ImageContent)[]
  details?: unknown
  isError: boolean
  timestamp: number
}

export type Message = SystemMessage | UserMessage | AssistantMessage | ToolResultMessage

/** A command that a user ran in a shell of the agent. */
export interface BashExecutionMessage {
  role: 'bashExecution'
  command: string
  output: string
  exitCode: number | undefined
  cancelled: boolean
  truncated: boolean
  fullOutputPath?: string
  excludeFromContext?: boolean
  timestamp: number
}

/** A message of an extension. */
export interface CustomMessage<T = unknown> {
  role: 'custom'
  customType: string
  content: UserContent
  display: boolean
  details?: T | undefined
  timestamp: number
}

export interface BranchSummaryMessage {
  role: 'branchSummary'
  summary: string
  fromId: string | null
  timestamp: number
}

export interface CompactionSummaryMessage {
  role: 'compactionSummary'
  summary: string
  tokensBefore: number
  timestamp: number
}

export type AgentMessage =
  | Message
  | BashExecutionMessage
  | CustomMessage
  | BranchSummaryMessage
  | CompactionSummaryMessage

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
  /** The prompt and the tools at the time of the compaction. */
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

/** An entry and its part of the context: nothing where it is state, or was hidden. */
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
  /** Empty where the file has none. */
  cwd: string
  name?: string
  parentSessionPath?: string
  created: Date
  modified: Date
  messageCount: number
  firstMessage: string
  allMessagesText: string
}

/** Called with the number of files read and of all files, and now and then with the sessions found so far. */
export type SessionListProgress = (
  loaded: number,
  total: number,
  partialSessions?: readonly SessionInfo[],
) => void
