import { SessError } from '../model/errors.ts'

/** Gives what went wrong while something was written, in our words. */
export function writeError(subject: string, cause: unknown): SessError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (code === 'EEXIST')
    return new SessError('exists', subject, { hint: 'choose another file; nothing was overwritten', cause })
  if (code === 'ENOSPC') return new SessError('no-space', subject, { cause })
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new SessError('cannot-write', subject, { detail, cause })
}
