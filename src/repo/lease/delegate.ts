import { setTimeout as pause } from 'node:timers/promises'
import { type ErrorCode, hasCode, isFenced, SessError } from '../../model/errors.ts'
import type { Json, JsonObject } from '../../model/json.ts'
import { monotonicNow } from '../../storage/clock.ts'
import type { HolderClient } from './client.ts'
import type { Lease, LeaseHandle } from './lease.ts'

/**
 * A kind of work that each process can do that has the database. The request and the result are JSON, so that the
 * holder does it for other processes: see `RequestHandlers`.
 */
export interface Delegable<S, Q extends JsonObject, R extends Json> {
  /** The name under which both processes know it. */
  readonly name: string
  /** Does it in an open store, which has the database. `by` is given only where work is repeated whose answer was lost. */
  readonly run: (store: S, request: Q, by?: Requester) => Promise<R>
}

/** Identifies the process that requests work, and the work, so that it is not done twice. */
export type Requester = {
  /** Different for each unit of work, in hex digits. */
  readonly token: string
  /** Whether the answer to the same request was lost: the work may be done already. */
  readonly again: boolean
  readonly command: string
}

/** The process that requests work of others, as far as a `Delegate` needs it. */
interface DelegatingStore {
  readonly dir: string
  readonly command: string
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

interface StartedWork<R> {
  readonly outcome: Promise<DelegatedOutcome<R>>
}

/** Runs a unit of work here, or hands it over. */
interface DelegatedWork<R> {
  /** With `again`, after the answer of another process was lost, it is not done twice. */
  readonly here: (again: boolean) => Promise<R>
  readonly there: (holder: HolderClient, again: boolean) => Promise<DelegatedOutcome<R>>
}

/**
 * Does work where the database is: here where no other process holds it, else there, so that processes that write
 * little and often do not pass it to and fro. Work is done in the order in which it is begun.
 */
export class Delegate<S extends DelegatingStore> {
  readonly #store: S
  readonly #lease: Lease
  readonly #lockTimeout: number
  readonly #queue = new FifoQueue()
  #tokens: { readonly begin: string; count: number } | undefined

  constructor(store: S, lease: Lease, lockTimeout: number) {
    this.#store = store
    this.#lease = lease
    this.#lockTimeout = lockTimeout
  }

  /** Does work and returns its result. Throws as the work, `busy`, and `uncertain` where it may have been done. */
  async run<Q extends JsonObject, R extends Json>(work: Delegable<S, Q, R>, request: Q): Promise<R> {
    const number = this.#queue.join()
    try {
      const database = this.#lease.current
      if (database && !this.#queue.isBusy && this.#queue.start(number, database)) {
        const outcome = await unlessFenced(work.run(this.#store, request))
        if (typeof outcome === 'object') return outcome.done
        await this.#repeatLater(number, WAIT_LEAST)
      }
      return await this.#runInTurn(this.#jobOf(work, request), number)
    } finally {
      this.#queue.leave(number)
    }
  }

  #jobOf<Q extends JsonObject, R extends Json>(
    { name, run }: Delegable<S, Q, R>,
    request: Q,
  ): DelegatedWork<R> {
    const { command } = this.#store
    let token: string | undefined
    const by = (again: boolean): Requester => ({ token: (token ??= this.#newToken()), again, command })
    return {
      here: (again) => run(this.#store, request, again ? by(again) : undefined),
      there: (holder, again) => handedOver<R>(holder.work(name, { ...request, ...by(again) })),
    }
  }

  #newToken(): string {
    this.#tokens ??= { begin: Buffer.from(this.#store.env.random(RANDOM_BYTES)).toString('hex'), count: 0 }
    const count = this.#tokens.count++ % 16 ** COUNT_DIGITS
    return this.#tokens.begin + count.toString(16).padStart(COUNT_DIGITS, '0')
  }

  async #runInTurn<R>(job: DelegatedWork<R>, number: number): Promise<R> {
    const lost = { is: false }
    try {
      return await this.#runUntilDone(job, number, lost)
    } catch (error) {
      if (!lost.is || !(error instanceof SessError && CANNOT_CHECK.has(error.code))) throw error
      throw new SessError('uncertain', this.#store.dir, { detail: error.message, cause: error })
    }
  }

  /** Sets `lost` once an answer was lost. */
  async #runUntilDone<R>(job: DelegatedWork<R>, number: number, lost: { is: boolean }): Promise<R> {
    this.#queue.put(number, undefined)
    const until = monotonicNow() + this.#lockTimeout
    let wait = WAIT_LEAST
    // A holder that lets the database go refuses work once; one that still holds it refuses again and again.
    let refused = 0
    for (;;) {
      const leave = await this.#queue.enter(number)
      let started: StartedWork<R> | undefined
      try {
        if (refused < 2 || monotonicNow() < until) started = await this.#start(job, number, lost.is)
        // Looking for lost work takes long, and what was begun after it must not be written before it.
        if (lost.is) await started?.outcome.catch(() => undefined)
      } finally {
        leave()
      }
      if (!started && monotonicNow() >= until) throw this.#lease.busy()
      const outcome = started ? await started.outcome : 'gone'
      if (typeof outcome === 'object') return outcome.done
      if (outcome === 'lost') lost.is = true
      refused = started && outcome === 'gone' ? refused + 1 : 0
      wait = !started || refused > 1 ? Math.min(WAIT_MOST, wait * 1.5) : WAIT_LEAST
      await this.#repeatLater(number, outcome === 'lost' ? 0 : wait)
    }
  }

  /** Marks work as not started, so that later work waits for it, and waits. */
  async #repeatLater(number: number, wait: number): Promise<void> {
    this.#queue.put(number, undefined)
    if (wait > 0) await pause(wait)
  }

  /** Starts work here or there. Returns undefined where neither can be had, or where other work comes before it. */
  async #start<R>(
    { here, there }: DelegatedWork<R>,
    number: number,
    again: boolean,
  ): Promise<StartedWork<R> | undefined> {
    const at = await this.#database()
    if (!at) return undefined
    if ('release' in at) {
      if (this.#queue.start(number, at.backend))
        return { outcome: unlessFenced(here(again)).finally(at.release) }
      at.release()
      return undefined
    }
    if (!this.#queue.start(number, at)) return undefined
    return { outcome: there(at, again) }
  }

  /** Returns the database or the process that holds it. */
  async #database(): Promise<LeaseHandle | HolderClient | undefined> {
    try {
      return this.#lease.met ?? (await this.#lease.tryWrite()) ?? (await this.#lease.ask())
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
