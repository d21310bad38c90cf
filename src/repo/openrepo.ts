import type { RefName } from '../model/refname.ts'
import type { Backend } from '../storage/backend.ts'
import { newHolder } from '../storage/directory/holder.ts'
import { JournalWriter } from '../storage/journalwriter.ts'
import type { StoreFolder } from './createstore.ts'
import type { Env } from './env.ts'
import { IdleTasks } from './idletasks.ts'
import { InFlightCommits } from './inflightcommits.ts'
import { checkEnd } from './journalcheck.ts'
import { Delegate } from './lease/delegate.ts'
import { ProgressCounter } from './lease/failuredetector.ts'
import { Lease, type LeaseOptions } from './lease/lease.ts'
import { networkToWarnOf } from './lease/socket.ts'
import { Mutex } from './mutex.ts'
import { OperationWriter } from './oplog/operationlog.ts'
import { type CurrentChoice, ReaderCache } from './reader.ts'
import { removeScratch, scratchDatabase } from './scratch.ts'
import { SessionListRenewer } from './sessionlist.ts'

/** How a store is opened, as far as all calls share it. */
export interface SharedOptions extends StoreFolder {
  readonly env: Env
  /** The command for processes that wait for the lock. */
  readonly command: string
  readonly lockTimeout: number
  readonly tolerant: boolean
}

/** An open store, as far as all calls share it: the lease, what is cached, and what is being written. */
export class OpenRepo {
  readonly options: SharedOptions
  /** The network file system that the store is on, for a warning; reported once per store. */
  readonly network: string | undefined
  readonly journal: JournalWriter
  readonly lease: Lease
  readonly delegate: Delegate
  readonly inFlight: InFlightCommits
  readonly caches = new ReaderCache()
  readonly current: CurrentChoice
  readonly passedOver = new Map<RefName, string>()
  readonly writing = new Mutex()
  readonly rewriting = new Mutex()
  readonly progress = new ProgressCounter()
  readonly operations = new OperationWriter()
  readonly lists = new SessionListRenewer()
  readonly idleTasks = new IdleTasks(() => this.lease.current !== undefined && !this.inFlight.isBusy)
  /** Dry runs of calls, which end with the store at the latest. */
  readonly dryRuns = new Set<{ readonly close: () => Promise<void> }>()
  /** Increases with each unit of work that is requested and with each opening of the database. */
  activityCount = 0

  /** `serve` does work for another process, or returns undefined for work that this one does not know. */
  constructor(options: SharedOptions, serve: LeaseOptions['work']) {
    const { dir, identity, env, command, lockTimeout, scratch } = options
    this.options = options
    this.network = networkToWarnOf(dir, identity.id)
    this.current = { named: env.session }
    this.journal = new JournalWriter(dir)
    this.lease = new Lease(dir, {
      lockTimeout,
      holder: newHolder(command, env.now(), identity),
      onOpen: (backend, isFenced) => this.#opened(backend, isFenced),
      onClose: () => this.journal.settle(),
      // Its number may have been reported by the other process.
      onOtherHolder: () => this.operations.close(),
      scratch: scratch && scratchDatabase(scratch),
      store: identity.id,
      progress: () => this.progress.progress,
      ...(serve && { work: serve }),
    })
    this.delegate = new Delegate({ dir, env }, this.lease, lockTimeout)
    this.inFlight = new InFlightCommits(dir, this.lease)
  }

  #opened(backend: Backend, isFenced: () => boolean): Promise<void> | undefined {
    this.activityCount++
    this.journal.opened(isFenced)
    this.operations.opened(backend)
    return this.options.tolerant ? undefined : checkEnd(this.options.dir, backend)
  }

  /** Begins to open the database: see `Repo.openAhead`. */
  openAhead(): void {
    this.lease.tryWrite().then(
      (handle) => handle?.release(),
      () => undefined,
    )
  }

  /** Whether another process, or other work of this one, waits for what is being written to end. */
  get isAwaited(): boolean {
    return this.lease.isAsked || this.writing.isAwaited
  }

  /** Closes the newest operation, and resolves once all of its moves are durable or lost. */
  closeOperation(): Promise<void> {
    this.operations.close()
    return this.inFlight.written()
  }

  /** Closes the store. Everything that was acknowledged is durable. `endLists` completes the list of sessions before. */
  async close(endLists: () => Promise<void>): Promise<void> {
    this.idleTasks.end()
    try {
      for (const dry of this.dryRuns) await dry.close()
      if (this.lease.current) await endLists()
      await this.lease.close()
    } finally {
      if (this.options.scratch !== undefined) removeScratch(this.options.scratch)
      this.journal.close()
    }
  }
}
