import type { AgentMessage, SessionEntryBase, Usage, UserContent } from '../core/types.ts'

/** The first line of a session file, but for the line of its title. */
export interface OmpSessionHeader {
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

interface EntryOf<T extends string> extends SessionEntryBase {
  type: T
}

export type OmpSessionMessageEntry = EntryOf<'message'> & { message: AgentMessage }
export type OmpThinkingLevelChangeEntry = EntryOf<'thinking_level_change'> & {
  thinkingLevel?: string | null
  configured?: string | null
}
/** `model` is `provider/id`; without a `role` it is that of `default`. */
export type OmpModelChangeEntry = EntryOf<'model_change'> & {
  model: string
  role?: string
  resolvedModelIsFallback?: boolean
}
export type ServiceTierChangeEntry = EntryOf<'service_tier_change'> & { serviceTier: ServiceTier }
export type ModeChangeEntry = EntryOf<'mode_change'> & { mode: string; data?: Record<string, unknown> }
export type OmpCompactionEntry = EntryOf<'compaction'> & {
  summary: string
  shortSummary?: string
  firstKeptEntryId: string
  tokensBefore: number
  details?: unknown
  preserveData?: Record<string, unknown>
  fromExtension?: boolean
  method?: string
  providerReplayThroughEntryId?: string
  tokensAfter?: number
}
/** `fromId` is the entry that the summary continues, `root` before the first. */
export type OmpBranchSummaryEntry = EntryOf<'branch_summary'> & {
  fromId: string
  summary: string
  details?: unknown
  fromExtension?: boolean
}
export type ResetBoundaryEntry = EntryOf<'reset_boundary'>
export type OmpCustomEntry = EntryOf<'custom'> & { customType: string; data?: unknown }
export type OmpCustomMessageEntry = EntryOf<'custom_message'> & {
  customType: string
  content: UserContent
  details?: unknown
  display: boolean
  attribution?: string
}
export type OmpLabelEntry = EntryOf<'label'> & { targetId: string; label?: string }
export type TitleChangeEntry = EntryOf<'title_change'> & {
  title: string
  previousTitle?: string
  source: TitleSource
  trigger?: string
}
export type TtsrInjectionEntry = EntryOf<'ttsr_injection'> & { injectedRules: string[] }
/** The task and the tools of a sub-agent. */
export interface SessionInit {
  systemPrompt: string
  task: string
  tools: string[]
  [key: string]: unknown
}
export type SessionInitEntry = EntryOf<'session_init'> & SessionInit
export interface ModelUsage {
  purpose: string
  provider: string
  model: string
  usage: Usage
  [key: string]: unknown
}
export type ModelUsageEntry = EntryOf<'model_usage'> & ModelUsage

/** The service of each family of models, null where it is not set. */
export type ServiceTier = Record<string, string> | string | null

/** A node of a session's tree. */
export type OmpSessionEntry =
  | OmpSessionMessageEntry
  | OmpThinkingLevelChangeEntry
  | OmpModelChangeEntry
  | ServiceTierChangeEntry
  | ModeChangeEntry
  | OmpCompactionEntry
  | OmpBranchSummaryEntry
  | ResetBoundaryEntry
  | OmpCustomEntry
  | OmpCustomMessageEntry
  | OmpLabelEntry
  | TitleChangeEntry
  | TtsrInjectionEntry
  | SessionInitEntry
  | ModelUsageEntry

/** A line of a session file, but for the line of its title. */
export type OmpFileEntry = OmpSessionHeader | OmpSessionEntry

export interface OmpSessionTreeNode {
  entry: OmpSessionEntry
  children: OmpSessionTreeNode[]
  label?: string
}

/** The messages that the model sees at a leaf, and the settings there. */
export interface OmpSessionContext {
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
