import type { Oid } from '../model/encoding/oid.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { CallContext } from './call.ts'
import type { Attempt, Requester } from './lease/delegate.ts'
import type { Reader } from './reader.ts'
import { readRecords } from './records.ts'
import { type Outcome, RequestGroups } from './requestgroups.ts'
import { getSession, nativeLogs } from './session.ts'
import type { Change, WriteOptions } from './writeaccess.ts'

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

/** The open store that is appended to, as all calls share it. */
interface AppendStore {
  readonly activityCount: number
  read<T>(work: (reader: Reader) => Promise<T>): Promise<T>
  write: ConstructorParameters<typeof RequestGroups>[0]['write']
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

  /** Appends for another process. `database` is the one that was open when the request arrived. */
  async appendFor<Q extends QueuedAppend>(
    work: AppendWork<Q>,
    asked: Json,
    database: object | undefined,
  ): Promise<Oid[]> {
    const { token, again, command, actor, ...request } = asked as JsonObject & Requester
    const by = { token, again, command, actor }
    return this.#appendHere(work, work.check(request), { database, by }, by)
  }

  async #appendHere<Q extends QueuedAppend>(
    work: AppendWork<Q>,
    request: Q,
    { database, by }: { readonly database: object | undefined; readonly by?: Requester | undefined },
    { command, actor }: Caller,
  ): Promise<Oid[]> {
    const { session, entries } = request
    if (by?.again) {
      const before = await this.#findAppended(session, tokenOf(by), entries.length)
      if (before) return before
    }
    const bulk = entries.length >= PACK_FROM
    const coalesce = `append ${session}`
    const options: WriteOptions = { coalesce, bulk, gathers: !bulk, database, command, actor }
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
