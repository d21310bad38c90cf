import { SessError } from './errors.ts'

/** Returns the error for a failed write: `exists`, `no-space` or `cannot-write`. */
export function writeError(subject: string, cause: unknown): SessError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'EEXIST') return exists(subject, cause)
  if (code === 'ENOSPC' || code === 'EDQUOT') return new SessError('no-space', subject, { cause })
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new SessError('cannot-write', subject, { detail, cause })
}

/** Returns the error for a new file whose path exists. */
export const exists = (path: string, cause?: unknown): SessError =>
  new SessError('exists', path, { hint: 'choose another file; nothing was overwritten', cause })
