import type { Awaitable } from '../model/async.ts'
import type { Change, WriteOptions } from './writeaccess.ts'

/** The outcome of one of several requests that share a write. */
export type Outcome<R> = { readonly value: R } | { readonly error: unknown }

/** The store that requests write to. */
interface GroupedStore {
  write<T>(options: WriteOptions, work: (change: Change) => Awaitable<T>): Promise<T>
  readonly activityCount: number
}

interface RequestGroup {
  readonly key: string
  readonly database: object | undefined
  /** The store's count of activities when the group was made: after another one no request may join. */
  readonly activity: number
  readonly requests: unknown[]
  readonly outcomes: Promise<readonly Outcome<unknown>[]>
}

/** The number of requests that share a write at most, so that none waits long. */
const MAX_REQUESTS = 256

/** Collects requests of one store that can share a write. */
export class RequestGroups {
  readonly #store: GroupedStore
  /** The group that waits for its turn. */
  #waiting: RequestGroup | undefined

  constructor(store: GroupedStore) {
    this.#store = store
  }

  /**
   * Runs a request in one write with those made before and after it with equal options while the write waits for its turn.
   * `work` returns the outcome of each, in their order; where it throws, all of them fail.
   */
  async run<Q, R>(
    options: WriteOptions,
    request: Q,
    work: (change: Change, requests: readonly Q[]) => Awaitable<readonly Outcome<R>[]>,
  ): Promise<R> {
    const { activityCount } = this.#store
    const { bulk = false, coalesce = '', actor = '', command = '' } = options
    const key = `${bulk} ${coalesce} ${actor} ${command}`
    let group = this.#waiting
    const mayJoin =
      group?.key === key &&
      group.database === options.database &&
      group.activity === activityCount &&
      group.requests.length < MAX_REQUESTS
    if (!group || !mayJoin) {
      const requests: Q[] = []
      const outcomes = this.#store.write(options, (change) => {
        this.#close(requests)
        return work(change, requests)
      })
      const { database } = options
      group = this.#waiting = { key, database, activity: this.#store.activityCount, requests, outcomes }
    }
    const at = group.requests.push(request) - 1
    try {
      const outcome = (await group.outcomes)[at] as Outcome<R>
      if ('error' in outcome) throw outcome.error
      return outcome.value
    } finally {
      // Also where the write was refused before it began.
      this.#close(group.requests)
    }
  }

  /** Closes a group: no more requests join it. */
  #close(requests: readonly unknown[]): void {
    if (this.#waiting?.requests === requests) this.#waiting = undefined
  }
}
