import type { Env } from '../../repo/env.ts'
import type { SessionHeader } from './types.ts'

/** The version of the session files that are written. */
export const CURRENT_SESSION_VERSION = 1

/** Gives 8 random hex digits. */
export const hexId = (env: Env): string => Buffer.from(env.random(4)).toString('hex')

/** Gives the time as entries have it. */
export const timeNow = (env: Env): string => new Date(env.now()).toISOString()

/** Gives the header of a session that begins. */
export const newHeader = (env: Env, cwd: string): SessionHeader => ({
  type: 'session',
  version: CURRENT_SESSION_VERSION,
  id: `sess_${hexId(env)}`,
  timestamp: timeNow(env),
  cwd,
})

/** Gives the name of a session's file. */
export const fileName = ({ id, timestamp }: SessionHeader): string =>
  `${timestamp.replaceAll(/[:.]/g, '-')}_${id}.jsonl`
