export type { SessionEntryBase } from '../core/types.ts'
export { CURRENT_SESSION_VERSION, loadEntriesFromFile, parseSessionEntries } from './file.ts'
export { type Swarm, type SwarmBranch, type SwarmConfig, SwarmOrchestrator } from './orchestrator.ts'
export {
  getGlobalSessionTree,
  resetGlobalSessionTree,
  SessionTree,
  type SessionTreeOptions,
  setGlobalSessionTree,
} from './tree.ts'
export type {
  AgentAction,
  AgentActionEntry,
  BranchComparison,
  BranchDifference,
  BranchInfo,
  BranchMetrics,
  BranchPointEntry,
  DashCompactionEntry as CompactionEntry,
  DashFileEntry as FileEntry,
  DashLabelEntry as LabelEntry,
  DashMessageEntry as MessageEntry,
  DashSessionEntry as SessionEntry,
  DashSessionHeader as SessionHeader,
  DashSessionTreeNode as SessionTreeNode,
  ForkResult,
  MessageMetadata,
  MessageRole,
} from './types.ts'
