export { loadEntriesFromFile, parseSessionEntries } from './file.ts'
export { getGlobalSessionTree, resetGlobalSessionTree, setGlobalSessionTree } from './global.ts'
export { SessionTree, type SessionTreeOptions } from './tree.ts'
export type * from './types.ts'
