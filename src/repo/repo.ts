import { resolve } from 'node:path'
import type { Awaitable } from '../model/async.ts'
import { SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import { parseTime } from '../model/time.ts'
import type { Transaction } from '../storage/backend.ts'
import type { Identity } from '../storage/directory/identity.ts'
import type { Exposure } from '../storage/directory/permissions.ts'
import { stoppedError, unlessAborted } from './abort.ts'
import { AppendQueue } from './appendqueue.ts'
import { type CallContext, type CallOptions, withOptions } from './call.ts'
import type { CallTerms } from './callterms.ts'
import { openStoreFolder } from './createstore.ts'
import { type Env, realEnv } from './env.ts'
import type { Attempt } from './lease/delegate.ts'
import type { LeaseHandle } from './lease/lease.ts'
import { OpenRepo, type SharedOptions } from './openrepo.ts'
import {
  CLOSE_OPERATION,
  closeNewest,
  findOpenOperation,
  OPEN_OPERATION,
  type OpenOperation,
} from './oplog/openoperation.ts'
import { pointInTimeFinder, resolveOperationNumber } from './oplog/operationat.ts'
import { CallReaders, type Reader } from './reader.ts'
import type { OpeningOptions } from './repooptions.ts'
import { type RewriteOptions, rewriteStore } from './rewritestore.ts'
import { makeScratch } from './scratch.ts'
import type { SessionListRenewer } from './sessionlist.ts'
import { stoppingReaders } from './stoppablereader.ts'
import { type StreamOptions, type StreamWork, streamed } from './stream.ts'
import { UnitOfWork, type WriteContext } from './unitofwork.ts'
import type { Change, ReadOptions, WriteOptions } from './writeaccess.ts'

export type { Change, WriteOptions } from './writeaccess.ts'

/** How a store is opened. */
export interface RepoOptions extends OpeningOptions {
  /** The requests of other processes that this one serves while it has the database. */
  readonly works?: RequestHandlers
}

/** Handlers of the requests that a process takes from others while it has the database, by name. */
export interface RequestHandlers {
  /** The work is done in a database that is held until then, as in `WriteOptions`; by default in the present one. */
  readonly [name: string]: (repo: Repo, ask: Json, hold?: LeaseHandle) => Promise<Json>
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
  /** The refs that reads went on without, because they have not the form of their kind, with what is wrong with each. */
  readonly passedOver: ReadonlyMap<string, string>
  readonly appendQueue: AppendQueue
  readonly #shared: OpenRepo
  readonly #context: CallContext
  readonly #options: RepoOptions
  readonly #readers: CallReaders
  readonly #writeContext: WriteContext
  /** Resolves once the operation after which the call reads takes no more moves. */
  #pointClosed: Promise<void> | undefined
  /** The number of operations that the call has written. */
  #operationCount = 0
  /** Called once a dry run of a call is closed. */
  #onClose: () => void = () => undefined

  private constructor(options: RepoOptions, context: CallContext, of: SharedOptions | Repo) {
    this.#options = options
    this.#context = context
    this.root = of instanceof Repo ? of.root : this
    this.#shared =
      of instanceof Repo ? of.#shared : new OpenRepo(of, (name, ask, hold) => this.#serve(name, ask, hold))
    const { caches, current, operations, network, lists, passedOver } = this.#shared
    const { dir, identity, env, exposure } = this.#shared.options
    const { at, zone } = context
    this.dir = dir
    this.identity = identity
    this.env = env
    this.exposure = exposure
    this.network = network
    this.atOperation = at
    this.lists = lists
    this.passedOver = passedOver
    this.appendQueue = of instanceof Repo ? of.root.appendQueue : new AppendQueue(this)
    const typedTime = (text: string): number | undefined => parseTime(text, env.now(), zone)
    const revisions = { cwd: env.cwd, current, passedOver, parseTime: typedTime }
    const isStoppable = this.root !== this && context.signal !== undefined
    const make = isStoppable ? stoppingReaders(() => this.checkStop()) : undefined
    const pointOf = pointInTimeFinder(at, env, zone)
    this.#readers = new CallReaders(caches, pointOf, revisions, make)
    const readers = new CallReaders(caches, pointOf, { ...revisions, isStrict: true }, make)
    this.#writeContext = { env, by: context, readers, operations }
  }

  /**
   * Opens the store in a folder. Throws `no-store`, `not-a-store`, `newer-store`, `older-store`, `busy`, `corrupt`, and `cannot-write`
   * where others can enter the folder and that cannot be changed: nothing is written before.
   */
  static async open(folder: string, options: RepoOptions = {}): Promise<Repo> {
    const opened = await openStoreFolder(resolve(folder), options)
    const { command = 'library', actor = 'program', signal, zone, atOperation: at } = options
    const { lockTimeout = 5000, tolerant = false, cwd } = options
    const env = { ...(options.env ?? realEnv()), ...(cwd !== undefined && { cwd }) }
    const shared = { ...opened, env, command, lockTimeout, tolerant }
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

  /** Whether the store was created when it was opened. */
  get isNew(): boolean {
    return this.#shared.options.isNew
  }

  /** The terms on which the call writes; undefined where it has none. */
  get terms(): CallTerms | undefined {
    return this.#context.terms
  }

  get signal(): AbortSignal | undefined {
    return this.#context.signal
  }

  #serve(name: string, ask: Json, hold: LeaseHandle): Promise<Json> | undefined {
    if (name === OPEN_OPERATION) return Promise.resolve(this.#shared.operations.open)
    if (name === CLOSE_OPERATION) return this.#shared.closeOperation().then(() => null)
    const { works = {} } = this.#options
    return Object.hasOwn(works, name) ? works[name]?.(this, ask, hold) : undefined
  }

  /**
   * Begins to open the database for a read that follows, which reports what fails: LevelDB opens in a thread, and the
   * caller can do something else meanwhile.
   */
  openAhead(): void {
    this.#shared.openAhead()
  }

  /** Reads the store. Where this process holds the database, later reads of a call see what is written meanwhile. */
  async read<T>(work: (reader: Reader) => Awaitable<T>, reading: ReadOptions = {}): Promise<T> {
    const readers = await this.#readersAt()
    return this.#shared.lease.use('read', async (backend) => work(await readers.of(backend, reading)))
  }

  /** Reads a snapshot of the store: all reads of one call see the same state. */
  async readSnapshot<T>(work: (reader: Reader) => Awaitable<T>, reading: ReadOptions = {}): Promise<T> {
    const readers = await this.#readersAt()
    return this.#shared.lease.useCopy(async (backend) => work(await readers.of(backend, reading)))
  }

  /**
   * Reads the store as `read` does, for results that are yielded one by one: see `streamed`. A reader that takes its time
   * holds no database. `work` may be called twice.
   */
  async *stream<T>(work: StreamWork<T>, { plain = false, ...how }: StreamOptions<T> = {}): AsyncGenerator<T> {
    const readers = await this.#readersAt()
    yield* streamed(this.#shared.lease, how, async (backend, isOver) => {
      if (!isOver) return work(await readers.of(backend, { plain }))
      const check = (): void => {
        isOver()
        this.checkStop()
      }
      return work(await readers.another(backend, plain, stoppingReaders(check)))
    })
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
    const { lease, journal, operations, inFlight } = this.#shared
    const unlock = await this.#waitFor(this.#shared.writing.lock(), (late) => late())
    let durable: Promise<void> | undefined
    let handle: LeaseHandle | undefined
    let transaction: Transaction | undefined
    try {
      const nextRequests = options.gathers && inFlight.previousSettled(() => lease.nextRequests())
      if (nextRequests) await nextRequests
      journal.check()
      if (options.hold && !lease.isCurrent(options.hold)) throw new SessError('fenced', this.dir)
      const acquired = options.hold ?? this.#waitFor(lease.acquire('write'), ({ release }) => release())
      handle = acquired instanceof Promise ? await acquired : acquired
      const { backend } = handle
      transaction = backend.begin(options)
      await unit.runIn(backend, transaction)
      if (unit.moves.length > 0) this.checkCurrent()
      durable = transaction.commit()
      inFlight.committed(durable)
      if (unit.changesReaders) this.#shared.caches.forget()
      if (options.bulk) await durable
    } catch (error) {
      // An error may name the newest operation, except that of an append, which names what it found.
      if (unit.line || options.coalesce === undefined) operations.close()
      transaction?.abandon()
      this.#endWrite(handle, options)
      unlock()
      throw error
    }
    unlock()
    try {
      await durable
      if (unit.line && !this.isDry) {
        journal.add(unit.line)
        this.#operationCount++
        if (unit.operation) await this.lists.wrote(this.root, handle.backend, unit.operation)
      }
      return unit.result as T
    } catch (error) {
      operations.close()
      throw error
    } finally {
      this.#endWrite(handle, options)
    }
  }

  /** Waits for something unless the call is stopped; then `undo` gets what comes later. */
  #waitFor<T>(coming: Awaitable<T>, undo: (late: T) => void): Awaitable<T> {
    const isAtHand = this.root === this || !(coming instanceof Promise)
    return isAtHand ? coming : unlessAborted(coming, this.#context.signal, undo)
  }

  #endWrite(handle: LeaseHandle | undefined, { hold }: WriteOptions): void {
    if (handle !== hold) handle?.release()
    this.#shared.idleTasks.postpone()
  }

  /** Does work in the process that holds the database: here in this one, or in another that knows it by its name. */
  delegate<R extends Json>(
    name: string,
    request: JsonObject,
    doHere: (attempt: Attempt) => Promise<R>,
  ): Promise<R> {
    this.#checkWritable()
    const { command, actor, signal } = this.#context
    const caller = { command, actor, ...(this.root !== this && { signal }) }
    return this.#shared.delegate.run({ name, request, caller, doHere })
  }

  /**
   * Returns which operation later appends may be joined with, here or in the process that holds the database. To be
   * called before the operation log is read: an operation that another one follows there is closed.
   */
  async openOperation(): Promise<OpenOperation> {
    if (this.isDry || this.atOperation !== undefined) return 'none'
    return findOpenOperation(this.#shared.lease, () => this.#shared.operations.open)
  }

  /**
   * Closes the open operation, here or in the process that holds the database, so that no later append is joined with it.
   * To be called before something is done that relies on what an operation moved.
   */
  async closeOperation(): Promise<void> {
    this.#shared.operations.close()
    if (!this.isDry) await closeNewest(this.#shared.lease, () => this.#shared.closeOperation())
  }

  /** Closes the operation after which the call reads the store, so that all of its reads see the same. */
  async #closePoint(at: string): Promise<void> {
    const isOpen = await this.#shared.lease.use('read', async (backend) => {
      const { latest } = await backend.operationLog()
      return (await resolveOperationNumber(backend, at, this.env.now(), this.#context.zone)) === latest
    })
    if (isOpen) await this.closeOperation()
  }

  #readersAt(): Awaitable<CallReaders> {
    const { at } = this.#context
    if (this.root !== this) this.checkStop()
    if (at === undefined) return this.#readers
    this.#pointClosed ??= this.#closePoint(at).catch((error: unknown) => {
      this.#pointClosed = undefined
      throw error
    })
    return this.#pointClosed.then(() => this.#readers)
  }

  /** Whether this is a dry run: writes go to a scratch folder that is removed on close. */
  get isDry(): boolean {
    return this.#shared.options.scratch !== undefined
  }

  /** Rewrites the database: see `rewriteStore`. */
  async rewrite(rewriting: RewriteOptions): Promise<void> {
    this.#checkWritable()
    const store = { ...this.#shared, dir: this.dir, checkStop: () => this.checkStop() }
    await this.#shared.progress.long(rewriteStore(store, rewriting))
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

  /** Whether another process, or other work of this one, waits for what is being written to end. */
  get isAwaited(): boolean {
    return this.#shared.isAwaited
  }

  /** Whether the call's signal was aborted. */
  get stopped(): boolean {
    return this.#context.signal?.aborted ?? false
  }

  /** Throws `stopped` where the call's signal was aborted. Called at the safe points of long work. */
  checkStop(): void {
    this.#shared.progress.step()
    if (this.stopped)
      throw stoppedError(this.#operationCount > 0 ? 'what was written before is kept' : undefined)
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
