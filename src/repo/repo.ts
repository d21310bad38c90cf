import { resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Awaitable } from '../model/awaitable.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { Zone } from '../model/when.ts'
import type { Transaction } from '../storage/backend.ts'
import { type Identity, isFreeFolder, makeFolder, readIdentity } from '../storage/folder/folder.ts'
import { holding } from '../storage/folder/holder.ts'
import { type Exposure, tighten } from '../storage/folder/modes.ts'
import { wasStore, withoutIdentity } from '../storage/folder/signs.ts'
import { isUnwritable } from '../storage/folder/snapshot.ts'
import { JournalWriter } from '../storage/journal/journalwriter.ts'
import type { Change, Reading, Writing } from './change.ts'
import { createStore } from './create.ts'
import { type Env, realEnv } from './env.ts'
import { type Rewriting, rewriteStore } from './erase/rewriting.ts'
import { checkEnd } from './journal.ts'
import { type Delegable, Delegate } from './lease/delegate.ts'
import { InFlight } from './lease/groupcommit.ts'
import { ProgressCounter } from './lease/heartbeat.ts'
import { IdleTasks } from './lease/idletasks.ts'
import { type Hold, Lease } from './lease/lease.ts'
import { networkToWarnOf } from './lease/network.ts'
import { ListKeeper } from './list/listing.ts'
import { Mutex } from './mutex.ts'
import { OperationWriter } from './operationwriter.ts'
import { pastAt } from './past/past.ts'
import { Piece, type Works } from './piece.ts'
import type { Reader } from './reader.ts'
import { Readers } from './readers.ts'
import { makeScratch, removeScratch, scratchDatabase, scratchStore } from './scratch.ts'
import { Unacknowledged } from './unacknowledged.ts'

export type { Change, Writing } from './change.ts'

/** The work that processes do for each other without being told what it is for. */
const CLOSE_OPERATION = 'close-operation'

/** The holder of the database is asked so often, in milliseconds, and for so long. */
const PAUSE = 8
const MOST_WAIT = 1000

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
  /** The time zone of `atOperation`; UTC unless given. */
  readonly zone?: Zone
  /** Joins everything that is written into one operation, that of the command. */
  readonly single?: boolean
  /** What this process does for others while it has the database. */
  readonly works?: RequestHandlers
}

/** Handlers of the requests that a process takes from others while it has the database, by name. */
export interface RequestHandlers {
  readonly [name: string]: (repo: Repo, ask: Json) => Promise<Json>
}

/** An open store: its folder, its identity, and access for reading and writing. */
export class Repo {
  readonly dir: string
  readonly identity: Identity
  readonly env: Env
  /** Whether others could look into the folder before it was opened. */
  readonly exposure: Exposure
  /** The network file system that the store is on, for a warning: once for each store. */
  readonly network: string | undefined
  /** The operation as of which the store is read, as it was named; undefined where that is the newest. */
  readonly atOperation: string | undefined
  /** The command as typed, or the library call. */
  readonly command: string
  readonly #single: boolean
  readonly #signal: AbortSignal | undefined
  readonly #scratch: string | undefined
  readonly #journal: JournalWriter
  readonly #lease: Lease
  readonly #delegate: Delegate
  readonly #readers: Readers
  readonly #writing = new Mutex()
  readonly #inFlight = new InFlight()
  readonly #unacknowledged: Unacknowledged
  readonly #progress = new ProgressCounter()
  #turns = 0
  /** How many pieces of work that moved refs were written since the store was opened. */
  #operations = 0
  readonly #operationWriter = new OperationWriter()
  readonly #works: Works
  readonly lists = new ListKeeper()
  readonly #idleTasks = new IdleTasks(() => this.#lease.current !== undefined && !this.#unacknowledged.isBusy)

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
    this.#readers = new Readers(pastAt(options.atOperation, this.env, options.zone))
    const { lockTimeout = 5000, tolerant = false, works = {} } = options
    this.#journal = new JournalWriter(dir)
    this.#lease = new Lease(dir, {
      lockTimeout,
      holder: holding(this.command, this.env.now(), identity),
      onOpen: (backend, isFenced) => {
        this.#turns++
        this.#journal.opened(isFenced)
        this.#operationWriter.opened(backend)
        return tolerant ? undefined : checkEnd(dir, backend)
      },
      onClose: () => this.#journal.settle(),
      scratch: scratch && scratchDatabase(scratch),
      store: identity.id,
      progress: () => this.#progress.progress,
      work: (name, ask) => {
        if (name === CLOSE_OPERATION) return this.closeOperation().then(() => null)
        return Object.hasOwn(works, name) ? works[name]?.(this, ask) : undefined
      },
    })
    this.#delegate = new Delegate(dir, this.#lease, lockTimeout)
    const [readers, operations] = [this.#readers, this.#operationWriter]
    this.#works = { env: this.env, command: this.command, readers, operations }
    this.#unacknowledged = new Unacknowledged(dir, this.#lease)
  }

  /**
   * Opens the store in a folder. Throws `no-store`, `not-a-store`, `newer-store`, `busy`, `corrupt`, and `cannot-write`
   * where others can enter the folder and that cannot be changed: nothing is written before.
   */
  static async open(folder: string, options: RepoOptions = {}): Promise<Repo> {
    let dir = resolve(folder)
    let identity = readIdentity(dir)
    // Looked for again: another process may just have made the store.
    if (!identity && wasStore(dir) && !(identity = readIdentity(dir))) throw withoutIdentity(dir)
    if (!identity && (!options.create || options.atOperation !== undefined))
      throw new SessError('no-store', dir)
    if (!identity && !isFreeFolder(dir))
      throw new SessError('not-a-store', dir, { detail: 'the folder holds something else' })
    const isThere = identity !== undefined
    if (!isThere && !options.dryRun) makeFolder(dir)
    const exposure = isThere || !options.dryRun ? tighten(dir) : 'private'
    const scratch = options.dryRun ? makeScratch(dir, isThere) : undefined
    if (!identity) {
      if (scratch !== undefined) dir = scratchStore(scratch)
      await createStore(dir, options.env ?? realEnv(), options)
      identity = readIdentity(dir)
    }
    if (!identity) throw new SessError('no-store', dir)
    return new Repo(dir, identity, exposure, options, scratch)
  }

  /** Reads with the database at hand. What is read in one piece of work is of one moment, but for appends beside it. */
  read<T>(work: (reader: Reader) => Awaitable<T>, reading: Reading = {}): Promise<T> {
    return this.#lease.use('read', async (backend) => work(await this.#readers.of(backend, reading)))
  }

  /** Like `read`, for reading bit by bit. */
  async *stream<T>(work: (reader: Reader) => AsyncIterable<T>, reading: Reading = {}): AsyncGenerator<T> {
    const { backend, release } = await this.#lease.acquire('read')
    try {
      yield* work(await this.#readers.of(backend, reading))
    } finally {
      release()
    }
  }

  /**
   * Runs a piece of work and writes what it did as one operation: durable when this resolves, or not done at all.
   * Pieces run one after the other; the next one begins while this one becomes durable. Throws `stopped` where the
   * store's signal asked to stop before.
   */
  write<T>(writing: Writing, work: (change: Change) => Awaitable<T>): Promise<T> {
    this.#turns++
    const key = this.#single ? 'single' : (writing.coalesce ?? '')
    const piece = new Piece(this.#works, writing, key, work)
    const written = this.#unacknowledged.write(piece, () => this.#write(piece))
    return writing.bulk ? this.#progress.long(written) : written
  }

  async #write<T>(piece: Piece<T>): Promise<T> {
    this.#checkWritable()
    const { writing } = piece
    const begun = this.#lease.current
    const unlock = await this.#writing.lock()
    let durable: Promise<void> | undefined
    let hold: Hold | undefined
    let transaction: Transaction | undefined
    try {
      const gathered = writing.gathers && this.#inFlight.settled(() => this.#lease.gathered())
      if (gathered) await gathered
      this.#journal.check()
      const acquired = this.#lease.acquire('write')
      hold = acquired instanceof Promise ? await acquired : acquired
      const { backend } = hold
      // What was begun before it may have been refused there, and is repeated first.
      if (writing.repeats && begun?.failed && begun !== backend) throw new SessError('fenced', this.dir)
      transaction = backend.begin(writing)
      await piece.doIn(backend, transaction)
      durable = transaction.commit()
      this.#inFlight.begins(durable)
      if (piece.changesReading) this.#readers.forget()
      if (writing.bulk) await durable
    } catch (error) {
      if (piece.line) this.#operationWriter.close()
      transaction?.abandon()
      this.#ends(hold, durable)
      unlock()
      throw error
    }
    unlock()
    try {
      await durable
      if (piece.line && !this.isDry) {
        this.#journal.add(piece.line)
        this.#operations++
        await this.lists.wrote(this, hold.backend, piece.moves)
      }
      return piece.result as T
    } catch (error) {
      this.#operationWriter.close()
      throw error
    } finally {
      this.#ends(hold, durable)
    }
  }

  #ends(hold: Hold | undefined, durable: Promise<void> | undefined): void {
    this.#inFlight.ends(durable)
    hold?.release()
    this.#idleTasks.postpone()
  }

  /**
   * Has work done by the process that has the database, where that is another one, else here. Throws as the work, and
   * `busy`.
   */
  delegate<R>(work: Delegable<R>): Promise<R> {
    this.#checkWritable()
    return this.#delegate.run(work)
  }

  /**
   * Closes the newest operation, here or in the process that holds the database, so that no later append is joined into
   * it. To be called before the numbers of operations are reported to anyone: a number that was reported stands for the
   * same moves for ever.
   */
  async closeOperation(): Promise<void> {
    this.#operationWriter.close()
    if (this.isDry || this.atOperation !== undefined || this.#lease.current) return
    const until = performance.now() + MOST_WAIT
    do {
      const hold = await this.#lease.tryWrite().catch((error: unknown) => {
        if (!isUnwritable(error)) throw error
      })
      if (hold) return hold.release()
      const answer = await (await this.#lease.ask())?.work(CLOSE_OPERATION, null)
      if (typeof answer === 'object') return
      // A process that has just opened the database answers in a moment, or closes it.
      await pause(PAUSE)
    } while (performance.now() < until)
  }

  /** Whether what is written is forgotten when the store is closed. */
  get isDry(): boolean {
    return this.#scratch !== undefined
  }

  /** Writes the database anew: see `rewriteStore`. */
  async rewrite(rewriting: Rewriting): Promise<void> {
    this.#checkWritable()
    const store = { dir: this.dir, lease: this.#lease, writing: this.#writing }
    await this.#progress.long(rewriteStore(store, rewriting))
    this.#operationWriter.close()
  }

  #checkWritable(): void {
    if (this.atOperation !== undefined) throw new SessError('read-only', this.atOperation)
    this.checkStop()
  }

  /** Has work done once nothing is written, that may as well be done later or never; of several with a name one. */
  whenQuiet(name: string, chore: () => Promise<void>): void {
    this.#idleTasks.add(name, chore)
  }

  /** Another number for each piece of work that was asked for and writes, and for each time that the database was opened. */
  get turns(): number {
    return this.#turns
  }

  /** Whether the store's signal asked to stop. */
  get stopped(): boolean {
    return this.#signal?.aborted ?? false
  }

  /** Throws `stopped` where the store's signal asked to stop, saying whether anything was written before: a safe point of long work. */
  checkStop(): void {
    this.#progress.step()
    if (this.stopped)
      throw new SessError(
        'stopped',
        this.#operations > 0 ? 'what was written before is kept' : 'nothing was changed',
      )
  }

  /** Lets in what waits outside, signals among it, and throws `stopped` as `checkStop` does: for long reading. */
  async breathe(): Promise<void> {
    await new Promise((done) => setImmediate(done))
    this.checkStop()
  }

  /** Resolves once no piece of work is being written. */
  rest(): Promise<void> {
    return this.#unacknowledged.rest()
  }

  /** Lets the store go. What was acknowledged is there; what was not is not. */
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
