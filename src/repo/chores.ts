/** Milliseconds without writing after which what can wait is done: before the database is let go. */
const QUIET = 20

/** Has one chore done once nothing was written for a moment. */
export class Chores {
  readonly #mayBegin: () => boolean
  #chore: (() => Promise<void>) | undefined
  #timer: NodeJS.Timeout | undefined

  /** `mayBegin` tells whether the store is at hand and nothing is being written. */
  constructor(mayBegin: () => boolean) {
    this.#mayBegin = mayBegin
  }

  /** Has a chore done, of several the one that was asked for last. */
  ask(chore: () => Promise<void>): void {
    this.#chore = chore
    this.#timer ??= setTimeout(() => this.#begin(), QUIET).unref()
    this.#timer.refresh()
  }

  /** Waits anew: something was written. */
  later(): void {
    if (this.#chore) this.#timer?.refresh()
  }

  #begin(): void {
    const chore = this.#chore
    if (!chore || !this.#mayBegin()) return
    this.#chore = undefined
    // Where it fails the next command tells why.
    chore().catch(() => undefined)
  }

  /** Begins no more. */
  end(): void {
    clearTimeout(this.#timer)
    this.#chore = undefined
  }
}
