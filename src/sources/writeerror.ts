import { SessError } from '../model/errors.ts'

/** Gives what went wrong while something was written, in our words. */
export function writeError(subject: string, cause: unknown): SessError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'EEXIST') return exists(subject, cause)
  if (code === 'ENOSPC') return new SessError('no-space', subject, { cause })
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new SessError('cannot-write', subject, { detail, cause })
}

/** Says that there is something where a new file was to be. */
export const exists = (path: string, cause?: unknown): SessError =>
  new SessError('exists', path, { hint: 'choose another file; nothing was overwritten', cause })
