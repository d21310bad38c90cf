import { resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { importPaths } from '../../ops/import/import.ts'
import { Repo, type RepoOptions } from '../../repo/repo.ts'

/**
 * Keeps a store caught up with files that a facade writes at once. The files are the truth: what was not taken when a
 * process ends is taken the next time.
 */
export class Follower {
  readonly #dir: string | undefined
  readonly #options: RepoOptions
  readonly #waiting = new Set<string>()
  #repo: Repo | undefined
  #working: Promise<void> | undefined
  #failed: { readonly error: unknown } | undefined

  /** Without the folder of a store, nothing is followed. */
  constructor(dir: string | undefined, options: Pick<RepoOptions, 'lockTimeout' | 'env'> = {}) {
    this.#dir = dir
    this.#options = { ...options, create: true, command: 'facade' }
  }

  /** Imports a file soon, with everything written to it until then. */
  follow(path: string): void {
    if (this.#dir === undefined) return
    this.#waiting.add(resolve(path))
    this.#working ??= this.#work()
  }

  /** Resolves once the store holds what was written before; throws why it does not. What failed is tried again then. */
  async settled(): Promise<void> {
    if (this.#failed) this.#working ??= this.#work()
    await this.#working
    if (this.#failed) throw this.#failed.error
  }

  /** Takes what waits, and lets the store go. */
  async close(): Promise<void> {
    try {
      await this.settled()
    } finally {
      await this.#repo?.close()
      this.#repo = undefined
    }
  }

  async #work(): Promise<void> {
    this.#failed = undefined
    try {
      // Everything that is written in one turn of the event loop is one import.
      await setImmediate()
      this.#repo ??= await Repo.open(this.#dir as string, this.#options)
      while (this.#waiting.size > 0) await this.#take(this.#repo, [...this.#waiting])
    } catch (error) {
      this.#failed = { error }
    } finally {
      this.#working = undefined
    }
  }

  async #take(repo: Repo, paths: readonly string[]): Promise<void> {
    for (const path of paths) this.#waiting.delete(path)
    try {
      const { refused } = await importPaths(repo, paths)
      if (refused[0]) throw refused[0].error
    } catch (error) {
      for (const path of paths) this.#waiting.add(path)
      throw error
    }
  }
}
