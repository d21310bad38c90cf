import { isFenced, SessError } from '../model/errors.ts'
import type { Operation } from '../model/operation.ts'
import type { Lease } from './lease/lease.ts'

/** What a piece of work did by the time that it was written: durable or not. */
export interface WorkOutcome<T> {
  operation?: Operation
  result?: T
}

/** Tells whether an operation moved all refs that another one moved: what is joined onto it later moves more. */
function hasMovesOf({ moves }: Operation, other: Operation): boolean {
  const names = new Set(moves.map(({ name }) => name))
  return other.moves.every(({ name }) => names.has(name))
}

/**
 * Work that is written and not acknowledged yet. Where another process takes the store over meanwhile, what it did is in
 * the database that this goes on with, or is not: the operation there tells, whose id covers all that it did.
 */
export class InFlightCommits {
  readonly #dir: string
  readonly #lease: Pick<Lease, 'copy'>
  /** In the order in which it is written. */
  readonly #all = new Set<WorkOutcome<unknown>>()
  /** The newest that was acknowledged. */
  #acknowledged: Operation | undefined
  /** Called once none is left. */
  #resting: (() => void)[] = []

  constructor(dir: string, lease: Pick<Lease, 'copy'>) {
    this.#dir = dir
    this.#lease = lease
  }

  /** Whether any work is not acknowledged yet. */
  get isBusy(): boolean {
    return this.#all.size > 0
  }

  /** Resolves once there is none. */
  async rest(): Promise<void> {
    while (this.isBusy) await new Promise<void>((rests) => this.#resting.push(rests))
  }

  /**
   * Has work written, which notes what it does. Throws as that, but `fenced` only where nothing of it is there, and
   * `uncertain` where that cannot be told.
   */
  async write<T>(done: WorkOutcome<T>, work: () => Promise<T>): Promise<T> {
    this.#all.add(done)
    try {
      const result = await work()
      this.#acknowledged = done.operation ?? this.#acknowledged
      return result
    } catch (error) {
      if (!isFenced(error) || !done.operation || !(await this.#isKept(done.operation))) throw error
      this.#acknowledged = done.operation
      return done.result as T
    } finally {
      this.#all.delete(done)
      if (!this.isBusy) for (const rests of this.#resting.splice(0)) rests()
    }
  }

  async #isKept(operation: Operation): Promise<boolean> {
    const { number, time, who } = operation
    const written = [...this.#all].flatMap((one) => one.operation ?? [])
    const at = written.indexOf(operation)
    // What was joined onto it later holds it.
    const since = written.slice(at).filter((one) => one.number === number)
    const before = [...written.slice(0, at), this.#acknowledged]
    try {
      // Of a copy: others may still use the database that does not hold the store any more, and be told so.
      const { backend, release } = await this.#lease.copy()
      try {
        const kept = backend.operation(number)
        if (since.some(({ id }) => id === kept?.id)) return true
        if (!kept && number <= backend.operationLog().latest)
          throw new Error('operations of that time were let go since')
        const isLike = kept?.time === time && kept.who === who && hasMovesOf(kept, operation)
        if (isLike && !before.some((one) => one?.id === kept.id))
          throw new Error('operations of that time have other ids since')
        return false
      } finally {
        release()
      }
    } catch (cause) {
      const detail = `another process took it over${cause instanceof Error ? `: ${cause.message}` : ''}`
      throw new SessError('uncertain', this.#dir, { detail, cause })
    }
  }
}
