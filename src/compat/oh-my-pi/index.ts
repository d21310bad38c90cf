export { buildSessionContext } from './context.ts'
export {
  findMostRecentSession,
  type LoadOptions,
  loadEntriesFromFile,
  migrateSessionEntries,
} from './file.ts'
export { SessionManager, type SessionOptions } from './manager.ts'
export type * from './types.ts'
