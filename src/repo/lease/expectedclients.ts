import { monotonicNow } from '../../storage/clock.ts'

/** The wait for the next requests, in milliseconds: as long as they took the last time, within these limits. */
const MIN_WAIT = 8
const MAX_WAIT = 100

/**
 * The clients that were just answered and are likely to send another request at once, so that their requests can be
 * written together. A client that does not is waited for only once.
 */
export class ExpectedClients<T> {
  readonly #awaited = new Set<T>()
  #began = 0
  #answered = 0
  #resolve: (() => void) | undefined
  #all: Promise<void> | undefined

  /** Records that a client was answered. */
  answered(client: T): void {
    this.#awaited.add(client)
    this.#answered = monotonicNow()
  }

  /** Records that a client has sent a request, or never will. */
  asked(client: T): void {
    if (this.#awaited.delete(client) && this.#awaited.size === 0) this.#resolve?.()
  }

  /**
   * Resolves when all clients have sent their next request, or after a timeout. Returns undefined if none is awaited.
   */
  all(): Promise<void> | undefined {
    if (this.#all) return this.#all
    const now = monotonicNow()
    const wait = this.#answered + Math.min(MAX_WAIT, Math.max(MIN_WAIT, this.#answered - this.#began)) - now
    this.#began = now
    if (wait <= 0) this.#awaited.clear()
    if (this.#awaited.size === 0) return undefined
    this.#all = new Promise((resolve) => {
      const timer = setTimeout(() => this.#resolve?.(), wait)
      this.#resolve = () => {
        clearTimeout(timer)
        this.#awaited.clear()
        this.#resolve = undefined
        this.#all = undefined
        resolve()
      }
    })
    return this.#all
  }
}
