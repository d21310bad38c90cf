/** A message as pi holds it; what it carries besides is kept as it is. */
export interface AgentMessage {
  role: string
  content?: unknown
  timestamp?: number
}

/** What a call of a model used, in tokens and money. */
export interface Usage {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  totalTokens: number
  cost: { input: number; output: number; cacheRead: number; cacheWrite: number; total: number }
}

/** What all entries have: `seq` counts every change of the session from 1, `timestamp` is in milliseconds. */
export interface EntryBase {
  type: string
  id: string
  seq: number
  parentId: string | null
  timestamp: number
}

export interface MessageEntry extends EntryBase {
  type: 'message'
  message: AgentMessage
  terminate?: true
}

export interface ModelChangeEntry extends EntryBase {
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

export interface CompactionEntry extends EntryBase {
  type: 'compaction'
  summary: string
  retainedTail: AgentMessage[]
  tokensBefore: number
  details?: unknown
  usage?: Usage
}

export interface BranchSummaryEntry extends EntryBase {
  type: 'branch_summary'
  fromId: string
  summary: string
  details?: unknown
  usage?: Usage
}

export interface CustomEntry extends EntryBase {
  type: 'custom'
  customType: string
  data?: unknown
}

/** A node of a session's tree. */
export type Entry =
  | MessageEntry
  | ModelChangeEntry
  | ThinkingLevelEntry
  | ActiveToolsEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry

/** An entry as it is handed in: its place and its time are the store's to give. */
export type ProvisionedEntry<T extends Entry = Entry> = T extends Entry
  ? Omit<T, 'parentId' | 'seq' | 'timestamp'>
  : never
