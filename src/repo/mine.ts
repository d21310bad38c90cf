import type { LevelBackend } from '../storage/level.ts'
import type { Opened } from './held.ts'
import type { HolderServer } from './holder/server.ts'

interface MineOptions {
  /** Whether another process took the store over since. */
  readonly isFenced: () => boolean
  readonly listen: () => Promise<HolderServer | undefined>
  /** The milliseconds after which it listens. */
  readonly listens: number
  /** Called before the database is closed. */
  readonly onClose: () => void
}

/** The database while this process alone may write it. */
export class Mine implements Opened {
  readonly backend: LevelBackend
  readonly #isFenced: () => boolean
  readonly #onClose: () => void
  #listening: NodeJS.Timeout | undefined
  #server: Promise<HolderServer | undefined> | undefined
  #listener: HolderServer | undefined

  constructor(backend: LevelBackend, { isFenced, listen, listens, onClose }: MineOptions) {
    this.backend = backend
    this.#isFenced = isFenced
    this.#onClose = onClose
    this.#listening = setTimeout(() => {
      this.#server = this.#begin(listen)
    }, listens)
    this.#listening.unref()
  }

  async #begin(listen: () => Promise<HolderServer | undefined>): Promise<HolderServer | undefined> {
    this.#listener = await listen()
    return this.#listener
  }

  /** Reads too: what another process acknowledged since it took the store over is not in this database. */
  get failed(): boolean {
    return this.backend.failed || this.#isFenced()
  }

  /** Resolves once those that were just answered have asked again, or may be long in doing so; undefined where they have. */
  gathered(): Promise<void> | undefined {
    return this.#listener?.gathered()
  }

  async close(): Promise<void> {
    clearTimeout(this.#listening)
    const server = await this.#server
    // A database that stays open shuts everybody out for as long as this process lives.
    try {
      await server?.close()
      this.#onClose()
    } finally {
      await this.backend.close()
    }
  }
}
