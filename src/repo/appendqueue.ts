import type { Awaitable } from '../model/async.ts'
import type { Oid } from '../model/encoding/oid.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { CallContext } from './call.ts'
import type { Attempt, Requester } from './lease/delegate.ts'
import type { LeaseHandle } from './lease/lease.ts'
import type { Reader } from './reader.ts'
import { readRecords } from './records.ts'
import { getSession, nativeLogs } from './session.ts'
import type { Change, WriteOptions } from './writeaccess.ts'

/** The outcome of one of several requests that share a write. */
export type Outcome<R> = { readonly value: R } | { readonly error: unknown }

/** A request to append entries to a session, as plain data. */
export type QueuedAppend = JsonObject & { readonly session: string; readonly entries: readonly Json[] }

/** Appends the entries of requests to one session in one unit of work. */
export interface RequestAppender<Q> {
  /** Appends the entries of a request. Returns their oids, or its error if nothing was added. */
  append(request: Q): Promise<Outcome<Oid[]>>
  /** Moves what moves once everything is there. */
  end(): void
}

/** How requests are appended, in this process and for others. */
export interface AppendWork<Q extends QueuedAppend> {
  /** Returns a request of another process. Throws where it is invalid: it may share a write with valid ones. */
  readonly check: (request: Json) => Q
  readonly begin: (change: Change, session: string) => Promise<RequestAppender<Q>>
}

/** The store that requests write to. */
interface GroupedStore {
  write<T>(options: WriteOptions, work: (change: Change) => Awaitable<T>): Promise<T>
  readonly activityCount: number
}

/** The open store that is appended to, as all calls share it. */
interface AppendStore extends GroupedStore {
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>
}

type Caller = Pick<CallContext, 'command' | 'actor'>

/** The store as the call sees it that appends. */
interface AppendCall extends Pick<AppendStore, 'write'> {
  readonly caller: Caller
  /** Set where the call writes on terms. */
  readonly terms: object | undefined
  delegate<R extends Json>(
    name: string,
    request: JsonObject,
    doHere: (attempt: Attempt) => Promise<R>,
  ): Promise<R>
}

/** The number of entries from which on a request is packed into pages at once. */
export const PACK_FROM = 16

/** The number of newest records that are searched for a token. */
const MAX_SEARCHED = 20_000

/**
 * Appends in the process that holds the database: in this one, or in another one, whose queue does the same for it. An
 * append is done once, also where its answer was lost and it is requested again.
 */
export class AppendQueue {
  readonly #store: AppendStore
  readonly #groups: RequestGroups

  constructor(store: AppendStore) {
    this.#store = store
    this.#groups = new RequestGroups(store)
  }

  /** Appends the entries of a request of a call, and returns their oids once they are durable. */
  append<Q extends QueuedAppend>(call: AppendCall, work: AppendWork<Q>, request: Q): Promise<Oid[]> {
    if (call.terms) return appendAlone(call, work, request)
    return call.delegate('append', request, (attempt) =>
      this.#appendHere(work, request, attempt, call.caller),
    )
  }

  /** Appends for another process, in a database that is held until then; by default in the present one. */
  async appendFor<Q extends QueuedAppend>(
    work: AppendWork<Q>,
    asked: Json,
    hold?: LeaseHandle,
  ): Promise<Oid[]> {
    const { token, again, command, actor, ...request } = asked as JsonObject & Requester
    const by = { token, again, command, actor }
    return this.#appendHere(work, work.check(request), { hold, by }, by)
  }

  async #appendHere<Q extends QueuedAppend>(
    work: AppendWork<Q>,
    request: Q,
    { hold, by }: { readonly hold?: LeaseHandle | undefined; readonly by?: Requester | undefined },
    { command, actor }: Caller,
  ): Promise<Oid[]> {
    const { session, entries } = request
    if (by?.again) {
      const before = await this.#findAppended(session, tokenOf(by), entries.length)
      if (before) return before
    }
    const bulk = entries.length >= PACK_FROM
    const coalesce = `append ${session}`
    const options: WriteOptions = { coalesce, bulk, gathers: !bulk, hold, command, actor }
    return this.#groups.run(options, { request, by }, (change, all) => appendAll(work, change, session, all))
  }

  /** Returns the oids of the entries whose records have a token, undefined unless they are all there. */
  #findAppended(session: string, token: Uint8Array, count: number): Promise<Oid[] | undefined> {
    return this.#store.read(async (reader) => {
      const { natives } = await getSession(reader, session)
      const oids: Oid[] = []
      let left = MAX_SEARCHED
      for (const [log, end] of [...natives.values()].flatMap(nativeLogs)) {
        const records = readRecords(reader, log, Math.max(0, end - left), end, true)
        for await (const [, { entry, content }] of records) {
          left--
          const [raw] = 'raw' in content ? content.raw : []
          const isOne = raw instanceof Uint8Array && Buffer.compare(raw, token) === 0
          if (isOne && entry !== undefined) oids.unshift(await reader.oid(entry))
          else if (oids.length > 0) break
        }
      }
      return oids.length === count && count > 0 ? oids : undefined
    })
  }
}

/** Appends in a write of its own, in this process: the terms of a call hold for one request. */
async function appendAlone<Q extends QueuedAppend>(
  call: AppendCall,
  work: AppendWork<Q>,
  request: Q,
): Promise<Oid[]> {
  const { session, entries } = request
  const [outcome] = await call.write({ bulk: entries.length >= PACK_FROM }, (change) =>
    appendAll(work, change, session, [{ request, by: undefined }]),
  )
  if (!outcome || 'error' in outcome) throw outcome?.error
  return outcome.value
}

const tokenOf = ({ token }: Requester): Uint8Array => Buffer.from(token, 'hex')

interface ReceivedRequest<Q> {
  readonly request: Q
  readonly by: Requester | undefined
}

/** Appends the entries of requests in order. Returns the oids of each request, or its error. */
async function appendAll<Q extends QueuedAppend>(
  work: AppendWork<Q>,
  change: Change,
  session: string,
  requests: readonly ReceivedRequest<Q>[],
): Promise<Outcome<Oid[]>[]> {
  const own: Change & { token?: Uint8Array | undefined } = { ...change }
  const appender = await work.begin(own, session)
  const outcomes: Outcome<Oid[]>[] = []
  for (const { request, by } of requests) {
    own.token = by && tokenOf(by)
    outcomes.push(await appender.append(request))
  }
  appender.end()
  return outcomes
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
    const database = options.hold?.backend
    const { bulk = false, coalesce = '', actor = '', command = '' } = options
    const key = `${bulk} ${coalesce} ${actor} ${command}`
    let group = this.#waiting
    const mayJoin =
      group?.key === key &&
      group.database === database &&
      group.activity === activityCount &&
      group.requests.length < MAX_REQUESTS
    if (!group || !mayJoin) {
      const requests: Q[] = []
      const outcomes = this.#store.write(options, (change) => {
        this.#close(requests)
        return work(change, requests)
      })
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
