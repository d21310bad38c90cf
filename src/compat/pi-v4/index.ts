export { SessionError, type SessionErrorCode } from './error.ts'
export { createSessionRepository, type RepositoryOptions, SessionRepository } from './repository.ts'
export { Session } from './session.ts'
export type * from './types.ts'
