import type { Awaitable } from '../model/async.ts'

/** A lock. Waiting callers get it in the order of their calls. */
export class Mutex {
  readonly #waiting: ((unlock: () => void) => void)[] = []
  #isLocked = false

  /** Whether anybody waits for the lock. */
  get isAwaited(): boolean {
    return this.#waiting.length > 0
  }

  /** Takes the lock, at once where it is free. Returns the function that releases it, which must be called once. */
  lock(): Awaitable<() => void> {
    if (this.#isLocked) return new Promise((enter) => this.#waiting.push(enter))
    this.#isLocked = true
    return this.#unlock
  }

  readonly #unlock = (): void => {
    const next = this.#waiting.shift()
    if (next) next(this.#unlock)
    else this.#isLocked = false
  }
}
