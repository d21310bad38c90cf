import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Awaitable } from '../../model/async.ts'
import { isFenced as isFencedError, SessError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Backend } from '../../storage/backend.ts'
import { monotonicNow } from '../../storage/clock.ts'
import { isUnwritable } from '../../storage/directory/files.ts'
import { generationMark } from '../../storage/directory/generation.ts'
import { type Holder, hadOtherHolder, isLeftToOther, writeHolder } from '../../storage/directory/holder.ts'
import { removeLeftovers } from '../../storage/directory/leftovers.ts'
import { networkFileSystem } from '../../storage/directory/networkfilesystem.ts'
import { isBeingRepaired } from '../../storage/directory/quarantine.ts'
import { takeOver } from '../../storage/directory/takeover.ts'
import type { LevelBackend } from '../../storage/levelbackend/levelbackend.ts'
import { busyError, isHeld, tryDatabase } from '../../storage/leveldb/database.ts'
import { type HolderClient, Peer } from './client.ts'
import type { HolderProgress } from './failuredetector.ts'
import { LeaseDriver, type LeaseHandle, type Listener, type OpenDatabase } from './leasedriver.ts'
import { CLOSED, type LeaseState, WAITING } from './leasestates.ts'
import { HolderServer, type HolderService } from './server.ts'
import { Snapshots } from './snapshots.ts'
import { storeName } from './socket.ts'

export type { LeaseHandle } from './leasedriver.ts'

/** Readers are served by a snapshot where another process holds the database. */
export type Purpose = 'read' | 'write'

export interface LeaseOptions {
  /** Milliseconds to wait while another process holds the database. */
  readonly lockTimeout: number
  readonly holder: Holder
  /**
   * Called each time the database was opened, before its first use. `isFenced` returns from then on whether it is fenced.
   */
  readonly onOpen?: (backend: Backend, isFenced: () => boolean) => Awaitable<void>
  /** Called each time before that database is closed. */
  readonly onClose?: () => void
  /** Called if another process, or another store object of this process, may have held the database meanwhile. */
  readonly onOtherHolder?: () => void
  /** A folder for all writes, as an overlay over a snapshot that is kept until the lease is closed. */
  readonly scratch?: string | undefined
  /** The id of the store. */
  readonly store?: string
  /** Does work for other processes in the database that this one holds; undefined for work that it does not know. */
  readonly work?: (name: string, ask: Json, hold: LeaseHandle) => Promise<Json> | undefined
  /** Reports progress besides that of the database. */
  readonly progress?: HolderService['progress']
}

/** The milliseconds between two attempts to open the database, the least and the most. */
const WAIT_LEAST = 4
const WAIT_MOST = 16

/** The longest wait for a holder that was asked, in milliseconds, before it is asked again: then its progress is looked at. */
const ASKED_AGAIN = 50

/** Milliseconds for which readers do not try to open a database that another process was found to hold. */
const CONTENDED = 10_000

/** Milliseconds of consecutive uses after which the event loop runs. */
const TURN = 5

/** The leases that are open in this thread. */
const leases = new Set<Lease>()

/** Closes databases that a program left open, before it exits because it has nothing else to do. */
const closeAll = (): void => {
  for (const lease of leases) lease.closeIfIdle()
}

/**
 * The right to use a store's database. One process at a time holds it, until another one asks for it. Readers in other
 * processes read a snapshot, appends are handed over to the holder, and any other writer asks for the database. The
 * store is taken over from a holder that does not answer.
 */
export class Lease {
  readonly #dir: string
  readonly #options: LeaseOptions
  readonly #snapshots: Snapshots
  #machine: LeaseDriver<LevelBackend>
  readonly #peer: Peer
  /** The generation held by the suspected holder. */
  #suspected = 0
  /** Work that is done for other processes, also for those that asked through a former database. */
  readonly #working = new Set<Promise<unknown>>()
  /** The time at which the event loop is known to have run last. */
  #turned = monotonicNow()
  #closed = false
  /** Until when readers take a snapshot at once: they would take the database from the writer whose turn it is. */
  #contended = 0

  constructor(dir: string, options: LeaseOptions) {
    this.#dir = dir
    this.#options = options
    this.#snapshots = new Snapshots(dir, options.scratch)
    this.#machine = this.#newMachine(CLOSED)
    this.#peer = new Peer(dir, options.store ?? '', {
      reached: () => this.#machine.dispatch('reached'),
      left: () => this.#machine.dispatch('left'),
      silent: (generation) => {
        this.#suspected = generation
        this.#machine.dispatch('silent')
      },
    })
    if (leases.size === 0) process.on('beforeExit', closeAll)
    leases.add(this)
  }

  #newMachine(state: LeaseState): LeaseDriver<LevelBackend> {
    const former = this.#machine as LeaseDriver<LevelBackend> | undefined
    const machine: LeaseDriver<LevelBackend> = new LeaseDriver(
      {
        open: async () => {
          await former?.settled()
          return this.#open()
        },
        listen: () => this.#listen(machine),
        takeOver: () => takeOver(this.#dir, this.#suspected),
      },
      state,
    )
    return machine
  }

  /** Runs work with the database. */
  async use<T>(purpose: Purpose, work: (backend: Backend) => Awaitable<T>): Promise<T> {
    const { backend, release } = await this.acquire(purpose)
    try {
      return await work(backend)
    } finally {
      release()
    }
  }

  /** Runs work with a snapshot, which does not change meanwhile. */
  async useCopy<T>(work: (backend: Backend) => Awaitable<T>): Promise<T> {
    // Opening the database completes what a killed process began.
    await this.use('read', () => undefined)
    const { backend, release } = await this.copy()
    try {
      return await work(backend)
    } finally {
      release()
    }
  }

  /** Returns the database. Throws `busy` if it is not available in time, `closed` once the lease is closed. */
  acquire(purpose: Purpose): Awaitable<LeaseHandle> {
    this.#check()
    if (this.#options.scratch !== undefined) return this.#snapshots.take()
    if (monotonicNow() - this.#turned > TURN) return this.#turn(purpose)
    return this.takeNow() ?? this.#acquired(purpose)
  }

  /** Runs the event loop first, so that requests of other processes are answered while this one reads in a loop. */
  async #turn(purpose: Purpose): Promise<LeaseHandle> {
    await nextTurn()
    this.#turned = monotonicNow()
    return this.acquire(purpose)
  }

  async #acquired(purpose: Purpose): Promise<LeaseHandle> {
    if (purpose === 'write' || this.#machine.opened) return this.#written()
    const taken = this.#isContended ? undefined : await this.#tryToRead()
    return taken ?? this.#snapshots.take()
  }

  get #isContended(): boolean {
    const { state } = this.#machine
    return monotonicNow() < this.#contended || state === 'closing' || state === 'ceded'
  }

  async #tryToRead(): Promise<LeaseHandle | undefined> {
    try {
      return await this.tryWrite()
    } catch (error) {
      if (!isUnwritable(error)) throw error
      return undefined
    }
  }

  #check(): void {
    if (this.#closed) throw new SessError('closed', this.#dir)
  }

  /** Returns the database if this process holds it and no other one asked for it. */
  takeNow(): LeaseHandle | undefined {
    const machine = this.#machine
    const backend = machine.takeNow()
    return backend && { backend, release: () => machine.release() }
  }

  /** The database if it can be used at once, as far as is known without reading the fencing token. */
  get current(): LevelBackend | undefined {
    const backend =
      this.#options.scratch === undefined
        ? this.#machine.state === 'held' && this.#machine.opened
        : this.#snapshots.current
    return backend && !backend.failed ? backend : undefined
  }

  /** Whether a hold is of the database that is open here now: another one may have taken its place. */
  isCurrent({ backend }: LeaseHandle): boolean {
    return this.#options.scratch !== undefined || this.#machine.opened === backend
  }

  /** Whether another process asked for the database that is in use here. */
  get isAsked(): boolean {
    return this.#machine.state === 'yielding'
  }

  /** The database that is open here, whether it can be used or not; undefined in a dry run. */
  get opened(): LevelBackend | undefined {
    return this.#machine.opened
  }

  /** Returns the database for writing if no other process holds it, else undefined. */
  async tryWrite(): Promise<LeaseHandle | undefined> {
    this.#check()
    if (this.#options.scratch !== undefined) return this.#snapshots.take()
    this.#leaveLost()
    const machine = this.#machine
    const backend = await machine.take()
    if (!backend) this.#contended = monotonicNow() + CONTENDED
    return backend && { backend, release: () => machine.release() }
  }

  /**
   * Replaces a fenced or failed database by the current one; its users finish with the old one. That it cannot be closed
   * loses nothing: what was acknowledged is on disk, and its users were told of everything else.
   */
  #leaveLost(): void {
    const lost = this.#machine
    if (!lost.isLost) return
    this.#machine = this.#newMachine(WAITING)
    lost.fence().catch(() => undefined)
  }

  async #written(): Promise<LeaseHandle> {
    const began = monotonicNow()
    const until = began + this.#options.lockTimeout
    for (let wait = WAIT_LEAST; ; wait = Math.min(WAIT_MOST, wait * 1.5)) {
      // A holder that is connected says when it lets go: until then it cannot be opened.
      const hold = this.met ? undefined : await this.tryWrite()
      if (hold) return hold
      const now = monotonicNow()
      if (now >= until) throw this.busy()
      const holder = await this.ask()
      const answer = await holder?.yield(now - began)
      if (holder && answer === 'asked') await holder.left(Math.min(ASKED_AGAIN, until - now))
      else await pause(wait * (0.5 + Math.random()))
    }
  }

  /** Returns the error that names the process that holds the database. */
  busy(): SessError {
    return busyError(this.#dir, this.#peer.refused)
  }

  /** Resolves when the clients just answered have sent their next request, or after a timeout. */
  nextRequests(): Promise<void> | undefined {
    return this.#machine.nextRequests()
  }

  /** Returns a snapshot as `acquire` does for reading, whichever process holds the database. */
  async copy(): Promise<LeaseHandle> {
    this.#check()
    return this.#snapshots.take()
  }

  /**
   * Replaces the store's database: `work` makes the new one from this one, to which nothing is written meanwhile, and
   * returns whether it did. Readers of this one can finish.
   */
  async exchange(work: (backend: LevelBackend) => Promise<boolean>): Promise<boolean> {
    const { backend, release } = await this.acquire('write')
    const former = this.#machine
    try {
      if (!(await work(backend))) return false
      if (this.#machine === former) this.#machine = this.#newMachine(CLOSED)
    } finally {
      release()
    }
    await former.fence()
    await this.use('write', () => removeLeftovers(this.#dir, isHeld))
    return true
  }

  async #open(): Promise<OpenDatabase<LevelBackend> | undefined> {
    const generation = generationMark(this.#dir)
    const isFenced = (): boolean => generationMark(this.#dir) !== generation
    let backend: LevelBackend | undefined
    if (isLeftToOther(this.#dir)) return undefined
    try {
      backend = await tryDatabase(this.#dir, this.#options)
      if (!backend) return undefined
      await this.#options.onOpen?.(backend, isFenced)
    } catch (error) {
      await backend?.close().catch((reason: unknown) => {
        if (!isFencedError(reason)) throw reason
      })
      // The process that took the store over meanwhile may have written to the journal, and not to this database.
      if (isFenced()) return undefined
      throw error
    }
    return { backend, isFenced, onClose: () => this.#options.onClose?.() }
  }

  /**
   * Does work for another process while the database is held. The request counts as a use of the database: all requests
   * are answered before the database is closed, so an answer must not wait for the close.
   */
  #workFor(name: string, of: Json): Promise<Json> | undefined {
    const hold = this.#machine.takeForOther()
    if (!hold) return undefined
    const done = this.#options.work?.(name, of, hold)
    if (done) {
      this.#working.add(done)
      return done.finally(() => this.#working.delete(done)).finally(hold.release)
    }
    // This process does not know the work: the other one does it, and needs the database.
    this.#machine.dispatch('ask')
    hold.release()
    return undefined
  }

  /** Begins to answer other processes, and removes files of processes that have ended. */
  async #listen(machine: LeaseDriver<LevelBackend>): Promise<Listener | undefined> {
    const { holder, store = '' } = this.#options
    let server: HolderServer | undefined
    try {
      // Processes on other machines cannot ask.
      if (networkFileSystem(this.#dir) !== undefined) return undefined
      server = await HolderServer.listen({
        store: storeName(store, this.#dir),
        work: (name, of) => this.#workFor(name, of),
        yield: () => machine.dispatch('ask'),
        progress: () => this.#progressOf(machine),
        leave: (next) => this.#leaveTo(next, server?.name ?? ''),
      })
      writeHolder(this.#dir, { ...holder, socket: server?.name ?? '' }, holder)
      if (!isBeingRepaired(this.#dir)) await removeLeftovers(this.#dir, isHeld)
      return server
    } catch {
      // On a full disk or in a removed folder: other processes wait until the database is closed.
      await server?.close()
      return undefined
    }
  }

  /** Announces the process that is to have the database next, unless another one has taken the store over. */
  #leaveTo(next: string, socket: string): void {
    const { holder } = this.#options
    try {
      if (!hadOtherHolder(this.#dir, holder)) writeHolder(this.#dir, { ...holder, socket, next }, holder)
    } catch {
      // On a full disk or in a removed folder: whichever process comes first has it next.
    }
  }

  #progressOf(machine: LeaseDriver<LevelBackend>): HolderProgress {
    const { steps, isLong } = this.#options.progress?.() ?? { steps: 0, isLong: false }
    const { version = 0, isWriting = false } = machine.opened ?? {}
    return { steps: steps + version, isLong: isLong || isWriting }
  }

  /** The process that holds the database, while it is connected and takes requests. */
  get met(): HolderClient | undefined {
    return this.#peer.connected
  }

  /**
   * Returns a connection to the process that holds the database, or undefined if it cannot be reached now. Takes the
   * store over from a holder that does not answer.
   */
  ask(): Promise<HolderClient | undefined> {
    return this.#peer.find()
  }

  /** Closes the database unless it is in use. */
  closeIfIdle(): void {
    if (this.#machine.state === 'held') this.#machine.dispatch('ask')
  }

  /** Closes the database for good. */
  async close(): Promise<void> {
    this.#closed = true
    leases.delete(this)
    if (leases.size === 0) process.off('beforeExit', closeAll)
    this.#peer.close()
    try {
      await this.#snapshots.close()
    } finally {
      await Promise.allSettled(this.#working)
      await this.#machine.end()
    }
  }
}
