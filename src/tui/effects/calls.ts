import type { VerbContext } from '../../verbs/open.ts'

/** Makes the contexts of calls; a call that a newer one of its kind replaces is cancelled. */
export class Calls {
  readonly #context: VerbContext
  readonly #running = new Map<string, AbortController>()

  constructor(context: VerbContext) {
    this.#context = context
  }

  /** Returns the context of a call that nothing replaces. */
  get lasting(): VerbContext {
    return this.#with(undefined)
  }

  /** Runs a call of a kind, after cancelling the one before. Returns undefined where it is replaced itself. */
  async latest<T>(kind: string, work: (context: VerbContext) => Promise<T>): Promise<T | undefined> {
    this.#running.get(kind)?.abort()
    const own = new AbortController()
    this.#running.set(kind, own)
    try {
      const result = await work(this.#with(own.signal))
      return own.signal.aborted ? undefined : result
    } catch (error) {
      if (own.signal.aborted) return undefined
      throw error
    } finally {
      if (this.#running.get(kind) === own) this.#running.delete(kind)
    }
  }

  /** Cancels everything that runs. */
  cancel(): void {
    for (const running of this.#running.values()) running.abort()
  }

  #with(signal: AbortSignal | undefined): VerbContext {
    const { repo, ...context } = this.#context
    return {
      ...context,
      ...(signal && { signal }),
      repo: repo.call(signal ? { signal } : {}),
    }
  }
}
