import type { SessionEntryBase } from '../core/types.ts'

/** The first line of a session file. */
export interface DashSessionHeader {
  type: 'session'
  version: number
  id: string
  timestamp: string
  cwd: string
  name?: string
  /** The file that it was forked from. */
  parentSession?: string
}

export interface MessageMetadata {
  model?: string
  provider?: string
  /** In US dollars. */
  cost?: number
  tokens?: number
  [key: string]: unknown
}

export type MessageRole = 'user' | 'assistant' | 'system' | 'tool'

export interface DashMessageEntry extends SessionEntryBase {
  type: 'message'
  role: MessageRole
  content: string
  metadata?: MessageMetadata
}

export type AgentAction = 'spawn' | 'complete' | 'fork' | 'branch'

export interface AgentActionEntry extends SessionEntryBase {
  type: 'agent_action'
  action: AgentAction
  agentId: string
  data?: Record<string, unknown>
}

export interface BranchPointEntry extends SessionEntryBase {
  type: 'branch_point'
  branchName: string
  description?: string
}

export interface DashCompactionEntry extends SessionEntryBase {
  type: 'compaction'
  summary: string
  firstKeptEntryId: string
  tokensBefore: number
}

export interface DashLabelEntry extends SessionEntryBase {
  type: 'label'
  targetId: string
  /** None clears. */
  label?: string
}

/** A node of a session's tree. */
export type DashSessionEntry =
  | DashMessageEntry
  | AgentActionEntry
  | BranchPointEntry
  | DashCompactionEntry
  | DashLabelEntry

/** A line of a session file. */
export type DashFileEntry = DashSessionHeader | DashSessionEntry

/** A branch, from its first entry to its leaf; `entryCount` counts its own entries. */
export interface BranchInfo {
  id: string
  name: string
  rootEntryId: string | null
  leafEntryId: string | null
  entryCount: number
  createdAt: string
}

export interface DashSessionTreeNode {
  entry: DashSessionEntry
  children: DashSessionTreeNode[]
  label?: string
  /** 0 at a root. */
  depth: number
}

export interface ForkResult {
  newSessionId: string
  newSessionFile: string
  forkedFromEntryId: string
}

/** The sums over a branch's own entries. */
export interface BranchMetrics {
  branchId: string
  name: string
  entryCount: number
  totalCost: number
  totalTokens: number
  lastActivity: string
  outcome?: string
}

export interface BranchDifference {
  metric: 'cost' | 'tokens'
  branchA: string
  branchB: string
  /** B less A, and in percent of A: 0 where that is nothing. */
  diff: number
  percentDiff: number
}

export interface BranchComparison {
  branches: BranchMetrics[]
  /** The branch of the lowest cost, the first of several. */
  winner?: string
  differences: BranchDifference[]
}
