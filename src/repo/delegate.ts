import { setTimeout as pause } from 'node:timers/promises'
import { type Code, isFenced, SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { Lease } from './lease.ts'
import { Places } from './places.ts'
import { Turnstile } from './turnstile.ts'

/** A piece of work that the process that has the database can do as well as this one. */
export interface Delegable<R> {
  /** The name that both know it by. */
  readonly name: string
  /**
   * Does it here. After the answer of another process was lost, with `again`: then it may have been done already, and
   * is not done twice.
   */
  readonly here: (again: boolean) => Promise<R>
  /** What another process is told, to do it there. */
  readonly ask: (again: boolean) => Json
  /** Reads its answer. */
  readonly answer: (value: Json) => R
}

/** The milliseconds between two attempts while neither can be had, the database and who has it: at first and at most. */
const WAIT_LEAST = 4
const WAIT_MOST = 16

/** What keeps work from being looked for where it may have been done already. */
const UNLOOKED: ReadonlySet<Code> = new Set([
  'busy',
  'cannot-write',
  'closed',
  'corrupt',
  'newer-store',
  'no-space',
  'unreadable-path',
])

/** The place of what waits to begin, or to begin again. */
const NOWHERE = {}

/**
 * Does work where the database is: here where no other process has it, else there, so that processes that write little
 * and often do not hand it to and fro. What is begun in an order is done in that order.
 */
export class Delegate {
  readonly #dir: string
  readonly #lease: Lease
  readonly #lockTimeout: number
  readonly #turnstile = new Turnstile()
  #numbers = 0
  readonly #places = new Places()

  constructor(dir: string, lease: Lease, lockTimeout: number) {
    this.#dir = dir
    this.#lease = lease
    this.#lockTimeout = lockTimeout
  }

  /** Does a piece of work, and gives what came of it. Throws as the work, `busy`, and `uncertain` where it may have been done. */
  async run<R>(work: Delegable<R>): Promise<R> {
    const number = this.#numbers++
    try {
      const database = this.#lease.current
      if (database && !this.#turnstile.isBusy && this.#isNext(number, database))
        try {
          return await work.here(false)
        } catch (error) {
          await this.#refused(number, error)
        }
      return await this.#runInTurn(work, number)
    } finally {
      this.#places.leave(number)
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

  /** `lost` says from when on an answer was lost. */
  async #runUntilDone<R>(work: Delegable<R>, number: number, lost: { is: boolean }): Promise<R> {
    this.#places.put(number, NOWHERE)
    const until = Date.now() + this.#lockTimeout
    let wait = WAIT_LEAST
    // Who lets the database go says so once, who still has it when it was asked for it again and again.
    let refused = 0
    for (;;) {
      const leave = await this.#turnstile.enter(number)
      let begun: Begun<R> | undefined
      try {
        if (refused < 2 || Date.now() < until) begun = await this.#begin(work, number, lost.is)
      } finally {
        leave()
      }
      // In time it is asked for as any other work asks for the database, which says who has it.
      if (!begun && Date.now() >= until) begun = { outcome: this.#here(number, work.here(lost.is)) }
      const answer = begun ? await begun.outcome : 'gone'
      if (typeof answer === 'object') return answer.done
      this.#places.put(number, NOWHERE)
      if (answer === 'lost') lost.is = true
      refused = begun && answer === 'gone' ? refused + 1 : 0
      const waits = !begun || refused > 1
      if (waits) await pause(wait)
      wait = waits ? Math.min(WAIT_MOST, wait * 1.5) : WAIT_LEAST
    }
  }

  /** Gives what came of work here. */
  async #here<R>(number: number, done: Promise<R>): Promise<Outcome<R>> {
    try {
      return { done: await done }
    } catch (error) {
      return this.#refused(number, error)
    }
  }

  /**
   * Waits a moment where an error of work says that the store was taken over, until all who use the database that was are
   * told so; throws any other.
   */
  #refused(number: number, error: unknown): Promise<'gone'> {
    const outcome = notDone(error)
    this.#places.put(number, NOWHERE)
    return pause(WAIT_LEAST, outcome)
  }

  /**
   * Tells whether work may begin at a place, and notes it: not while what was begun before it is at another one, where it
   * may be refused or lost and has to begin again.
   */
  #isNext(number: number, place: object): boolean {
    if (!this.#places.isAfterAll(number, place)) return false
    this.#places.put(number, place)
    return true
  }

  /** Begins it here or there; undefined where neither can be had. */
  async #begin<R>(
    { name, here, ask, answer }: Delegable<R>,
    number: number,
    again: boolean,
  ): Promise<Begun<R> | undefined> {
    const met = this.#lease.met
    const hold = met ? undefined : await this.#lease.tryWrite()
    if (hold) {
      if (this.#isNext(number, hold.backend))
        return { outcome: this.#here(number, here(again)).finally(hold.release) }
      hold.release()
      return undefined
    }
    const holder = met ?? (await this.#lease.ask())
    if (!holder || !this.#isNext(number, holder)) return undefined
    const asked = holder.work(name, ask(again))
    return {
      outcome: asked.then(
        (came) => (typeof came === 'object' ? { done: answer(came.value) } : came),
        unanswered,
      ),
    }
  }
}

/** What came of work: it was not done (`gone`), or nobody knows (`lost`). */
type Outcome<R> = { readonly done: R } | 'gone' | 'lost'

interface Begun<R> {
  readonly outcome: Promise<Outcome<R>>
}

/** Tells of an error that the store was taken over and the work was not done; throws any other. */
function notDone(error: unknown): 'gone' {
  if (isFenced(error)) return 'gone'
  throw error
}

/** Tells of an error of another process the same, or that even that does not know what it wrote. */
function unanswered(error: unknown): 'gone' | 'lost' {
  return error instanceof SessError && error.code === 'uncertain' ? 'lost' : notDone(error)
}
