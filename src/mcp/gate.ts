/** Lets a number of calls run at once; others wait for their turn, unless they are cancelled. */
export class Gate {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(places: number) {
    this.#free = places
  }

  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await this.#turn(signal)
    try {
      return await work()
    } finally {
      const [next] = this.#waiting
      if (next) next()
      else this.#free++
    }
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        this.#waiting.delete(go)
        reject(signal.reason as Error)
      }
      const go = (): void => {
        this.#waiting.delete(go)
        signal.removeEventListener('abort', stop)
        resolve()
      }
      if (signal.aborted) {
        stop()
        return
      }
      this.#waiting.add(go)
      signal.addEventListener('abort', stop, { once: true })
    })
  }
}
