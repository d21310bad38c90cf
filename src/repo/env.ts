import { randomBytes } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { SessError } from '../model/errors.ts'
import type { IdSource } from '../model/uuid.ts'
import { processVariables } from './environment.ts'

/** Clock, randomness, user and working folder, passed in so that tests and transcripts are deterministic. */
export interface Env extends IdSource {
  /** `user@host`, for the operation log. */
  readonly who: () => string
  /** The folder that `@` and relative paths refer to. */
  readonly cwd: string
  /**
   * The id, or a prefix of it, of the session that `@` names in every folder, where the user set one (`$SESS_SESSION`).
   */
  readonly session?: string
}

let me: string | undefined

/** The environment of this process. */
export const realEnv = (): Env => ({
  now: Date.now,
  // The bundle of the command line loads `node:crypto` on use.
  random: (bytes) => randomBytes(bytes),
  who: () => (me ??= `${userName()}@${hostname()}`),
  get cwd() {
    return currentFolder()
  },
})

/** Returns the current folder. Throws `no-path` where it was removed or became unreadable. */
function currentFolder(): string {
  try {
    return process.cwd()
  } catch (cause) {
    throw new SessError('no-path', processVariables().PWD ?? '.', {
      detail: 'it was the current folder',
      hint: "change to an existing folder: type 'cd'; nothing was changed",
      cause,
    })
  }
}

/** Returns the user's name, or `user-UID` for a user without a name, as in some containers. */
function userName(): string {
  try {
    return userInfo().username
  } catch {
    return processVariables().USER ?? `user-${process.getuid?.() ?? 'unknown'}`
  }
}
