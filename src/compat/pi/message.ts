/* The messages of pi, as its session files hold them; src/compat/pi/types.ts says why they can be written to. */

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

/** What a user ran in a shell of the agent. */
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

/** What an extension put in. */
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
