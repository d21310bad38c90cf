/** `sess/pi-0.73`: what pi 0.73.1 exports as its session manager, over the store. */
import { made } from '../core/files.ts'
import { sessionFolder } from './folders.ts'
import { newestSession } from './list.ts'
import { SessionManager as Newest } from './manager.ts'
import { PI_073, type Policy } from './policy.ts'

export { buildOldSessionContext as buildSessionContext, getLatestCompactionEntry } from '../core/context.ts'
export { readEntries as loadEntriesFromFile } from '../core/files.ts'
export { CURRENT_SESSION_VERSION, migrateSessionEntries, parseSessionEntries } from '../core/migrate.ts'
export type * from '../core/types.ts'
export type { StoreOptions } from './link.ts'
export type { ReadonlySessionManager } from './manager.ts'

/** A session of pi 0.73.1. */
export class SessionManager extends Newest {
  protected static override readonly policy: Policy = PI_073
}

/** Returns the folder in which pi keeps the sessions of a working directory, and creates it. */
export const getDefaultSessionDir = (cwd: string, agentDir?: string): string =>
  made(sessionFolder(cwd, agentDir, PI_073))

/** Returns the session file that was modified last; null if there is none. */
export const findMostRecentSession = (sessionDir: string): string | null => newestSession(sessionDir)
