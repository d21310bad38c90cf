import { isFenced, SessError } from '../model/errors.ts'
import type { Operation } from '../model/operation.ts'
import type { Lease } from './lease/lease.ts'

/** The operation and the result of a unit of work, set when it was committed, durable or not. */
export interface WorkOutcome<T> {
  operation?: Operation
  result?: T
}

/**
 * Returns whether an operation moved all refs that another one moved. It may move more: appends are joined with it
 * later.
 */
function hasMovesOf({ moves }: Operation, other: Operation): boolean {
  const names = new Set(moves.map(({ name }) => name))
  return other.moves.every(({ name }) => names.has(name))
}

async function settleThen(
  commit: Promise<void>,
  nextRequests: () => Promise<void> | undefined,
): Promise<void> {
  await commit.catch(() => undefined)
  await new Promise((done) => setImmediate(done))
  await nextRequests()
}

/**
 * The commits in flight: written and not acknowledged yet. Where another process takes the store over meanwhile, the
 * next generation of the database holds such a commit or not. The id of its operation, which covers all of its moves,
 * decides.
 */
export class InFlightCommits {
  readonly #dir: string
  readonly #lease: Pick<Lease, 'copy'>
  /** In the order of their commits. */
  readonly #units = new Map<WorkOutcome<unknown>, Promise<unknown>>()
  /** The newest operation that was acknowledged. */
  #acknowledged: Operation | undefined
  /** Called once no commit is in flight. */
  #waiters: (() => void)[] = []
  /** Resolves once the newest commit in flight is durable, which the one before it precedes. */
  #newest: Promise<void> | undefined

  constructor(dir: string, lease: Pick<Lease, 'copy'>) {
    this.#dir = dir
    this.#lease = lease
  }

  /** Whether a commit is in flight. */
  get isBusy(): boolean {
    return this.#units.size > 0
  }

  /** Resolves once no commit is in flight. */
  async settled(): Promise<void> {
    while (this.isBusy) await new Promise<void>((resolve) => this.#waiters.push(resolve))
  }

  /** Records a commit, for which group commits wait until it is durable or failed. */
  committed(durable: Promise<void>): void {
    const clear = (): void => {
      if (this.#newest === durable) this.#newest = undefined
    }
    this.#newest = durable
    durable.then(clear, clear)
  }

  /**
   * Resolves once the newest commit is durable or failed, the requests that arrived meanwhile were read, and
   * `nextRequests` is resolved: all these requests share the next commit, and its sync. Returns undefined if there is
   * nothing to wait for.
   */
  previousSettled(nextRequests: () => Promise<void> | undefined): Promise<void> | undefined {
    return this.#newest === undefined ? nextRequests() : settleThen(this.#newest, nextRequests)
  }

  /** Resolves once the commits that are in flight now have become durable or failed. */
  async written(): Promise<void> {
    await Promise.allSettled([...this.#units].flatMap(([unit, written]) => (unit.operation ? [written] : [])))
  }

  /**
   * Runs `work`, which commits a unit of work and sets its outcome. Throws as `work`, but `fenced` only where the
   * commit was lost, and `uncertain` where that is unknown.
   */
  async track<T>(outcome: WorkOutcome<T>, work: () => Promise<T>): Promise<T> {
    const written = work()
    this.#units.set(outcome, written)
    try {
      const result = await written
      this.#acknowledged = outcome.operation ?? this.#acknowledged
      return result
    } catch (error) {
      if (!isFenced(error) || !outcome.operation || !(await this.#isCommitted(outcome.operation))) throw error
      this.#acknowledged = outcome.operation
      return outcome.result as T
    } finally {
      this.#units.delete(outcome)
      if (!this.isBusy) for (const resolve of this.#waiters.splice(0)) resolve()
    }
  }

  async #isCommitted(operation: Operation): Promise<boolean> {
    const { number, time, who } = operation
    const written = [...this.#units.keys()].flatMap((one) => one.operation ?? [])
    const at = written.indexOf(operation)
    // Later units may have been joined with the operation, which changed its id.
    const since = written.slice(at).filter((one) => one.number === number)
    const before = [...written.slice(0, at), this.#acknowledged]
    try {
      // Reads a snapshot: other users of this process may still use the former database.
      const { backend, release } = await this.#lease.copy()
      try {
        const kept = backend.operation(number)
        if (since.some(({ id }) => id === kept?.id)) return true
        if (!kept && number <= backend.operationLog().latest)
          throw new Error('operations of that time were removed by gc since')
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
