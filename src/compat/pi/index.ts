/** `sess/pi`: what pi 1.5.2 exports as its session manager, over the store. */

export {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
  getLatestCompactionEntry,
  projectContextEntry,
  sessionEntryToContextMessages,
} from './context.ts'
export { loadEntriesFromFile } from './file.ts'
export { assertValidSessionId } from './ids.ts'
export type { StoreOptions } from './link.ts'
export { SessionManager } from './manager.ts'
export type * from './message.ts'
export { CURRENT_SESSION_VERSION, migrateSessionEntries, parseSessionEntries } from './migrate.ts'
export { findMostRecentSession, getDefaultSessionDir, type ReadonlySessionManager } from './module.ts'
export type * from './types.ts'
