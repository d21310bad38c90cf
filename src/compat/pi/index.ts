/** `sess/pi`: what pi 1.5.2 exports as its session manager, over the store. */

export {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
  getLatestCompactionEntry,
  projectContextEntry,
  sessionEntryToContextMessages,
} from '../core/context.ts'
export { loadEntriesFromFile } from '../core/files.ts'
export { CURRENT_SESSION_VERSION, migrateSessionEntries, parseSessionEntries } from '../core/migrate.ts'
export type * from '../core/types.ts'
export type { StoreOptions } from './link.ts'
export {
  findMostRecentSession,
  getDefaultSessionDir,
  type ReadonlySessionManager,
  SessionManager,
} from './manager.ts'
export { assertValidSessionId } from './policy.ts'
