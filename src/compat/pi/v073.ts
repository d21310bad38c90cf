/** `sess/pi-0.73`: what pi 0.73.1 exports as its session manager, over the store. */
import { made, sessionFolder } from './folders.ts'
import { mostRecent } from './list.ts'
import { SessionManager as Newest } from './manager.ts'
import { PI_073, type Policy } from './policy.ts'

export { buildOldSessionContext as buildSessionContext, getLatestCompactionEntry } from './context.ts'
export { readEntries as loadEntriesFromFile } from './file.ts'
export type { StoreOptions } from './link.ts'
export type * from './message.ts'
export { CURRENT_SESSION_VERSION, migrateSessionEntries, parseSessionEntries } from './migrate.ts'
export type { ReadonlySessionManager } from './module.ts'
export type * from './types.ts'

/** A session of pi 0.73.1. */
export class SessionManager extends Newest {
  protected static override readonly policy: Policy = PI_073
}

/** Gives the folder in which pi keeps the sessions of a folder of work, and makes it. */
export const getDefaultSessionDir = (cwd: string, agentDir?: string): string =>
  made(sessionFolder(cwd, agentDir, PI_073))

/** Gives the session file that was changed last; null where there is none. */
export const findMostRecentSession = (sessionDir: string): string | null => mostRecent(sessionDir)
