import { type FileSessions, fileSessions } from './files.ts'
import { type FolderSessions, folderSessions } from './folders.ts'
import { folderOf, type RolloutsOptions } from './storage.ts'

export type { FileSessions } from './files.ts'
export type { Beginning, FolderSessions, SessionFilter as Filter, SessionUpdate } from './folders.ts'
export type { RolloutsOptions } from './storage.ts'
export type {
  AgentSession,
  RolloutsMessage as Message,
  RolloutsOutcome as Outcome,
  RolloutsSession as Session,
  RolloutsSessionHeader as SessionHeader,
  RolloutsSessionInfo as SessionInfo,
  SessionConfig,
  Status,
} from './types.ts'

/** The functions of rollouts: those over files, and over folders in `sessions`. */
export interface Rollouts extends FileSessions {
  readonly sessions: FolderSessions
  /** Resolves once the store holds what was written before; throws why it does not. */
  readonly settled: () => Promise<void>
  /** Imports the entries that the store lacks, and closes it. */
  readonly close: () => Promise<void>
}

/** Returns the functions of rollouts for a folder of sessions, and a store that follows it. */
export function rollouts(options: RolloutsOptions = {}): Rollouts {
  const place = folderOf(options)
  const { settled, close } = place
  return { ...fileSessions(place), sessions: folderSessions(place), settled, close }
}

/** The functions over the sessions in `~/.rollouts/sessions`, which no store follows. */
export const {
  getSessionsDir,
  createSession,
  findLatestSession,
  loadSession,
  listSessions,
  getSessionInfo,
  listSessionsWithInfo,
  appendMessage,
  appendConfigChange,
  loadMessages,
  loadHeader,
  branchSession,
  compactSession,
  deleteSession,
  clearAllSessions,
  sessions,
} = rollouts()
