/** Whoever asks again does so within so many milliseconds, or as long as all took the last time; not more than the most. */
const LEAST = 8
const MOST = 100

/**
 * Those that were answered and are likely to ask again at once: what they ask for can be written together, where it is
 * waited for a moment. Whoever does something else meanwhile is waited for once.
 */
export class Gathering<T> {
  readonly #awaited = new Set<T>()
  #began = 0
  #left = 0
  #resolve: (() => void) | undefined
  #all: Promise<void> | undefined

  /** Notes that somebody was answered. */
  left(one: T): void {
    this.#awaited.add(one)
    this.#left = performance.now()
  }

  /** Notes that somebody asks again, or never will. */
  came(one: T): void {
    if (this.#awaited.delete(one) && this.#awaited.size === 0) this.#resolve?.()
  }

  /** Resolves once all are there that are waited for; undefined where they are. */
  all(): Promise<void> | undefined {
    if (this.#all) return this.#all
    const now = performance.now()
    const wait = this.#left + Math.min(MOST, Math.max(LEAST, this.#left - this.#began)) - now
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
