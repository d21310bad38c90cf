import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { SessionStore } from '../../library/sessionstore.ts'

/**
 * Keeps a store caught up with files that a facade writes at once. The files are the truth: what was not taken when a
 * process ends is taken the next time.
 */
export class Follower {
  readonly #dir: string | undefined
  readonly #waiting = new Set<string>()
  #store: SessionStore | undefined
  #working: Promise<void> | undefined
  #failed: { readonly error: unknown } | undefined

  /** Without the folder of a store, nothing is followed. */
  constructor(dir: string | undefined) {
    this.#dir = dir
  }

  /** Imports a file soon, with everything written to it until then. */
  follow(path: string): void {
    if (this.#dir === undefined) return
    this.#waiting.add(resolve(path))
    this.#working ??= this.#work(this.#dir)
  }

  /** Resolves once the store holds what was written before; throws why it does not. What failed is tried again then. */
  async settled(): Promise<void> {
    if (this.#failed && this.#dir !== undefined) this.#working ??= this.#work(this.#dir)
    await this.#working
    if (this.#failed) throw this.#failed.error
  }

  /** Takes what waits, and lets the store go. */
  async close(): Promise<void> {
    try {
      await this.settled()
    } finally {
      await this.#store?.close()
      this.#store = undefined
    }
  }

  async #work(dir: string): Promise<void> {
    this.#failed = undefined
    try {
      // Everything that is written in one turn of the event loop is one import.
      await setImmediate()
      this.#store ??= await SessionStore.open(dir, { create: true, command: 'facade' })
      while (this.#waiting.size > 0) await this.#take(this.#store, [...this.#waiting])
    } catch (error) {
      this.#failed = { error }
    } finally {
      this.#working = undefined
    }
  }

  async #take(store: SessionStore, paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#waiting.delete(path)
    try {
      await importInto(store, paths)
    } catch (error) {
      for (const path of paths) this.#waiting.add(path)
      throw error
    }
  }
}

/** Imports files into a store. Throws what kept the first of them from being read. */
export async function importInto(
  store: SessionStore,
  paths: string | readonly string[],
  options: { readonly coalesce?: string } = {},
): Promise<void> {
  const { refused } = await store.import(paths, options)
  if (refused[0]) throw refused[0].error
}
