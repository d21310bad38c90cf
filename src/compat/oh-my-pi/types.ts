import type { AgentMessage, Usage, UserContent } from '../core/types.ts'

/** The first line of a session file, but for the line of its title. */
export interface SessionHeader {
  type: 'session'
  version?: number
  id: string
  timestamp: string
  cwd: string
  title?: string
  titleSource?: TitleSource
  /** An id or a path. */
  parentSession?: string
  [key: string]: unknown
}

export type TitleSource = 'auto' | 'user'

export interface SessionEntryBase {
  type: string
  id: string
  parentId: string | null
  /** ISO 8601. */
  timestamp: string
}

interface Entry<T extends string> extends SessionEntryBase {
  type: T
}

export type SessionMessageEntry = Entry<'message'> & { message: AgentMessage }
export type ThinkingLevelChangeEntry = Entry<'thinking_level_change'> & {
  thinkingLevel?: string | null
  configured?: string | null
}
/** `model` is `provider/id`; without a `role` it is that of `default`. */
export type ModelChangeEntry = Entry<'model_change'> & {
  model: string
  role?: string
  resolvedModelIsFallback?: boolean
}
export type ServiceTierChangeEntry = Entry<'service_tier_change'> & { serviceTier: ServiceTier }
export type ModeChangeEntry = Entry<'mode_change'> & { mode: string; data?: Record<string, unknown> }
export type CompactionEntry = Entry<'compaction'> & {
  summary: string
  shortSummary?: string
  firstKeptEntryId: string
  tokensBefore: number
  details?: unknown
  preserveData?: Record<string, unknown>
  fromExtension?: boolean
}
/** `fromId` is the entry that the summary continues, `root` before the first. */
export type BranchSummaryEntry = Entry<'branch_summary'> & {
  fromId: string
  summary: string
  details?: unknown
  fromExtension?: boolean
}
export type ResetBoundaryEntry = Entry<'reset_boundary'>
export type CustomEntry = Entry<'custom'> & { customType: string; data?: unknown }
export type CustomMessageEntry = Entry<'custom_message'> & {
  customType: string
  content: UserContent
  details?: unknown
  display: boolean
  attribution?: string
}
export type LabelEntry = Entry<'label'> & { targetId: string; label?: string }
export type TitleChangeEntry = Entry<'title_change'> & {
  title: string
  previousTitle?: string
  source: TitleSource
  trigger?: string
}
export type TtsrInjectionEntry = Entry<'ttsr_injection'> & { injectedRules: string[] }
/** The task and the tools of a sub-agent. */
export interface SessionInit {
  systemPrompt: string
  task: string
  tools: string[]
  [key: string]: unknown
}
export type SessionInitEntry = Entry<'session_init'> & SessionInit
export type ModelUsageEntry = Entry<'model_usage'> & {
  purpose: string
  provider: string
  model: string
  usage: Usage
  [key: string]: unknown
}

/** Which service serves which family of models, null where that is not said. */
export type ServiceTier = Record<string, string> | string | null

/** A node of a session's tree. */
export type SessionEntry =
  | SessionMessageEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | ServiceTierChangeEntry
  | ModeChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | ResetBoundaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | TitleChangeEntry
  | TtsrInjectionEntry
  | SessionInitEntry
  | ModelUsageEntry

/** A line of a session file, but for the line of its title. */
export type FileEntry = SessionHeader | SessionEntry

export interface SessionTreeNode {
  entry: SessionEntry
  children: SessionTreeNode[]
  label?: string
}

/** The messages that the model sees at a leaf, and the settings there. */
export interface SessionContext {
  messages: AgentMessage[]
  thinkingLevel: string
  serviceTier: ServiceTier
  /** By role, each `provider/id`. */
  models: Record<string, string>
  /** The rules that were put in, each once. */
  injectedTtsrRules: string[]
  /** `none` where no mode was set. */
  mode: string
  modeData?: Record<string, unknown>
}
