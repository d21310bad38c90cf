import type { Call } from './call.ts'

/** Short work says nothing. */
const PATIENCE = 500

/** Says on stderr how far long work has come, where stderr is a terminal. */
export class Progress {
  readonly #call: Call
  readonly #stop: () => void
  #shown = false

  constructor(call: Call, text: () => string) {
    this.#call = call
    const { every, env, stderr } = call.world
    const begun = env.now()
    this.#stop = stderr.isTTY
      ? every(200, () => {
          const taken = env.now() - begun
          if (taken < PATIENCE) return
          this.#shown = true
          void call.io.status(`${text()}, ${Math.round(taken / 1000)} s`)
        })
      : () => undefined
  }

  /** Takes the line away, because another is coming. */
  clear(): void {
    if (this.#shown) void this.#call.io.status('')
    this.#shown = false
  }

  /** Says no more. */
  end(): void {
    this.#stop()
    this.clear()
  }
}
