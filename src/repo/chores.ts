/** Milliseconds without writing after which what can wait is done: before the database is let go. */
const QUIET = 20

/** Has chores done once nothing was written for a moment. */
export class Chores {
  readonly #mayBegin: () => boolean
  readonly #chores = new Map<string, () => Promise<void>>()
  #timer: NodeJS.Timeout | undefined

  /** `mayBegin` tells whether the store is at hand and nothing is being written. */
  constructor(mayBegin: () => boolean) {
    this.#mayBegin = mayBegin
  }

  /** Has a chore done, of several with a name the one that was asked for last. */
  ask(name: string, chore: () => Promise<void>): void {
    this.#chores.set(name, chore)
    this.#timer ??= setTimeout(() => this.#begin(), QUIET).unref()
    this.#timer.refresh()
  }

  /** Waits anew: something was written. */
  later(): void {
    if (this.#chores.size > 0) this.#timer?.refresh()
  }

  #begin(): void {
    const [next] = this.#chores
    if (!next || !this.#mayBegin()) return
    const [name, chore] = next
    this.#chores.delete(name)
    // Where it fails the next command tells why.
    chore().catch(() => undefined)
    if (this.#chores.size > 0) this.#timer?.refresh()
  }

  /** Begins no more. */
  end(): void {
    clearTimeout(this.#timer)
    this.#chores.clear()
  }
}
