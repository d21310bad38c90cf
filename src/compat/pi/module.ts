import { made, sessionFolder } from './folders.ts'
import { mostRecent } from './list.ts'
import type { SessionManager } from './manager.ts'
import { PI } from './policy.ts'

/** What of a session can be asked. */
export type ReadonlySessionManager = Pick<
  SessionManager,
  | 'getCwd'
  | 'getSessionDir'
  | 'getSessionId'
  | 'getSessionFile'
  | 'getLeafId'
  | 'getLeafEntry'
  | 'getEntry'
  | 'getLabel'
  | 'getBranch'
  | 'buildContextEntries'
  | 'buildSessionProjection'
  | 'getHeader'
  | 'getEntries'
  | 'getTree'
  | 'getSessionName'
>

/** Gives the folder in which pi keeps the sessions of a folder of work, and makes it. */
export const getDefaultSessionDir = (cwd: string, agentDir?: string): string =>
  made(sessionFolder(cwd, agentDir, PI))

/** Gives the session file that was changed last, of one folder of work where that is said; null where there is none. */
export const findMostRecentSession = (sessionDir: string, cwd?: string): string | null =>
  mostRecent(sessionDir, cwd)
