export { CURRENT_SESSION_VERSION, loadEntriesFromFile, parseSessionEntries } from './file.ts'
export {
  getGlobalSessionTree,
  resetGlobalSessionTree,
  SessionTree,
  type SessionTreeOptions,
  setGlobalSessionTree,
} from './tree.ts'
export type * from './types.ts'
