import { hexOf } from '../ids.ts'

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** How many digits of an id tell its time, and how many letters follow them. */
const [DIGITS, LETTERED] = [12, 14]
const MASK = (1n << BigInt(4 * DIGITS)) - 1n

/** A millisecond has so many ids. */
const EACH = 0x1000n

const spelled = (kind: string, moment: bigint, ...parts: readonly (string | number)[]): string => {
  const hash = hexOf(kind, ...parts)
  const letters = Array.from(
    { length: LETTERED },
    (_, i) => LETTERS[Number.parseInt(hash.slice(4 * i, 4 * i + 4), 16) % LETTERS.length],
  )
  return `${kind}_${(moment & MASK).toString(16).padStart(DIGITS, '0')}${letters.join('')}`
}

const ID = /^ses_[0-9a-f]{12}[0-9A-Za-z]{14}$/

/** Tells whether an id is one of a session of OpenCode. */
export const isSessionId = (id: string): boolean => ID.test(id)

/** Gives the id of a session that a UUID and its time name together. Those of newer sessions sort before. */
export const sessionIdOf = (uuid: string, created: number): string =>
  spelled('ses', ~(BigInt(created) * EACH), uuid)

/** Gives messages and parts ids that ascend, the same for the same session. */
export class Ids {
  readonly #session: string
  #last = -1n

  constructor(session: string) {
    this.#session = session
  }

  /** Gives the next id, of something that was said at a time in milliseconds since 1970; it sorts behind another one. */
  next(kind: 'msg' | 'prt', time: number, behind = ''): string {
    const moment = BigInt(Math.trunc(time)) * EACH
    this.#last = moment > this.#last ? moment : this.#last + 1n
    const digits = /_([0-9a-f]{12})/.exec(behind)?.[1]
    const least = digits === undefined ? 0n : BigInt(`0x${digits}`) + 1n
    if ((this.#last & MASK) < least) this.#last = (this.#last & ~MASK) | least
    return spelled(kind, this.#last, this.#session, `${this.#last}`)
  }
}
