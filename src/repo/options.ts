import type { Json } from '../model/json.ts'
import type { Zone } from '../model/when.ts'
import type { Env } from './env.ts'
import type { Repo } from './repo.ts'

/** How a store is opened. */
export interface RepoOptions {
  /** Make the store where there is none. */
  readonly create?: boolean
  /** Milliseconds to wait while another process has the database; 5,000 unless said. */
  readonly lockTimeout?: number
  /** The command as typed, or the library call: for the operation log and for whoever waits for the lock. */
  readonly command?: string
  readonly env?: Env
  /** The folder that `@` and relative paths refer to; the process's own unless said. */
  readonly cwd?: string
  /** Open a store that has lost operations too: for fsck. */
  readonly tolerant?: boolean
  /** Do all work as if, and forget it when the store is closed: nothing is written. */
  readonly dryRun?: boolean
  /** Asks to stop: no work begins after it, and long work ends at its next safe point with `stopped`. */
  readonly signal?: AbortSignal
  /** Read the store as it was right after an operation, by its number, its id or the time: nothing can be written. */
  readonly atOperation?: string
  /** In which local time such a time is meant; UTC unless said. */
  readonly zone?: Zone
  /** All that is written is one operation: that of the command. */
  readonly single?: boolean
  /** What this process does for others while it has the database, by name. */
  readonly works?: Works
}

/** Pieces of work that processes do for each other: what was asked goes in, the answer comes out. */
export interface Works {
  readonly [name: string]: (repo: Repo, ask: Json) => Promise<Json>
}
