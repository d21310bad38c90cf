import { SessError } from '../../model/errors.ts'
import type { Refused } from './imported.ts'

/** Runs work that reads a file; where the system does not let it, or its content is no good, the file is refused. */
export async function orRefused<T>(path: string, work: () => Promise<T>): Promise<T | Refused> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof SessError && error.code === 'unreadable-path') return { path, error }
    if (!isOfSystem(error)) throw error
    return { path, error: unreadable(path, error.message, error) }
  }
}

/** Tells an error of the operating system: it has a number. */
export const isOfSystem = (error: unknown): error is Error =>
  error instanceof Error && 'errno' in error && 'syscall' in error

/** Hints by the code of the system's error; for the others the usual one. */
const HINTS: Readonly<Record<string, string>> = {
  ENOENT: 'it was moved or deleted meanwhile: import it from where it is now',
  ELOOP: 'name the file that the link should lead to',
  EIO: 'check the disk that it is on',
}

/** Returns the error for a path that cannot be read. */
export function unreadable(path: string, detail: string, cause?: unknown): SessError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  const hint = HINTS[code]
  return new SessError('unreadable-path', path, { detail, cause, ...(hint !== undefined && { hint }) })
}
