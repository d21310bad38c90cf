import { Snapshot } from '../../storage/directory/snapshot.ts'
import type { LevelBackend } from '../../storage/levelbackend/levelbackend.ts'
import type { LeaseHandle } from './leasedriver.ts'

/** Milliseconds without use after which a snapshot is removed: it keeps tables on the disk that are gone elsewhere. */
const IDLE = 40

/** A snapshot that several readers share. */
class SharedSnapshot {
  readonly #dir: string
  readonly #scratch: string | undefined
  #opening: Promise<Snapshot> | undefined
  #snapshot: Snapshot | undefined
  #readers = 0
  #idle: NodeJS.Timeout | undefined
  #closing: Promise<void> | undefined

  constructor(dir: string, scratch: string | undefined) {
    this.#dir = dir
    this.#scratch = scratch
  }

  get isOpen(): boolean {
    return this.#opening !== undefined
  }

  get backend(): LevelBackend | undefined {
    return this.#snapshot?.backend
  }

  async take(): Promise<Snapshot> {
    this.#readers++
    try {
      // A folder that could not be removed is no reason to read nothing.
      await this.#closing?.catch(() => undefined)
      this.#opening ??= this.#open()
      return await this.#opening
    } catch (error) {
      this.#readers--
      throw error
    }
  }

  async #open(): Promise<Snapshot> {
    try {
      this.#snapshot = await Snapshot.take(this.#dir, this.#scratch)
      return this.#snapshot
    } catch (error) {
      this.#opening = undefined
      throw error
    }
  }

  release(): void {
    if (--this.#readers > 0 || this.#scratch !== undefined) return
    if (this.#idle) this.#idle.refresh()
    else this.#idle = setTimeout(() => this.#closeIdle(), IDLE).unref()
  }

  #closeIdle(): void {
    // The folder is removed by the next process where this one fails to.
    if (this.#readers === 0) this.close().catch(() => undefined)
  }

  /** Removes it, once it is not being made any more. */
  async close(): Promise<void> {
    clearTimeout(this.#idle)
    this.#idle = undefined
    const [opening, closing] = [this.#opening, this.#closing]
    this.#opening = undefined
    this.#snapshot = undefined
    this.#closing = closeAfter(opening, closing).finally(() => {
      this.#closing = undefined
    })
    await this.#closing
  }
}

async function closeAfter(
  opening: Promise<Snapshot> | undefined,
  closing: Promise<void> | undefined,
): Promise<void> {
  // An earlier one that could not be removed is left to the next process.
  await closing?.catch(() => undefined)
  // The caller that opened it received the error.
  const snapshot = await opening?.catch(() => undefined)
  await snapshot?.close()
}

/** Snapshots of a store's database, which are read while another process holds it. */
export class Snapshots {
  readonly #dir: string
  readonly #scratch: string | undefined
  #newest: SharedSnapshot
  /** Older ones, as long as they are read. */
  readonly #older = new Set<SharedSnapshot>()

  /** With `scratch`, a folder that takes all that is written, one snapshot is kept until the end. */
  constructor(dir: string, scratch: string | undefined) {
    this.#dir = dir
    this.#scratch = scratch
    this.#newest = new SharedSnapshot(dir, scratch)
  }

  /** Returns a snapshot that holds all that was acknowledged when this was called. */
  async take(): Promise<LeaseHandle> {
    for (;;) {
      const shared = this.#newest
      // One that is made from now on holds all that was acknowledged by now.
      const isFresh = !shared.isOpen
      const { backend, isCurrent } = await shared.take()
      if (isFresh || isCurrent || this.#scratch !== undefined)
        return { backend, release: () => shared.release() }
      if (this.#newest === shared) this.#newest = new SharedSnapshot(this.#dir, this.#scratch)
      for (const older of this.#older) if (!older.isOpen) this.#older.delete(older)
      this.#older.add(shared)
      shared.release()
    }
  }

  /** The newest one, while it is open. */
  get current(): LevelBackend | undefined {
    return this.#newest.backend
  }

  /** Removes all of them. */
  async close(): Promise<void> {
    await Promise.all([this.#newest, ...this.#older].map((shared) => shared.close()))
  }
}
