import { setTimeout as pause } from 'node:timers/promises'
import { type Code, isFenced, SessError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { HolderClient } from './client.ts'
import type { Lease, LeaseHandle } from './lease.ts'
import { FifoQueue } from './queue.ts'

/** A unit of work that the holder of the database can do as well as this process. */
export interface Delegable<R> {
  /** The name under which both know it. */
  readonly name: string
  /** Does it here. With `again`, after the answer of another process was lost, it may be done already, and is not done twice. */
  readonly here: (again: boolean) => Promise<R>
  /** Returns the request to another process. */
  readonly ask: (again: boolean) => Json
  /** Reads the answer. */
  readonly answer: (value: Json) => R
}

/** The milliseconds between two attempts while neither the database nor its holder can be had: at first and at most. */
const WAIT_LEAST = 4
const WAIT_MOST = 16

/** The errors that keep lost work from being looked for. */
const UNLOOKED: ReadonlySet<Code> = new Set([
  'busy',
  'cannot-write',
  'closed',
  'corrupt',
  'newer-store',
  'no-space',
  'unreadable-path',
])

/** The outcome of work: done, not done (`gone`) or unknown (`lost`). */
type Outcome<R> = { readonly done: R } | 'gone' | 'lost'

interface Started<R> {
  readonly outcome: Promise<Outcome<R>>
}

/**
 * Does work where the database is: here where no other process holds it, else there, so that processes that write little
 * and often do not pass it to and fro. Work is done in the order in which it is begun.
 */
export class Delegate {
  readonly #dir: string
  readonly #lease: Lease
  readonly #lockTimeout: number
  readonly #queue = new FifoQueue()

  constructor(dir: string, lease: Lease, lockTimeout: number) {
    this.#dir = dir
    this.#lease = lease
    this.#lockTimeout = lockTimeout
  }

  /** Does work and returns its result. Throws as the work, `busy`, and `uncertain` where it may have been done. */
  async run<R>(work: Delegable<R>): Promise<R> {
    const number = this.#queue.join()
    try {
      const database = this.#lease.current
      if (database && !this.#queue.isBusy && this.#queue.start(number, database)) {
        const outcome = await unlessFenced(work.here(false))
        if (typeof outcome === 'object') return outcome.done
        await this.#repeatLater(number, WAIT_LEAST)
      }
      return await this.#runInTurn(work, number)
    } finally {
      this.#queue.leave(number)
    }
  }

  async #runInTurn<R>(work: Delegable<R>, number: number): Promise<R> {
    const lost = { is: false }
    try {
      return await this.#runUntilDone(work, number, lost)
    } catch (error) {
      if (!lost.is || !(error instanceof SessError && UNLOOKED.has(error.code))) throw error
      throw new SessError('uncertain', this.#dir, { detail: error.message, cause: error })
    }
  }

  /** Sets `lost` once an answer was lost. */
  async #runUntilDone<R>(work: Delegable<R>, number: number, lost: { is: boolean }): Promise<R> {
    this.#queue.put(number, undefined)
    const until = performance.now() + this.#lockTimeout
    let wait = WAIT_LEAST
    // A holder that lets the database go refuses work once; one that still holds it refuses again and again.
    let refused = 0
    for (;;) {
      const leave = await this.#queue.enter(number)
      let started: Started<R> | undefined
      try {
        if (refused < 2 || performance.now() < until) started = await this.#start(work, number, lost.is)
        // Looking for lost work takes long, and what was begun after it must not be written before it.
        if (lost.is) await started?.outcome.catch(() => undefined)
      } finally {
        leave()
      }
      if (!started && performance.now() >= until) throw this.#lease.busy()
      const outcome = started ? await started.outcome : 'gone'
      if (typeof outcome === 'object') return outcome.done
      if (outcome === 'lost') lost.is = true
      refused = started && outcome === 'gone' ? refused + 1 : 0
      wait = !started || refused > 1 ? Math.min(WAIT_MOST, wait * 1.5) : WAIT_LEAST
      await this.#repeatLater(number, outcome === 'lost' ? 0 : wait)
    }
  }

  /** Waits before work is started again, until all users of a fenced database have failed. */
  async #repeatLater(number: number, wait: number): Promise<void> {
    this.#queue.put(number, undefined)
    if (wait > 0) await pause(wait)
  }

  /** Starts work here or there. Returns undefined where neither can be had, or where other work comes before it. */
  async #start<R>(
    { name, here, ask, answer }: Delegable<R>,
    number: number,
    again: boolean,
  ): Promise<Started<R> | undefined> {
    const at = await this.#database()
    if (!at) return undefined
    if ('release' in at) {
      if (this.#queue.start(number, at.backend))
        return { outcome: unlessFenced(here(again)).finally(at.release) }
      at.release()
      return undefined
    }
    if (!this.#queue.start(number, at)) return undefined
    return { outcome: handedOver(at.work(name, ask(again)), answer) }
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
async function unlessFenced<R>(work: Promise<R>): Promise<Outcome<R>> {
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
  answer: (value: Json) => R,
): Promise<Outcome<R>> {
  try {
    const came = await asked
    return typeof came === 'object' ? { done: answer(came.value) } : came
  } catch (error) {
    if (isFenced(error)) return 'gone'
    if (error instanceof SessError && error.code === 'uncertain') return 'lost'
    throw error
  }
}
