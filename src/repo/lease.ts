import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Awaitable } from '../model/awaitable.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { Backend } from '../storage/backend.ts'
import { generationMark, readGeneration } from '../storage/folder/folder.ts'
import { removeLeftovers, takeOver } from '../storage/folder/generation.ts'
import { type Holder, readHolder, writeHolder } from '../storage/folder/holder.ts'
import { ownName } from '../storage/folder/process.ts'
import { isUnwritable, Snapshot } from '../storage/folder/snapshot.ts'
import type { LevelBackend } from '../storage/level.ts'
import { busy, isHeld, tryDatabase } from '../storage/leveldb/database.ts'
import { Held } from './held.ts'
import { AskedHolder } from './holder/asked.ts'
import { HolderClient } from './holder/client.ts'
import { Unheard } from './holder/patience.ts'
import { HolderServer, type Service } from './holder/server.ts'
import { Mine } from './mine.ts'
import type { Pace } from './pace.ts'

/** What the database is wanted for: to write it, or to read it, for which a copy serves as well. */
export type Purpose = 'read' | 'write'

/** The database, to be let go by `release`. */
export interface Hold {
  readonly backend: LevelBackend
  readonly release: () => void
}

export interface LeaseOptions {
  /** Milliseconds to wait while another process has the database. */
  readonly lockTimeout: number
  readonly holder: Holder
  /**
   * Called each time that the database was opened to be written, before its first use; `isFenced` tells from then on
   * whether another process took the store over.
   */
  readonly onOpen?: (backend: Backend, isFenced: () => boolean) => Awaitable<void>
  /** Called each time before that database is closed. */
  readonly onClose?: () => void
  /** A folder that takes all that is written, above a copy of the database that is held until the end. */
  readonly scratch?: string | undefined
  /** The store's identity, and what is done for other processes while this one holds the database. */
  readonly store?: string
  readonly work?: Service['work']
  /** Says how what is done goes on, besides what the database tells. */
  readonly pace?: Service['pace']
}

/** Held for so many milliseconds, more than after a single use, it is worth asking its holder: to listen takes some itself. */
const LISTENS = 50

/** The milliseconds between two attempts, the least and the most. */
const WAIT_LEAST = 4
const WAIT_MOST = 16

/**
 * Holds a store's database while it is used, and lets it go when it is not: one process at a time can have it, and a
 * command line beside a running agent is the normal case. Who reads while another process has it reads a copy; who
 * writes asks that process to let it go, and takes the store over from one that does not answer.
 */
export class Lease {
  readonly #dir: string
  readonly #options: LeaseOptions
  #mine: Held<Mine>
  #copy: Held<Snapshot>
  /** Copies that are not current any more, as long as they are read. */
  readonly #former = new Set<Held<Snapshot>>()
  #holder: AskedHolder | undefined
  /** Why the holder and this process do not understand each other. */
  #refused: string | undefined
  /** The holder that was met and does not listen. */
  readonly #unheard = new Unheard()
  /** What is being done for other processes, be it that they asked by way of a database that held the store before. */
  readonly #working = new Set<Promise<unknown>>()
  #closed = false

  constructor(dir: string, options: LeaseOptions) {
    this.#dir = dir
    this.#options = options
    this.#mine = new Held(() => this.#open())
    this.#copy = this.#newCopy()
  }

  #newCopy(): Held<Snapshot> {
    const { scratch } = this.#options
    return new Held(() => Snapshot.take(this.#dir, scratch), { keep: scratch !== undefined })
  }

  /** Runs some work with the database. */
  async use<T>(purpose: Purpose, work: (backend: Backend) => Awaitable<T>): Promise<T> {
    const { backend, release } = await this.acquire(purpose)
    try {
      return await work(backend)
    } finally {
      release()
    }
  }

  /** Gives the database. Throws `busy` where it cannot be had in time, `closed` once it was let go for good. */
  acquire(purpose: Purpose): Awaitable<Hold> {
    this.#check()
    if (this.#options.scratch !== undefined) return this.#copied()
    const [{ opened }, release] = [this.#mine, this.#mine.takeNow()]
    return opened && release ? { backend: opened.backend, release } : this.#acquired(purpose)
  }

  async #acquired(purpose: Purpose): Promise<Hold> {
    if (purpose === 'write' || this.#mine.isOpen) return this.#written()
    const taken = await this.tryWrite().catch((error: unknown) => {
      if (!isUnwritable(error)) throw error
    })
    return taken ?? this.#copied()
  }

  #check(): void {
    if (this.#closed) throw new SessError('closed', this.#dir)
  }

  /** Gives the database where it is at hand to be written, and whole as far as is known without a look at the disk. */
  get current(): LevelBackend | undefined {
    const held: Held<Mine | Snapshot> = this.#options.scratch === undefined ? this.#mine : this.#copy
    const backend = held.isReady ? held.opened?.backend : undefined
    return backend?.failed ? undefined : backend
  }

  /** Gives the database to be written where no other process has it, else undefined. */
  async tryWrite(): Promise<Hold | undefined> {
    this.#check()
    if (this.#options.scratch !== undefined) return this.#copied()
    const mine = this.#mine
    const taken = await mine.take()
    return taken && { backend: taken.backend, release: () => mine.release() }
  }

  async #written(): Promise<Hold> {
    const until = Date.now() + this.#options.lockTimeout
    for (let wait = WAIT_LEAST; ; wait = Math.min(WAIT_MOST, wait * 1.5)) {
      const hold = await this.tryWrite()
      if (hold) return hold
      if (Date.now() >= until) throw busy(this.#dir, this.#refused)
      await (await this.ask())?.yield()
      await pause(wait * (0.5 + Math.random()))
    }
  }

  /** Gives a copy of the database in which all is that was acknowledged when this was called. */
  async #copied(): Promise<Hold> {
    const copy = this.#copy
    // One that is made from now on holds all that was acknowledged by now, whatever another process wrote meanwhile.
    const isFresh = !copy.isOpen
    const { backend, isCurrent } = (await copy.take()) as Snapshot
    if (isFresh || isCurrent || this.#options.scratch !== undefined)
      return { backend, release: () => copy.release() }
    if (this.#copy === copy) this.#copy = this.#newCopy()
    for (const former of this.#former) if (!former.isOpen) this.#former.delete(former)
    this.#former.add(copy)
    copy.release()
    return this.#copied()
  }

  /** Resolves once other processes that were just answered have asked again, or may be long in doing so. */
  gathered(): Promise<void> | undefined {
    return this.#mine.opened?.gathered()
  }

  /** Gives a copy of the database as `acquire` does for reading, whoever has the database. */
  async copy(): Promise<Hold> {
    this.#check()
    return this.#copied()
  }

  /**
   * Has another database hold the store from now on: `work` makes it from this one, to which nobody writes meanwhile, and
   * tells whether it did. Whoever reads goes on with this one until done.
   */
  async exchange(work: (backend: LevelBackend) => Promise<boolean>): Promise<boolean> {
    const { backend, release } = await this.acquire('write')
    const mine = this.#mine
    try {
      if (!(await work(backend))) return false
      this.#mine = new Held(() => this.#open())
    } finally {
      release()
    }
    await mine.retire()
    await this.use('write', () => removeLeftovers(this.#dir, isHeld))
    return true
  }

  async #open(): Promise<Mine | undefined> {
    const generation = generationMark(this.#dir)
    const backend = await tryDatabase(this.#dir, this.#options)
    if (!backend) return undefined
    const isFenced = (): boolean => generationMark(this.#dir) !== generation
    try {
      await this.#options.onOpen?.(backend, isFenced)
    } catch (error) {
      await backend.close()
      // What another process wrote that took the store over meanwhile is in the journal, and not in this database.
      if (isFenced()) return undefined
      throw error
    }
    return new Mine(backend, {
      isFenced,
      listen: () => this.#listen(),
      listens: this.#holder ? 0 : LISTENS,
      onClose: () => this.#options.onClose?.(),
    })
  }

  /**
   * Does work for another process while the database is held. It is held from the asking on: to let it go waits for all
   * answers, which must not wait for it in turn.
   */
  #workFor(name: string, of: Json): Promise<Json> | undefined {
    const release = this.#mine.takeNow()
    if (!release) return undefined
    const done = this.#options.work?.(name, of)
    if (done) {
      this.#working.add(done)
      return done.finally(() => this.#working.delete(done)).finally(release)
    }
    // It is not known how: whoever asks does it, for which the database is let go.
    this.#mine.yield()
    release()
    return undefined
  }

  /** Begins to answer other processes, and removes what those left that are no more. */
  async #listen(): Promise<HolderServer | undefined> {
    const { holder, store = '' } = this.#options
    const name = `holder.${ownName()}.${randomBytes(4).toString('hex')}.sock`
    const work: Service['work'] = (asked, of) => this.#workFor(asked, of)
    const mine = this.#mine
    const service = { store, work, yield: () => mine.yield(), pace: () => this.#paceOf(mine) }
    try {
      const server = await HolderServer.listen(this.#dir, name, service)
      writeHolder(this.#dir, { ...holder, socket: server ? name : '' })
      await removeLeftovers(this.#dir, isHeld)
      return server
    } catch {
      return undefined // on a full disk, say: others wait for the database itself
    }
  }

  #paceOf(mine: Held<Mine>): Pace {
    const { steps, isLong } = this.#options.pace?.() ?? { steps: 0, isLong: false }
    const { version = 0, isWriting = false } = mine.opened?.backend ?? {}
    return { steps: steps + version, isLong: isLong || isWriting }
  }

  /** The process that had the database when it was asked last, and still answers. */
  get met(): AskedHolder | undefined {
    const holder = this.#holder
    return holder?.isOpen && !holder.isLeaving ? holder : undefined
  }

  /**
   * Gives the process that has the database, to be asked, or undefined where there is none now. Takes the store over
   * from a process that does not answer.
   */
  async ask(): Promise<AskedHolder | undefined> {
    const known = this.#holder
    if (known?.isLeaving) {
      // What was asked of it before comes first, wherever it is done.
      await known.settled()
      known.close()
    }
    if (known?.isOpen) return known
    const generation = readGeneration(this.#dir)
    const holder = readHolder(this.#dir)
    // It works as ever where the system gives it no socket: it is waited for.
    if (holder?.socket === '') return undefined
    const found =
      holder?.socket === undefined
        ? 'gone'
        : await HolderClient.connect(this.#dir, holder.socket, this.#options.store ?? '')
    if (found instanceof HolderClient) {
      this.#unheard.forget()
      this.#refused = undefined
      return (this.#holder = new AskedHolder(found, () => takeOver(this.#dir, generation)))
    }
    if (typeof found === 'object') this.#refused = found.refused
    else if (found === 'silent' || this.#unheard.isStuck(JSON.stringify(holder ?? null), Date.now()))
      takeOver(this.#dir, generation)
    return undefined
  }

  /** Lets the database go for good. */
  async close(): Promise<void> {
    this.#closed = true
    this.#holder?.close()
    try {
      await Promise.all([this.#copy, ...this.#former].map((held) => held.close()))
    } finally {
      await Promise.allSettled(this.#working)
      await this.#mine.close()
    }
  }
}
