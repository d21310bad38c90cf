import { setTimeout as pause } from 'node:timers/promises'
import type { Awaitable } from '../../model/async.ts'
import { type ErrorCode, hasCode, isFenced, SessError } from '../../model/errors.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import type { Actor } from '../../model/operation.ts'
import { monotonicNow } from '../../storage/clock.ts'
import { stoppedError, unlessAborted } from '../abort.ts'
import type { HolderClient } from './client.ts'
import type { Lease, LeaseHandle } from './lease.ts'

/** Identifies the process that requests work, and the work, so that it is not done twice. */
export type Requester = {
  /** Different for each unit of work, in hex digits. */
  readonly token: string
  /** Whether the answer to the same request was lost: the work may be done already. */
  readonly again: boolean
} & Caller

/** Who calls, for the operation log. */
type Caller = { readonly command: string; readonly actor: Actor }

/** Who calls, and the signal that stops the call. */
type StoppableCaller = Caller & { readonly signal?: AbortSignal | undefined }

/** What became of work whose caller stopped while another process had it. */
const HANDED_OVER = 'the process that has the database may have written it'

/** The process that requests work of others, as far as a `Delegate` needs it. */
interface DelegatingStore {
  readonly dir: string
  readonly env: { readonly random: (bytes: number) => Uint8Array }
}

/** The random bytes that identify an open store in tokens, and the hex digits that number its requests. */
const RANDOM_BYTES = 8
const COUNT_DIGITS = 8

/** The milliseconds between two attempts while neither the database nor its holder can be had: at first and at most. */
const WAIT_LEAST = 4
const WAIT_MOST = 16

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

/** The outcome of work: done, not done (`gone`) or unknown (`lost`). */
type DelegatedOutcome<R> = { readonly done: R } | 'gone' | 'lost'

/** The next step of a unit of work: another process did it, or this one is to do it now. */
type Step<R> =
  | { readonly done: R }
  /**
   * The database that it is to be done in, which may be another one a moment later: done there it could come before earlier
   * work. `by` is given only where work is repeated whose answer was lost.
   */
  | { readonly database: object; readonly by: Requester | undefined }

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

  /** Begins work that other processes know by a name: see `RequestHandlers`. */
  begin<R extends Json>(name: string, request: JsonObject, caller: StoppableCaller): DelegatedWork<R> {
    return new DelegatedWork(this, name, request, caller)
  }

  newToken(): string {
    this.#tokens ??= { begin: Buffer.from(this.store.env.random(RANDOM_BYTES)).toString('hex'), count: 0 }
    const count = this.#tokens.count++ % 16 ** COUNT_DIGITS
    return this.#tokens.begin + count.toString(16).padStart(COUNT_DIGITS, '0')
  }
}

/** A unit of work. The caller does each step that `next` returns, passes it to `outcome`, and calls `end` at last. */
export class DelegatedWork<R extends Json> {
  readonly #delegate: Delegate
  readonly #name: string
  readonly #request: JsonObject
  readonly #caller: StoppableCaller
  readonly #number: number
  #token: string | undefined
  /** When the lock timeout ends; undefined while the database may be at hand. */
  #until: number | undefined
  #wait = WAIT_LEAST
  /** A holder that lets the database go refuses work once; one that still holds it refuses again and again. */
  #refused = 0
  /** Whether an answer was lost. */
  #isLost = false
  /** While a step is begun here in its turn: the end of that turn, and the database. */
  #turn: { readonly leave: () => void; readonly release: () => void } | undefined

  constructor(delegate: Delegate, name: string, request: JsonObject, caller: StoppableCaller) {
    this.#delegate = delegate
    this.#name = name
    this.#request = request
    this.#caller = caller
    this.#number = delegate.queue.join()
  }

  /**
   * Returns the result if another process did the work, or the step that is to be begun here at once. Throws as the
   * work, `busy`, and `uncertain` where it may have been done.
   */
  next(): Awaitable<Step<R>> {
    const { lease, queue } = this.#delegate
    const database = this.#until === undefined ? lease.current : undefined
    if (database && !queue.isBusy && queue.start(this.#number, database)) return { database, by: undefined }
    return this.#find().catch((error: unknown) => this.#rethrow(error))
  }

  /** Returns the result of a step that was begun here; undefined where another process took the store over before. */
  async outcome(begun: Promise<R>): Promise<{ readonly done: R } | undefined> {
    const turn = this.#turn
    this.#turn = undefined
    const outcome = unlessFenced(begun).finally(() => turn?.release())
    try {
      // Looking for lost work takes long, and what was begun after it must not be written before it.
      if (this.#isLost) await outcome.catch(() => undefined)
      turn?.leave()
      const is = await outcome
      if (typeof is === 'object') return is
    } catch (error) {
      return this.#rethrow(error)
    }
    if (turn) await this.#repeatLater('gone', true)
    else await this.#pause(WAIT_LEAST)
    this.#until ??= this.#newUntil()
    return undefined
  }

  /** Ends the work: later work need not wait for it. */
  end(): void {
    this.#delegate.queue.leave(this.#number)
  }

  #newUntil(): number {
    return monotonicNow() + this.#delegate.lockTimeout
  }

  #rethrow(error: unknown): never {
    if (!this.#isLost || !(error instanceof SessError && CANNOT_CHECK.has(error.code))) throw error
    throw new SessError('uncertain', this.#delegate.store.dir, { detail: error.message, cause: error })
  }

  async #find(): Promise<Step<R>> {
    const { queue, lease } = this.#delegate
    queue.put(this.#number, undefined)
    const until = (this.#until ??= this.#newUntil())
    const { signal } = this.#caller
    for (;;) {
      if (signal?.aborted) throw stoppedError(this.#isLost ? HANDED_OVER : undefined)
      const leave = await queue.enter(this.#number)
      let there: Promise<DelegatedOutcome<R>> | undefined
      try {
        const place = this.#refused < 2 || monotonicNow() < until ? await this.#start() : undefined
        if (place && 'release' in place) {
          this.#turn = { leave, release: place.release }
          return { database: place.backend, by: this.#isLost ? this.#by(true) : undefined }
        }
        there = place && this.#handOver(place)
        if (this.#isLost) await there?.catch(() => undefined)
      } finally {
        if (!this.#turn) leave()
      }
      if (!there && monotonicNow() >= until) throw lease.busy()
      const outcome = there ? await unlessAborted(there, signal, undefined, HANDED_OVER) : 'gone'
      if (typeof outcome === 'object') return outcome
      if (outcome === 'lost') this.#isLost = true
      await this.#repeatLater(outcome, there !== undefined)
    }
  }

  #by(again: boolean): Requester {
    const { command, actor } = this.#caller
    return { token: (this.#token ??= this.#delegate.newToken()), again, command, actor }
  }

  #handOver(holder: HolderClient): Promise<DelegatedOutcome<R>> {
    return handedOver<R>(holder.work(this.#name, { ...this.#request, ...this.#by(this.#isLost) }))
  }

  async #repeatLater(outcome: 'gone' | 'lost', wasStarted: boolean): Promise<void> {
    this.#refused = wasStarted && outcome === 'gone' ? this.#refused + 1 : 0
    this.#wait = !wasStarted || this.#refused > 1 ? Math.min(WAIT_MOST, this.#wait * 1.5) : WAIT_LEAST
    await this.#pause(outcome === 'lost' ? 0 : this.#wait)
  }

  /** Marks work as not started, so that later work waits for it, and waits. */
  async #pause(wait: number): Promise<void> {
    this.#delegate.queue.put(this.#number, undefined)
    if (wait > 0) await pause(wait)
  }

  /**
   * Returns the database or the process that holds it, where the work starts. Returns undefined where neither can be had,
   * or where other work comes before it.
   */
  async #start(): Promise<LeaseHandle | HolderClient | undefined> {
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

/** Returns the outcome of work that is not done where the store was taken over; throws any other error. */
async function unlessFenced<R>(work: Promise<R>): Promise<DelegatedOutcome<R>> {
  try {
    return { done: await work }
  } catch (error) {
    if (isFenced(error)) return 'gone'
    throw error
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

/**
 * Keeps the order of the work that is begun through one handle. A number is drawn when work is begun. One unit of work
 * at a time passes, the smallest number first, and it may start at a place (this process's database, or another
 * process) only where all unfinished work with smaller numbers is at the same place: elsewhere that may still be lost
 * and repeated.
 */
export class FifoQueue {
  #numbers = 0
  #isTaken = false
  readonly #waiting: { readonly number: number; readonly enter: () => void }[] = []
  /** Unfinished work by number, in ascending order; undefined while it waits to start, or to start again. */
  readonly #places = new Map<number, object | undefined>()
  /** All unfinished numbers below this one are at that place: with much in flight each is looked at once. */
  #known: { place: object | undefined; below: number } = { place: undefined, below: 0 }

  /** Draws a number. */
  join(): number {
    return this.#numbers++
  }

  /** Waits for the number's turn. Returns the function that ends it. */
  async enter(number: number): Promise<() => void> {
    if (this.#isTaken)
      await new Promise<void>((enter) => {
        const before = this.#waiting.findLastIndex((other) => other.number < number)
        this.#waiting.splice(before + 1, 0, { number, enter })
      })
    this.#isTaken = true
    return () => {
      const next = this.#waiting.shift()
      if (next) next.enter()
      else this.#isTaken = false
    }
  }

  /** Whether any work has its turn or waits for it. */
  get isBusy(): boolean {
    return this.#isTaken
  }

  /** Records where work is, undefined before it starts. */
  put(number: number, place: object | undefined): void {
    this.#places.set(number, place)
    const { place: known, below } = this.#known
    if (number < below && place !== known) this.#known.below = number
  }

  /** Starts work at a place, unless other work must be done before it. */
  start(number: number, place: object): boolean {
    if (!this.isAfterAll(number, place)) return false
    this.put(number, place)
    return true
  }

  /** Returns whether all unfinished work with a smaller number is at a place. */
  isAfterAll(number: number, place: object): boolean {
    if (this.#known.place !== place) {
      const [oldest = number] = this.#places.keys()
      this.#known = { place, below: oldest }
    }
    const known = this.#known
    while (known.below < number && this.#isAt(known.below, place)) known.below++
    return known.below >= number
  }

  /** Finished work is everywhere. */
  #isAt(number: number, place: object): boolean {
    return !this.#places.has(number) || this.#places.get(number) === place
  }

  /** Forgets finished work. */
  leave(number: number): void {
    this.#places.delete(number)
  }
}
