import { randomBytes } from 'node:crypto'
import { hostname, userInfo } from 'node:os'
import { SessError } from '../model/errors.ts'
import { processVariables } from './environment.ts'

/** Clock, randomness, user and working folder, passed in so that tests and transcripts are deterministic. */
export interface Env {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly random: (bytes: number) => Uint8Array
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

/** Makes a UUID of version 7 (RFC 9562): the time in milliseconds, then 74 random bits. */
export function uuid7({ now, random }: Env): string {
  const bytes = new Uint8Array(16)
  bytes.set(random(16))
  let time = now()
  for (let i = 5; i >= 0; i--) {
    bytes[i] = time % 256
    time = Math.floor(time / 256)
  }
  bytes[6] = 0x70 | ((bytes[6] as number) & 0x0f)
  bytes[8] = 0x80 | ((bytes[8] as number) & 0x3f)
  const hex = Buffer.from(bytes).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
