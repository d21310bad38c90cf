import { resolve } from 'node:path'
import type { Awaitable } from '../model/async.ts'
import { SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { parseTime, type Zone } from '../model/time.ts'
import type { Transaction } from '../storage/backend.ts'
import { makeFolder } from '../storage/directory/files.ts'
import { newHolder } from '../storage/directory/holder.ts'
import {
  type Identity,
  mayBecomeStore,
  missingIdentityError,
  readIdentity,
  wasStore,
} from '../storage/directory/identity.ts'
import { type Exposure, makePrivate } from '../storage/directory/permissions.ts'
import { JournalWriter } from '../storage/journalwriter.ts'
import { createStore } from './createstore.ts'
import { type Env, realEnv } from './env.ts'
import { IdleTasks } from './idletasks.ts'
import { InFlightCommits } from './inflightcommits.ts'
import { checkEnd } from './journalcheck.ts'
import { PreviousCommit } from './lease/commitdelay.ts'
import { Delegate, type DelegatedWork } from './lease/delegate.ts'
import { ProgressCounter } from './lease/failuredetector.ts'
import { Lease, type LeaseHandle } from './lease/lease.ts'
import { networkToWarnOf } from './lease/socket.ts'
import { Mutex } from './mutex.ts'
import { CLOSE_OPERATION, type ClosedOperations, closeNewest } from './oplog/closeoperation.ts'
import { pointInTimeFinder } from './oplog/operationat.ts'
import { OperationWriter } from './oplog/operationlog.ts'
import { type Reader, ReaderCache } from './reader.ts'
import { type RewriteOptions, rewriteStore } from './rewritestore.ts'
import { makeScratch, removeScratch, scratchDatabase, scratchStore } from './scratch.ts'
import { SessionListRenewer } from './sessionlist.ts'
import { UnitOfWork, type WriteContext } from './unitofwork.ts'
import type { Change, ReadOptions, WriteOptions } from './writeaccess.ts'

export type { Change, WriteOptions } from './writeaccess.ts'

/** How a store is opened. */
export interface RepoOptions {
  /** Create the store where there is none. */
  readonly create?: boolean
  /** Milliseconds to wait while another process has the database; 5,000 unless given. */
  readonly lockTimeout?: number
  /** The command as typed, or the library call: for the operation log and for processes that wait for the lock. */
  readonly command?: string
  readonly env?: Env
  /** The folder that `@` and relative paths refer to; the process's own unless given. */
  readonly cwd?: string
  /** Open a store that has lost operations too: for fsck. */
  readonly tolerant?: boolean
  /** A dry run: what is written is visible until the store is closed, and nothing of the store is changed. */
  readonly dryRun?: boolean
  /** Stops the work: none begins after it, and long work ends at its next safe point with `stopped`. */
  readonly signal?: AbortSignal
  /** Read the store as it was right after an operation, by its number, its id or the time: nothing can be written. */
  readonly atOperation?: string
  /** The time zone of `atOperation` and of the times in revisions; UTC by default. */
  readonly zone?: Zone
  /** Joins everything that is written into one operation, that of the command. */
  readonly single?: boolean
  /**
   * Throws `unnamed-session` instead of writing where the current session was taken because it is the newest one of the
   * folder, and nobody named it or switched to it.
   */
  readonly confirmCurrent?: boolean
  /** The requests of other processes that this one serves while it has the database. */
  readonly works?: RequestHandlers
}

/** Handlers of the requests that a process takes from others while it has the database, by name. */
export interface RequestHandlers {
  /** `database` is the one that was open when the request arrived, as in `WriteOptions`; by default the present one. */
  readonly [name: string]: (repo: Repo, ask: Json, database?: object) => Promise<Json>
}

/** An open store: its folder, its identity, and access for reading and writing. */
export class Repo {
  readonly dir: string
  readonly identity: Identity
  readonly env: Env
  /** Whether other users could read the folder before it was opened. */
  readonly exposure: Exposure
  /** The network file system that the store is on, for a warning; reported once per store. */
  readonly network: string | undefined
  /** The operation after which the store is read, as the user named it; undefined for the present. */
  readonly atOperation: string | undefined
  /** The command as typed, or the library call. */
  readonly command: string
  readonly #single: boolean
  readonly #confirmCurrent: boolean
  readonly #signal: AbortSignal | undefined
  readonly #scratch: string | undefined
  readonly #journal: JournalWriter
  readonly #lease: Lease
  readonly #delegate: Delegate
  readonly #readerCache: ReaderCache
  readonly #writing = new Mutex()
  readonly #previousCommit = new PreviousCommit()
  readonly #inFlight: InFlightCommits
  readonly #progress = new ProgressCounter()
  #activityCount = 0
  /** The number of operations that were written since the store was opened. */
  #operationCount = 0
  readonly #operationWriter = new OperationWriter()
  readonly #writeContext: WriteContext
  readonly lists = new SessionListRenewer()
  readonly #idleTasks = new IdleTasks(() => this.#lease.current !== undefined && !this.#inFlight.isBusy)

  private constructor(
    dir: string,
    identity: Identity,
    exposure: Exposure,
    options: RepoOptions,
    scratch?: string,
  ) {
    this.dir = dir
    this.identity = identity
    this.#signal = options.signal
    this.#scratch = scratch
    this.env = { ...(options.env ?? realEnv()), ...(options.cwd !== undefined && { cwd: options.cwd }) }
    this.exposure = exposure
    this.network = networkToWarnOf(dir, identity.id)
    this.command = options.command ?? 'library'
    this.atOperation = options.atOperation
    this.#single = options.single ?? false
    this.#confirmCurrent = options.confirmCurrent ?? false
    this.#readerCache = new ReaderCache(pointInTimeFinder(options.atOperation, this.env, options.zone), {
      cwd: this.env.cwd,
      current: { named: this.env.session },
      parseTime: (text) => parseTime(text, this.env.now(), options.zone),
    })
    const { lockTimeout = 5000, tolerant = false, works = {} } = options
    this.#journal = new JournalWriter(dir)
    this.#lease = new Lease(dir, {
      lockTimeout,
      holder: newHolder(this.command, this.env.now(), identity),
      onOpen: (backend, isFenced) => {
        this.#activityCount++
        this.#journal.opened(isFenced)
        this.#operationWriter.opened(backend)
        return tolerant ? undefined : checkEnd(dir, backend)
      },
      onClose: () => this.#journal.settle(),
      // Its number may have been reported by the other process.
      onOtherHolder: () => this.#operationWriter.close(),
      scratch: scratch && scratchDatabase(scratch),
      store: identity.id,
      progress: () => this.#progress.progress,
      work: (name, ask) => {
        if (name === CLOSE_OPERATION) return this.#closeHere().then(() => null)
        return Object.hasOwn(works, name) ? works[name]?.(this, ask, this.database) : undefined
      },
    })
    this.#delegate = new Delegate(this, this.#lease, lockTimeout)
    const [readers, operations] = [this.#readerCache, this.#operationWriter]
    this.#writeContext = { env: this.env, command: this.command, readers, operations }
    this.#inFlight = new InFlightCommits(dir, this.#lease)
  }

  /**
   * Opens the store in a folder. Throws `no-store`, `not-a-store`, `newer-store`, `busy`, `corrupt`, and `cannot-write`
   * where others can enter the folder and that cannot be changed: nothing is written before.
   */
  static async open(folder: string, options: RepoOptions = {}): Promise<Repo> {
    let dir = resolve(folder)
    let identity = readIdentity(dir)
    // Looked for again: another process may just have made the store.
    if (!identity && wasStore(dir) && !(identity = readIdentity(dir))) throw missingIdentityError(dir)
    if (!identity && (!options.create || options.atOperation !== undefined))
      throw new SessError('no-store', dir)
    if (!identity && !mayBecomeStore(dir))
      throw new SessError('not-a-store', dir, { detail: 'the folder holds something else' })
    const isThere = identity !== undefined
    if (!isThere && !options.dryRun) makeFolder(dir)
    const exposure = isThere || !options.dryRun ? makePrivate(dir) : 'private'
    const scratch = options.dryRun ? makeScratch(dir, isThere) : undefined
    if (!identity) {
      if (scratch !== undefined) dir = scratchStore(scratch)
      await createStore(dir, options.env ?? realEnv(), options)
      identity = readIdentity(dir)
    }
    if (!identity) throw new SessError('no-store', dir)
    return new Repo(dir, identity, exposure, options, scratch)
  }

  /**
   * Begins to open the database for a read that follows, which reports what fails: LevelDB opens in a thread, and the
   * caller can do something else meanwhile.
   */
  openAhead(): void {
    this.#lease.tryWrite().then(
      (handle) => handle?.release(),
      () => undefined,
    )
  }

  /** Reads the store. Where this process holds the database, later reads of a call see what is written meanwhile. */
  read<T>(work: (reader: Reader) => Awaitable<T>, reading: ReadOptions = {}): Promise<T> {
    return this.#lease.use('read', async (backend) => work(await this.#readerCache.of(backend, reading)))
  }

  /** Reads a snapshot of the store: all reads of one call see the same state. */
  readSnapshot<T>(work: (reader: Reader) => Awaitable<T>, reading: ReadOptions = {}): Promise<T> {
    return this.#lease.useCopy(async (backend) => work(await this.#readerCache.of(backend, reading)))
  }

  /** Reads the store as `read` does, for results that are yielded one by one. */
  async *stream<T>(work: (reader: Reader) => AsyncIterable<T>, reading: ReadOptions = {}): AsyncGenerator<T> {
    const { backend, release } = await this.#lease.acquire('read')
    try {
      yield* work(await this.#readerCache.of(backend, reading))
    } finally {
      release()
    }
  }

  /**
   * Runs a unit of work and commits it as one operation: durable when this resolves. Units run one after another; the
   * next one begins while this one becomes durable. Throws as the work; `stopped` where the store's signal was aborted
   * before; `fenced` where another process took the store over and nothing was written; `uncertain` where that is
   * unknown.
   */
  write<T>(options: WriteOptions, work: (change: Change) => Awaitable<T>): Promise<T> {
    this.#activityCount++
    const key = this.#single ? 'single' : (options.coalesce ?? '')
    const unit = new UnitOfWork(this.#writeContext, options, key, work)
    const written = this.#inFlight.track(unit, () => this.#write(unit))
    return options.bulk ? this.#progress.long(written) : written
  }

  /** Makes a session current in this process, whatever the folder. */
  makeCurrent(id: string): void {
    Object.assign(this.#readerCache.current, { named: id, taken: undefined })
  }

  /** Throws `unnamed-session` where `confirmCurrent` is on and something resolved to a session that nobody chose. */
  checkCurrent(): void {
    const { taken } = this.#readerCache.current
    if (this.#confirmCurrent && taken)
      throw new SessError('unnamed-session', taken.folder, { candidates: [taken.id] })
  }

  async #write<T>(unit: UnitOfWork<T>): Promise<T> {
    this.#checkWritable()
    const { options } = unit
    const unlock = await this.#writing.lock()
    let durable: Promise<void> | undefined
    let handle: LeaseHandle | undefined
    let transaction: Transaction | undefined
    try {
      const nextRequests = options.gathers && this.#previousCommit.settled(() => this.#lease.nextRequests())
      if (nextRequests) await nextRequests
      this.#journal.check()
      const acquired = this.#lease.acquire('write')
      handle = acquired instanceof Promise ? await acquired : acquired
      const { backend } = handle
      if (options.database && options.database !== backend && !this.isDry)
        throw new SessError('fenced', this.dir)
      transaction = backend.begin(options)
      await unit.runIn(backend, transaction)
      if (unit.moves.length > 0) this.checkCurrent()
      durable = transaction.commit()
      this.#previousCommit.begins(durable)
      if (unit.changesReaders) this.#readerCache.forget()
      if (options.bulk) await durable
    } catch (error) {
      // An error may name the newest operation, except that of an append, which names what it found.
      if (unit.line || options.coalesce === undefined) this.#operationWriter.close()
      transaction?.abandon()
      this.#releaseAfter(handle, durable)
      unlock()
      throw error
    }
    unlock()
    try {
      await durable
      if (unit.line && !this.isDry) {
        this.#journal.add(unit.line)
        this.#operationCount++
        await this.lists.wrote(this, handle.backend, unit.moves)
      }
      return unit.result as T
    } catch (error) {
      this.#operationWriter.close()
      throw error
    } finally {
      this.#releaseAfter(handle, durable)
    }
  }

  #releaseAfter(handle: LeaseHandle | undefined, durable: Promise<void> | undefined): void {
    this.#previousCommit.ends(durable)
    handle?.release()
    this.#idleTasks.postpone()
  }

  /** Begins work that is done by the process that holds the database: this one, or another that knows it by its name. */
  delegate<R extends Json>(name: string, request: JsonObject): DelegatedWork<R> {
    this.#checkWritable()
    return this.#delegate.begin(name, request)
  }

  /**
   * Closes the newest operation, here or in the process that holds the database, so that no later append is joined with
   * it. Must be called before numbers of operations are reported, up to the one that it returns as the latest: a
   * reported number keeps its moves forever. Later operations may take more moves.
   */
  async closeOperation(): Promise<ClosedOperations> {
    this.#operationWriter.close()
    if (this.isDry || this.atOperation !== undefined) return { latest: Infinity, closed: Infinity }
    const latest = await this.read(async (reader) => (await reader.operationLog()).latest)
    const isClosed = await closeNewest(this.#lease, () => this.#closeHere())
    return { latest, closed: isClosed ? latest : latest - 1 }
  }

  /** Closes the newest operation, and resolves once all of its moves are durable or lost. */
  #closeHere(): Promise<void> {
    this.#operationWriter.close()
    return this.#inFlight.written()
  }

  /** Identifies the database that is open here, also where it is fenced or failed. */
  get database(): object | undefined {
    return this.#lease.opened
  }

  /** Whether this is a dry run: writes go to a scratch folder that is removed on close. */
  get isDry(): boolean {
    return this.#scratch !== undefined
  }

  /** Rewrites the database: see `rewriteStore`. */
  async rewrite(rewriting: RewriteOptions): Promise<void> {
    this.#checkWritable()
    const store = { dir: this.dir, lease: this.#lease, writing: this.#writing }
    await this.#progress.long(rewriteStore(store, rewriting))
    this.#operationWriter.close()
  }

  #checkWritable(): void {
    if (this.atOperation !== undefined) throw new SessError('read-only', this.atOperation)
    this.checkStop()
  }

  /** Runs an optional task once nothing is being written; it replaces a waiting task with the same name. */
  runWhenIdle(name: string, task: () => Promise<void>): void {
    this.#idleTasks.add(name, task)
  }

  /** Increases with each unit of work that is requested and with each opening of the database. */
  get activityCount(): number {
    return this.#activityCount
  }

  /** Whether the store's signal was aborted. */
  get stopped(): boolean {
    return this.#signal?.aborted ?? false
  }

  /** Throws `stopped` where the store's signal was aborted. Called at the safe points of long work. */
  checkStop(): void {
    this.#progress.step()
    if (this.stopped)
      throw new SessError(
        'stopped',
        this.#operationCount > 0 ? 'what was written before is kept' : 'nothing was changed',
      )
  }

  /** Runs waiting events, such as signals, then throws `stopped` as `checkStop` does. For long reads. */
  async yieldToEvents(): Promise<void> {
    await new Promise((done) => setImmediate(done))
    this.checkStop()
  }

  /** Resolves once no commit is in flight. */
  writesSettled(): Promise<void> {
    return this.#inFlight.settled()
  }

  /** Closes the store. Everything that was acknowledged is durable. */
  async close(): Promise<void> {
    this.#idleTasks.end()
    try {
      if (this.#lease.current) await this.lists.end(this)
      await this.#lease.close()
    } finally {
      if (this.#scratch !== undefined) removeScratch(this.#scratch)
      this.#journal.close()
    }
  }
}
