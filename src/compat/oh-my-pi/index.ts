export { buildSessionContext } from './context.ts'
export { SessionManager, type SessionOptions } from './manager.ts'
export type * from './types.ts'
