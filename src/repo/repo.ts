import { resolve } from 'node:path'
import type { Awaitable } from '../model/async.ts'
import { SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { Actor } from '../model/operation.ts'
import { parseTime, type Zone } from '../model/time.ts'
import type { Transaction } from '../storage/backend.ts'
import { makeFolder } from '../storage/directory/files.ts'
import {
  type Identity,
  mayBecomeStore,
  missingIdentityError,
  readIdentity,
  wasStore,
} from '../storage/directory/identity.ts'
import { type Exposure, makePrivate } from '../storage/directory/permissions.ts'
import { type CallContext, type CallOptions, withOptions } from './call.ts'
import type { CallTerms } from './callterms.ts'
import { createStore } from './createstore.ts'
import { type Env, realEnv } from './env.ts'
import type { DelegatedWork } from './lease/delegate.ts'
import type { LeaseHandle } from './lease/lease.ts'
import { OpenRepo, type SharedOptions } from './openrepo.ts'
import { CLOSE_OPERATION, type ClosedOperations, closeNewest } from './oplog/closeoperation.ts'
import { pointInTimeFinder } from './oplog/operationat.ts'
import { CallReaders, type Reader } from './reader.ts'
import { type RewriteOptions, rewriteStore } from './rewritestore.ts'
import { makeScratch, scratchStore } from './scratch.ts'
import type { SessionListRenewer } from './sessionlist.ts'
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
  /** Whether a person calls, or a program, which is the default: for the operation log. */
  readonly actor?: Actor
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

/** An open store, as one call sees it: its folder, its identity, and access for reading and writing. */
export class Repo {
  /** The store as it was opened. What is kept for an open store, and not for a call, is kept for this. */
  readonly root: Repo
  readonly dir: string
  readonly identity: Identity
  readonly env: Env
  /** Whether other users could read the folder before it was opened. */
  readonly exposure: Exposure
  /** The network file system that the store is on, for a warning; reported once per store. */
  readonly network: string | undefined
  /** The operation after which the store is read, as the user named it; undefined for the present. */
  readonly atOperation: string | undefined
  readonly lists: SessionListRenewer
  readonly #shared: OpenRepo
  readonly #context: CallContext
  readonly #options: RepoOptions
  readonly #readers: CallReaders
  readonly #writeContext: WriteContext
  /** The number of operations that the call has written. */
  #operationCount = 0
  /** Called once a dry run of a call is closed. */
  #onClose: () => void = () => undefined

  private constructor(options: RepoOptions, context: CallContext, of: SharedOptions | Repo) {
    this.#options = options
    this.#context = context
    this.root = of instanceof Repo ? of.root : this
    this.#shared = of instanceof Repo ? of.#shared : new OpenRepo(of, (name, ask) => this.#serve(name, ask))
    const { caches, current, operations, network, lists } = this.#shared
    const { dir, identity, env, exposure } = this.#shared.options
    const { at, zone } = context
    this.dir = dir
    this.identity = identity
    this.env = env
    this.exposure = exposure
    this.network = network
    this.atOperation = at
    this.lists = lists
    this.#readers = new CallReaders(caches, pointInTimeFinder(at, env, zone), {
      cwd: env.cwd,
      current,
      parseTime: (text) => parseTime(text, env.now(), zone),
    })
    this.#writeContext = { env, by: context, readers: this.#readers, operations }
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
    const { command = 'library', actor = 'program', signal, zone, atOperation: at } = options
    const { lockTimeout = 5000, tolerant = false, cwd } = options
    const env = { ...(options.env ?? realEnv()), ...(cwd !== undefined && { cwd }) }
    const shared = { dir, identity, exposure, env, command, lockTimeout, tolerant, scratch }
    return new Repo(options, { command, actor, signal, zone, at }, shared)
  }

  /**
   * Returns the store as a call sees it: what is open is shared, and the context is that of the call. It needs no end,
   * except a dry run: its folder is removed by `close`, or when the store is closed.
   */
  call({ dryRun = false, ...options }: CallOptions): Repo {
    const context = withOptions(this.#context, options)
    if (!dryRun || this.isDry) return new Repo(this.#options, context, this)
    const scratch = makeScratch(this.dir, true)
    const dry = new Repo(this.#options, context, { ...this.#shared.options, scratch })
    const { dryRuns } = this.#shared
    dryRuns.add(dry)
    dry.#onClose = () => void dryRuns.delete(dry)
    return dry
  }

  /** The command and the actor for the operation log. */
  get caller(): Pick<CallContext, 'command' | 'actor'> {
    return this.#context
  }

  /** The terms on which the call writes; undefined where it has none. */
  get terms(): CallTerms | undefined {
    return this.#context.terms
  }

  get signal(): AbortSignal | undefined {
    return this.#context.signal
  }

  #serve(name: string, ask: Json): Promise<Json> | undefined {
    if (name === CLOSE_OPERATION) return this.#shared.closeOperation().then(() => null)
    const { works = {} } = this.#options
    return Object.hasOwn(works, name) ? works[name]?.(this, ask, this.database) : undefined
  }

  /**
   * Begins to open the database for a read that follows, which reports what fails: LevelDB opens in a thread, and the
   * caller can do something else meanwhile.
   */
  openAhead(): void {
    this.#shared.lease.tryWrite().then(
      (handle) => handle?.release(),
      () => undefined,
    )
  }

  /** Reads the store. Where this process holds the database, later reads of a call see what is written meanwhile. */
  read<T>(work: (reader: Reader) => Awaitable<T>, reading: ReadOptions = {}): Promise<T> {
    return this.#shared.lease.use('read', async (backend) => work(await this.#readers.of(backend, reading)))
  }

  /** Reads a snapshot of the store: all reads of one call see the same state. */
  readSnapshot<T>(work: (reader: Reader) => Awaitable<T>, reading: ReadOptions = {}): Promise<T> {
    return this.#shared.lease.useCopy(async (backend) => work(await this.#readers.of(backend, reading)))
  }

  /** Reads the store as `read` does, for results that are yielded one by one. */
  async *stream<T>(work: (reader: Reader) => AsyncIterable<T>, reading: ReadOptions = {}): AsyncGenerator<T> {
    const { backend, release } = await this.#shared.lease.acquire('read')
    try {
      yield* work(await this.#readers.of(backend, reading))
    } finally {
      release()
    }
  }

  /**
   * Runs a unit of work and commits it as one operation: durable when this resolves. Units run one after another; the
   * next one begins while this one becomes durable. Throws as the work; `stopped` where the call's signal was aborted
   * before; `fenced` where another process took the store over and nothing was written; `uncertain` where that is
   * unknown.
   */
  write<T>(options: WriteOptions, work: (change: Change) => Awaitable<T>): Promise<T> {
    this.#shared.activityCount++
    const { terms } = this.#context
    const key = terms?.group ?? (this.#options.single ? 'single' : (options.coalesce ?? ''))
    const unit = new UnitOfWork(this.#writeContext, options, key, work)
    const written = this.#shared.inFlight.track(unit, () => this.#write(unit))
    return options.bulk ? this.#shared.progress.long(written) : written
  }

  /** Makes a session current in this process, whatever the folder. */
  makeCurrent(id: string): void {
    Object.assign(this.#shared.current, { named: id, taken: undefined })
  }

  /** Throws `unnamed-session` where `confirmCurrent` is on and something resolved to a session that nobody chose. */
  checkCurrent(): void {
    const { taken } = this.#shared.current
    if (this.#options.confirmCurrent && taken)
      throw new SessError('unnamed-session', taken.folder, { candidates: [taken.id] })
  }

  async #write<T>(unit: UnitOfWork<T>): Promise<T> {
    this.#checkWritable()
    const { options } = unit
    const { lease, journal, operations, previousCommit } = this.#shared
    const unlock = await this.#shared.writing.lock()
    let durable: Promise<void> | undefined
    let handle: LeaseHandle | undefined
    let transaction: Transaction | undefined
    try {
      const nextRequests = options.gathers && previousCommit.settled(() => lease.nextRequests())
      if (nextRequests) await nextRequests
      journal.check()
      const acquired = lease.acquire('write')
      handle = acquired instanceof Promise ? await acquired : acquired
      const { backend } = handle
      if (options.database && options.database !== backend && !this.isDry)
        throw new SessError('fenced', this.dir)
      transaction = backend.begin(options)
      await unit.runIn(backend, transaction)
      if (unit.moves.length > 0) this.checkCurrent()
      durable = transaction.commit()
      previousCommit.begins(durable)
      if (unit.changesReaders) this.#shared.caches.forget()
      if (options.bulk) await durable
    } catch (error) {
      // An error may name the newest operation, except that of an append, which names what it found.
      if (unit.line || options.coalesce === undefined) operations.close()
      transaction?.abandon()
      this.#releaseAfter(handle, durable)
      unlock()
      throw error
    }
    unlock()
    try {
      await durable
      if (unit.line && !this.isDry) {
        journal.add(unit.line)
        this.#operationCount++
        await this.lists.wrote(this.root, handle.backend, unit.moves)
      }
      return unit.result as T
    } catch (error) {
      operations.close()
      throw error
    } finally {
      this.#releaseAfter(handle, durable)
    }
  }

  #releaseAfter(handle: LeaseHandle | undefined, durable: Promise<void> | undefined): void {
    this.#shared.previousCommit.ends(durable)
    handle?.release()
    this.#shared.idleTasks.postpone()
  }

  /** Begins work that is done by the process that holds the database: this one, or another that knows it by its name. */
  delegate<R extends Json>(name: string, request: JsonObject): DelegatedWork<R> {
    this.#checkWritable()
    return this.#shared.delegate.begin(name, request, this.#context)
  }

  /**
   * Closes the newest operation, here or in the process that holds the database, so that no later append is joined with
   * it. Must be called before numbers of operations are reported, up to the one that it returns as the latest: a
   * reported number keeps its moves forever. Later operations may take more moves.
   */
  async closeOperation(): Promise<ClosedOperations> {
    this.#shared.operations.close()
    if (this.isDry || this.atOperation !== undefined) return { latest: Infinity, closed: Infinity }
    const latest = await this.read(async (reader) => (await reader.operationLog()).latest)
    const isClosed = await closeNewest(this.#shared.lease, () => this.#shared.closeOperation())
    return { latest, closed: isClosed ? latest : latest - 1 }
  }

  /** Identifies the database that is open here, also where it is fenced or failed. */
  get database(): object | undefined {
    return this.#shared.lease.opened
  }

  /** Whether this is a dry run: writes go to a scratch folder that is removed on close. */
  get isDry(): boolean {
    return this.#shared.options.scratch !== undefined
  }

  /** Rewrites the database: see `rewriteStore`. */
  async rewrite(rewriting: RewriteOptions): Promise<void> {
    this.#checkWritable()
    const { lease, writing, progress } = this.#shared
    await progress.long(rewriteStore({ dir: this.dir, lease, writing }, rewriting))
    this.#shared.operations.close()
  }

  #checkWritable(): void {
    if (this.atOperation !== undefined) throw new SessError('read-only', this.atOperation)
    this.checkStop()
  }

  /** Runs an optional task once nothing is being written; it replaces a waiting task with the same name. */
  runWhenIdle(name: string, task: () => Promise<void>): void {
    this.#shared.idleTasks.add(name, task)
  }

  /** Increases with each unit of work that is requested and with each opening of the database. */
  get activityCount(): number {
    return this.#shared.activityCount
  }

  /** Whether the call's signal was aborted. */
  get stopped(): boolean {
    return this.#context.signal?.aborted ?? false
  }

  /** Throws `stopped` where the call's signal was aborted. Called at the safe points of long work. */
  checkStop(): void {
    this.#shared.progress.step()
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
    return this.#shared.inFlight.settled()
  }

  /** Closes the store, or ends a dry run of a call. Everything that was acknowledged is durable. */
  async close(): Promise<void> {
    if (this.root !== this) return
    await this.#shared.close(() => this.lists.end(this))
    this.#onClose()
  }
}
