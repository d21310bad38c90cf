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

/** Says that a path cannot be read, and why. */
export const unreadable = (path: string, detail: string, cause?: unknown): SessError =>
  new SessError('unreadable-path', path, { detail, cause })
