import { homedir } from 'node:os'
import { join } from 'node:path'
import { type Env, realEnv } from '../../repo/env.ts'
import { Follower } from '../follower.ts'

/** Where sessions lie, and what is kept caught up with them. */
export interface RolloutsOptions {
  /** The folder of all sessions: `~/.rollouts/sessions` unless said. */
  readonly root?: string
  /** The folder of a store that takes what is written. */
  readonly store?: string
  readonly env?: Env
}

/** Where sessions lie and what follows them, as the functions use it. */
export interface Place {
  readonly env: Env
  /** The folder of all sessions. */
  readonly root: () => string
  /** Has the store take a file that was written. */
  readonly wrote: (path: string) => void
  readonly settled: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Gives the place that options name. */
export function placeOf({ root, store, env = realEnv() }: RolloutsOptions): Place {
  const follower = store === undefined ? undefined : new Follower(store, { env })
  return {
    env,
    root: () => root ?? join(homedir(), '.rollouts', 'sessions'),
    wrote: (path) => follower?.follow(path),
    settled: async () => follower?.settled(),
    close: async () => follower?.close(),
  }
}

/** Gives the time as ISO 8601. */
export const timeNow = ({ env }: Place): string => new Date(env.now()).toISOString()
