import { setTimeout as pause } from 'node:timers/promises'
import { type ErrorCode, hasCode, isFenced, SessError } from '../../model/errors.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Actor } from '../../model/operation.ts'
import { monotonicNow } from '../../storage/clock.ts'
import { stoppedError, unlessAborted } from '../abort.ts'
import type { HolderClient } from './client.ts'
import { FifoQueue } from './fifoqueue.ts'
import type { Lease, LeaseHandle } from './lease.ts'

/** Identifies the process that requests work, and the work, so that it is not done twice. */
export type Requester = {
  /** Different for each unit of work, in hex digits. */
  readonly token: string
  /** Whether the answer to the same request was lost: the work may be done already. */
  readonly again: boolean
} & Caller

/** The caller that the operation log names. */
type Caller = { readonly command: string; readonly actor: Actor }

/** A caller, and the signal that stops its call. */
type StoppableCaller = Caller & { readonly signal?: AbortSignal | undefined }

/** An attempt to do work in this process. */
export interface Attempt {
  /** The database that it is to be done in, held until it is done: in a later one it could come before earlier work. */
  readonly hold: LeaseHandle
  /** Given only where work is repeated whose answer was lost. */
  readonly by?: Requester | undefined
}

/** The process that requests work of others, as far as a `Delegate` needs it. */
interface DelegatingStore {
  readonly dir: string
  readonly env: { readonly random: (bytes: number) => Uint8Array }
}

/** The random bytes that identify an open store in tokens, and the hex digits that number its requests. */
const RANDOM_BYTES = 8
const COUNT_DIGITS = 8

/** The milliseconds between two attempts while neither the database nor its holder can be had: at first and at most. */
const MIN_WAIT = 4
const MAX_WAIT = 16

/** The errors after which it cannot be checked whether lost work was done. */
const CANNOT_CHECK: ReadonlySet<ErrorCode> = new Set([
  'busy',
  'cannot-write',
  'closed',
  'corrupt',
  'newer-store',
  'no-space',
  'unreadable-path',
])

/** The outcomes of work whose caller stopped while another process had it, and while it was done here. */
const HANDED_OVER = 'the process that has the database may have written it'
const BEGUN = 'it was begun and may still be written'

/** The outcome of work: done, not done (`gone`) or unknown (`lost`). */
type DelegatedOutcome<R> = { readonly done: R } | 'gone' | 'lost'

/** Work that other processes know by a name, with the function that does it here. */
interface Work<R> {
  readonly name: string
  readonly request: JsonObject
  readonly caller: StoppableCaller
  readonly doHere: (attempt: Attempt) => Promise<R>
}

/**
 * Decides where work is done: here where no other process holds the database, else there, so that processes that write
 * little and often do not pass it to and fro. Work is done in the order in which it is begun.
 */
export class Delegate {
  readonly store: DelegatingStore
  readonly lease: Lease
  readonly lockTimeout: number
  readonly queue = new FifoQueue()
  #tokens: { readonly begin: string; count: number } | undefined

  constructor(store: DelegatingStore, lease: Lease, lockTimeout: number) {
    this.store = store
    this.lease = lease
    this.lockTimeout = lockTimeout
  }

  /**
   * Does work in this process or in the one that holds the database, and returns its result. Throws as the work; `busy`;
   * `uncertain` where it may have been done; `stopped` where the caller's signal is aborted while it waits.
   */
  async run<R extends Json>(work: Work<R>): Promise<R> {
    const { queue, lease } = this
    const hold = lease.takeNow()
    const { number, isStarted } = queue.join(hold?.backend)
    if (hold && !isStarted) hold.release()
    try {
      if (hold && isStarted) {
        const outcome = await unlessAborted(doneHere(work, { hold }), work.caller.signal, undefined, BEGUN)
        if (typeof outcome === 'object') return outcome.done
        queue.put(number)
        await pause(MIN_WAIT)
      }
      return await new QueuedWork(this, number, work).result()
    } finally {
      queue.leave(number)
    }
  }

  newToken(): string {
    this.#tokens ??= { begin: Buffer.from(this.store.env.random(RANDOM_BYTES)).toString('hex'), count: 0 }
    const count = this.#tokens.count++ % 16 ** COUNT_DIGITS
    return this.#tokens.begin + count.toString(16).padStart(COUNT_DIGITS, '0')
  }
}

/** Work that waits for its turn, and is repeated until it is done. */
class QueuedWork<R extends Json> {
  readonly #delegate: Delegate
  readonly #number: number
  readonly #work: Work<R>
  /** When the lock timeout ends. */
  readonly #until: number
  #token: string | undefined
  #wait = MIN_WAIT
  /** A holder that lets the database go refuses work once; one that still holds it refuses again and again. */
  #refused = 0
  /** Whether an answer was lost. */
  #isLost = false

  constructor(delegate: Delegate, number: number, work: Work<R>) {
    this.#delegate = delegate
    this.#number = number
    this.#work = work
    this.#until = monotonicNow() + delegate.lockTimeout
  }

  /** Returns the result of the work. Throws as the work, `busy`, `uncertain` and `stopped`. */
  async result(): Promise<R> {
    try {
      for (;;) {
        if (this.#work.caller.signal?.aborted) throw stoppedError(this.#isLost ? HANDED_OVER : undefined)
        const started = await this.#startInTurn()
        if (!started && monotonicNow() >= this.#until) throw this.#delegate.lease.busy()
        const outcome = started ? await started.outcome : 'gone'
        if (typeof outcome === 'object') return outcome.done
        if (outcome === 'lost') this.#isLost = true
        await this.#repeatLater(outcome, started !== undefined)
      }
    } catch (error) {
      if (!this.#isLost || !(error instanceof SessError && CANNOT_CHECK.has(error.code))) throw error
      throw new SessError('uncertain', this.#delegate.store.dir, { detail: error.message, cause: error })
    }
  }

  /** Starts the work in its turn. Returns undefined where it cannot be started now. */
  async #startInTurn(): Promise<{ readonly outcome: Promise<DelegatedOutcome<R>> } | undefined> {
    const { queue } = this.#delegate
    queue.put(this.#number)
    const leave = await queue.enter(this.#number)
    try {
      const place = this.#refused < 2 || monotonicNow() < this.#until ? await this.#findPlace() : undefined
      if (!place) return undefined
      const isHere = 'release' in place
      const by = isHere && this.#isLost ? this.#requester() : undefined
      const outcome = isHere ? doneHere(this.#work, { hold: place, by }) : this.#handOver(place)
      // Looking for lost work takes long, and what was begun after it must not be written before it.
      if (this.#isLost) await outcome.catch(() => undefined)
      const { signal } = this.#work.caller
      return { outcome: unlessAborted(outcome, signal, undefined, isHere ? BEGUN : HANDED_OVER) }
    } finally {
      leave()
    }
  }

  #handOver(holder: HolderClient): Promise<DelegatedOutcome<R>> {
    const { name, request } = this.#work
    return handedOver<R>(holder.work(name, { ...request, ...this.#requester() }))
  }

  #requester(): Requester {
    this.#token ??= this.#delegate.newToken()
    const { command, actor } = this.#work.caller
    return { token: this.#token, again: this.#isLost, command, actor }
  }

  async #repeatLater(outcome: 'gone' | 'lost', wasStarted: boolean): Promise<void> {
    this.#refused = wasStarted && outcome === 'gone' ? this.#refused + 1 : 0
    this.#wait = !wasStarted || this.#refused > 1 ? Math.min(MAX_WAIT, this.#wait * 1.5) : MIN_WAIT
    // Later work waits for it.
    this.#delegate.queue.put(this.#number)
    if (outcome === 'gone') await pause(this.#wait)
  }

  /**
   * Returns the database or the process that holds it, where the work starts. Returns undefined where neither can be had,
   * or where other work comes before it.
   */
  async #findPlace(): Promise<LeaseHandle | HolderClient | undefined> {
    const at = await this.#database()
    if (at && this.#delegate.queue.start(this.#number, 'release' in at ? at.backend : at)) return at
    if (at && 'release' in at) at.release()
    return undefined
  }

  async #database(): Promise<LeaseHandle | HolderClient | undefined> {
    const { lease } = this.#delegate
    try {
      return lease.met ?? (await lease.tryWrite()) ?? (await lease.ask())
    } catch (error) {
      // Nothing was done yet.
      if (isFenced(error)) return undefined
      throw error
    }
  }
}

/** Returns the outcome of work in this process, which is not done where the store was taken over; throws any other error. */
async function doneHere<R>(work: Work<R>, attempt: Attempt): Promise<DelegatedOutcome<R>> {
  try {
    return { done: await work.doHere(attempt) }
  } catch (error) {
    if (isFenced(error)) return 'gone'
    throw error
  } finally {
    attempt.hold.release()
  }
}

/** Returns the outcome of work in another process, which may itself not know what it wrote. */
async function handedOver<R>(
  asked: Promise<{ readonly value: Json } | 'gone' | 'lost'>,
): Promise<DelegatedOutcome<R>> {
  try {
    const answer = await asked
    return typeof answer === 'object' ? { done: answer.value as R } : answer
  } catch (error) {
    if (isFenced(error)) return 'gone'
    if (hasCode(error, 'uncertain')) return 'lost'
    throw error
  }
}
