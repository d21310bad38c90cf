import type { Pace } from '../pace.ts'

/** One that says nothing for so many milliseconds, or does nothing of what waits, does not go on any more. */
export const PATIENCE = 1500

/** It is left so many to do a step of what takes long, or where it does not say how it goes on. */
export const LONG = 10_000

/** Tells of a process that is waited for whether it still goes on: it may answer and do nothing. Times are milliseconds. */
export class Patience {
  #heard = 0
  #moved = 0
  #steps: number | undefined
  #isLong = true

  /** Begins to wait, or begins anew: time in which this process itself stood still does not count. */
  begin(now: number): void {
    this.#heard = now
    this.#moved = now
    this.#steps = undefined
    this.#isLong = true
  }

  /** Notes that it did something of what was waited for. */
  done(now: number): void {
    this.#heard = now
    this.#moved = now
  }

  /** Notes that it answered, and what it says of how it goes on. */
  hear(now: number, pace: Pace | undefined): void {
    this.#heard = now
    if (this.#steps !== undefined && this.#steps !== pace?.steps) this.#moved = now
    this.#steps = pace?.steps
    this.#isLong = pace?.isLong ?? true
  }

  /** Gives for how many milliseconds it is not known to have done anything. */
  waits(now: number): number {
    return now - this.#moved
  }

  /** Whether it does not go on. */
  isOver(now: number): boolean {
    return now - this.#heard > PATIENCE || this.waits(now) > (this.#isLong ? LONG : PATIENCE)
  }
}

/** Tells of a process that has the database, and does not listen, whether it has it for long. Times are milliseconds. */
export class Unheard {
  #met: { readonly holder: string; readonly since: number } | undefined

  /** Notes who has it, as text, and tells whether the same one has had it for long. */
  isStuck(holder: string, now: number): boolean {
    if (this.#met?.holder !== holder) this.#met = { holder, since: now }
    return now - this.#met.since > PATIENCE
  }

  /** Notes that who has it listens. */
  forget(): void {
    this.#met = undefined
  }
}
