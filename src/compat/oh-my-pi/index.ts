export type { SessionEntryBase } from '../core/types.ts'
export { buildSessionContext } from './context.ts'
export {
  findMostRecentSession,
  type LoadOptions,
  loadEntriesFromFile,
  migrateSessionEntries,
} from './file.ts'
export { SessionManager, type SessionOptions } from './manager.ts'
export type {
  ModeChangeEntry,
  ModelUsageEntry,
  OmpBranchSummaryEntry as BranchSummaryEntry,
  OmpCompactionEntry as CompactionEntry,
  OmpCustomEntry as CustomEntry,
  OmpCustomMessageEntry as CustomMessageEntry,
  OmpFileEntry as FileEntry,
  OmpLabelEntry as LabelEntry,
  OmpModelChangeEntry as ModelChangeEntry,
  OmpSessionContext as SessionContext,
  OmpSessionEntry as SessionEntry,
  OmpSessionHeader as SessionHeader,
  OmpSessionMessageEntry as SessionMessageEntry,
  OmpSessionTreeNode as SessionTreeNode,
  OmpThinkingLevelChangeEntry as ThinkingLevelChangeEntry,
  ResetBoundaryEntry,
  ServiceTier,
  ServiceTierChangeEntry,
  SessionInit,
  SessionInitEntry,
  TitleChangeEntry,
  TitleSource,
  TtsrInjectionEntry,
} from './types.ts'
