import { SessError } from '../model/errors.ts'
import type { Awaitable, Backend } from '../storage/backend.ts'
import { type Holder, openDatabase } from '../storage/database.ts'
import type { LevelBackend } from '../storage/level.ts'

/** Milliseconds without use after which the database is let go, so that other processes come in. */
const IDLE = 40

/**
 * Holds a store's database while it is used, and lets it go when it is not: one process at a time can have it, and a
 * command line beside a running agent is the normal case.
 */
export class Lease {
  readonly #dir: string
  readonly #lockTimeout: number
  readonly #holder: Holder
  readonly #scratch: string | undefined
  readonly #onOpen: (backend: Backend) => Awaitable<void>
  #backend: LevelBackend | undefined
  #opening: Promise<LevelBackend> | undefined
  #users = 0
  #idle: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined
  /** Why the database could not be let go while nobody used it: the next one who asks for it is told. */
  #failure: unknown
  #closed = false

  /**
   * `onOpen` is called each time that the database was opened, before its first use. With `scratch`, a folder that
   * takes all that is written, the database is held until the end: what lies in it fits no other state.
   */
  constructor(
    dir: string,
    lockTimeout: number,
    holder: Holder,
    onOpen: (backend: Backend) => Awaitable<void>,
    scratch?: string,
  ) {
    this.#dir = dir
    this.#lockTimeout = lockTimeout
    this.#holder = holder
    this.#onOpen = onOpen
    this.#scratch = scratch
  }

  /** Runs some work with the database. */
  async use<T>(work: (backend: Backend) => Awaitable<T>): Promise<T> {
    const backend = await this.acquire()
    try {
      return await work(backend)
    } finally {
      this.release()
    }
  }

  /** Gives the database, to be let go by `release`. */
  async acquire(): Promise<Backend> {
    if (this.#closed) throw new SessError('closed', this.#dir)
    clearTimeout(this.#idle)
    this.#users++
    try {
      if (this.#backend?.failed && this.#users === 1) await this.#letGo()
      await this.#closing
      if (this.#failure !== undefined) throw this.#takeFailure()
      return this.#backend ?? (await (this.#opening ??= this.#open()))
    } catch (error) {
      this.#users--
      throw error
    }
  }

  async #open(): Promise<LevelBackend> {
    try {
      const backend = await openDatabase(this.#dir, {
        lockTimeout: this.#lockTimeout,
        holder: this.#holder,
        ...(this.#scratch === undefined ? {} : { scratch: this.#scratch }),
      })
      try {
        await this.#onOpen(backend)
      } catch (error) {
        await backend.close()
        throw error
      }
      // Here, not where it is waited for: between the two another one might open it again.
      this.#backend = backend
      return backend
    } finally {
      this.#opening = undefined
    }
  }

  release(): void {
    this.#users--
    if (this.#users > 0 || this.#scratch !== undefined) return
    this.#idle = setTimeout(() => {
      this.#letGo().catch((error: unknown) => {
        this.#failure = error
      })
    }, IDLE)
    this.#idle.unref()
  }

  #takeFailure(): unknown {
    const failure = this.#failure
    this.#failure = undefined
    return failure
  }

  #letGo(): Promise<void> {
    const backend = this.#backend
    this.#backend = undefined
    if (backend) {
      this.#closing = backend.close().finally(() => {
        this.#closing = undefined
      })
    }
    return this.#closing ?? Promise.resolve()
  }

  /** Lets the database go for good. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idle)
    await this.#opening
    await this.#letGo()
  }
}
