import { rollouts } from './rollouts.ts'

export type { FileSessions } from './files.ts'
export type { Beginning, Filter, FolderSessions, SessionUpdate } from './folders.ts'
export type { RolloutsOptions } from './place.ts'
export { type Rollouts, rollouts } from './rollouts.ts'
export type * from './types.ts'

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
