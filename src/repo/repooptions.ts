import type { Actor } from '../model/operation.ts'
import type { Zone } from '../model/time.ts'
import type { Env } from './env.ts'

/** How a store is opened, but for the requests of other processes that it serves. */
export interface OpeningOptions {
  /** Create the store where there is none. */
  readonly create?: boolean
  /** Milliseconds to wait while another process has the database; 5,000 unless given. */
  readonly lockTimeout?: number
  /** The command as typed, or the library call: for the operation log and for processes that wait for the lock. */
  readonly command?: string
  /** Whether a person calls, or a program, which is the default: for the operation log. */
  readonly actor?: Actor
  readonly env?: Env
  /** The folder that `@` and relative paths refer to; the process's own unless given. */
  readonly cwd?: string
  /** Open a store that has lost operations too: for fsck. */
  readonly tolerant?: boolean
  /** A dry run: what is written is visible until the store is closed, and nothing of the store is changed. */
  readonly dryRun?: boolean
  /** Stops the work: none begins after it, and long work ends at its next safe point with `stopped`. */
  readonly signal?: AbortSignal
  /** Read the store as it was right after an operation, by its number, its id or the time: nothing can be written. */
  readonly atOperation?: string
  /** The time zone of `atOperation` and of the times in revisions; UTC by default. */
  readonly zone?: Zone
  /** Joins everything that is written into one operation, that of the command. */
  readonly single?: boolean
  /**
   * Throws `unnamed-session` instead of writing where the current session was taken because it is the newest one of the
   * folder, and nobody named it or switched to it.
   */
  readonly confirmCurrent?: boolean
}
