export type SessionErrorCode =
  | 'not_found'
  | 'already_exists'
  | 'invalid_entry'
  | 'invalid_payload'
  | 'invalid_lane'
  | 'invalid_query'
  | 'invalid_fork_target'
  | 'storage'

/** An error of a session of pi v4. The codes are pi's. */
export class SessionError extends Error {
  override readonly name = 'SessionError'
  readonly code: SessionErrorCode

  constructor(code: SessionErrorCode, message: string, cause?: Error) {
    super(message, cause === undefined ? undefined : { cause })
    this.code = code
  }
}
