import type { Awaitable } from '../../model/async.ts'
import { encode } from '../../model/encoding/canonical.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import { headRef, metaRef } from '../../model/refname.ts'
import { uuid7 } from '../../model/uuid.ts'
import { findRef } from '../../repo/findref.ts'
import type { Requester } from '../../repo/lease/delegate.ts'
import { readRecords } from '../../repo/records.ts'
import type { Change, Repo, WriteOptions } from '../../repo/repo.ts'
import { getSession, type Head, nativeLogs, ON_MAIN, refValue, type SessionMeta } from '../../repo/session.ts'
import { listenersOf } from '../events.ts'
import { indexLater } from '../indexing.ts'
import { type BranchTarget, targetOf } from './branchtarget.ts'
import { NativeLog } from './nativelog.ts'
import { type Append, type AppendRequest, type AppendTo, check, type TypedAppend } from './request.ts'

/** The title of a new session and the folder that it belongs to. */
export interface NewSession {
  readonly title?: string
  /** The working directory of the store's environment by default. */
  readonly cwd?: string
}

/** Creates an empty session and returns its id, a UUID of version 7. */
export async function createSession(repo: Repo, { title, cwd }: NewSession = {}): Promise<string> {
  return repo.write({}, (change) => {
    const id = uuid7(repo.env)
    const now = repo.env.now()
    const meta: SessionMeta = {
      format: 'sess',
      title: title?.toWellFormed() ?? null,
      cwd: (cwd ?? repo.env.cwd).toWellFormed(),
      created: now,
      native: null,
      path: null,
    }
    change.move(metaRef(id), undefined, refValue(meta))
    return id
  })
}

/**
 * Appends entries to a session, or to a branch of it, one after the other, and returns their oids once they are durable.
 * With `expected`, the tip must be that oid, or none when null: otherwise throws `conflict` with both, and appends
 * nothing. Throws `no-session`, `no-branch` for a branch that does not exist, and `cancelled`.
 */
export async function append(
  repo: Repo,
  session: string,
  entries: readonly Append[],
  to: AppendTo = {},
): Promise<Oid[]> {
  const checked = entries.map(check)
  const listeners = listenersOf(repo)
  const event = { session, branch: to.branch ?? null }
  if (listeners.has('before-append')) await listeners.permit('before-append', { ...event, entries: checked })
  const request = { ...to, session, entries: checked }
  const oids = await (repo.terms ? appendAlone(repo, request) : appendDelegated(repo, request))
  if (listeners.has('append')) await listeners.emit('append', { ...event, oids })
  return oids
}

/** Appends in a write of its own, in this process: the terms of a call hold for one request. */
async function appendAlone(repo: Repo, request: AppendRequest): Promise<Oid[]> {
  const { session, entries } = request
  const how = { bulk: entries.length >= PACK_FROM }
  const [outcome] = await repo.write(how, (change) =>
    appendAll(repo, change, session, [{ request, by: undefined }]),
  )
  if (!outcome || 'error' in outcome) throw outcome?.error
  return outcome.value
}

/** Appends where the database is: in this process, or in the one that holds it, which calls `appendFor`. */
async function appendDelegated(repo: Repo, request: AppendRequest): Promise<Oid[]> {
  const work = repo.delegate<Oid[]>('append', request)
  try {
    for (;;) {
      const step = await work.next()
      if ('done' in step) return step.done
      const outcome = await work.outcome(appendHere(repo, request, step.database, step.by))
      if (outcome) return outcome.done
    }
  } finally {
    work.end()
  }
}

/**
 * Appends for another process. An invalid entry or branch name is refused here: the request may share one write with
 * others, which would all fail.
 */
export function appendFor(repo: Repo, asked: Json, database: object | undefined): Promise<Oid[]> {
  const { token, again, command, actor, ...request } = asked as AppendRequest & Requester
  const { session, entries, branch } = request
  if (!Array.isArray(entries)) throw new SessError('bad-entry', 'the request has no entries')
  if (branch !== undefined && typeof branch !== 'string')
    throw new SessError('no-branch', `${session}/${JSON.stringify(branch)}`)
  const checked = (entries as readonly Append[]).map(check)
  return appendHere(repo, { ...request, entries: checked }, database, { token, again, command, actor })
}

/** The number of entries from which on a request is packed into pages at once. */
const PACK_FROM = 16

/** Appends with the database at hand; once only, where the answer to a requester was lost before. */
async function appendHere(
  repo: Repo,
  request: AppendRequest,
  database: object | undefined,
  by?: Requester,
): Promise<Oid[]> {
  const { session, entries } = request
  if (by?.again) {
    const before = await appendedBefore(repo, session, tokenOf(by), entries.length)
    if (before) return before
  }
  const bulk = entries.length >= PACK_FROM
  const { command, actor } = by ?? repo.caller
  const how = { bulk, gathers: !bulk, database, command, actor }
  return inGroup(repo.root, { coalesce: `append ${session}`, ...how }, { request, by }, (change, all) =>
    appendAll(repo, change, session, all),
  )
}

const tokenOf = ({ token }: Requester): Uint8Array => Buffer.from(token, 'hex')

/** The number of newest records that are searched for a token. */
const LOOK_BACK = 20_000

/** Returns the oids of the entries whose records have a token, undefined unless they are all there. */
function appendedBefore(
  repo: Repo,
  session: string,
  token: Uint8Array,
  count: number,
): Promise<Oid[] | undefined> {
  return repo.read(async (reader) => {
    const { natives } = await getSession(reader, session)
    const oids: Oid[] = []
    let left = LOOK_BACK
    for (const [log, end] of [...natives.values()].flatMap(nativeLogs))
      for await (const [, { entry, content }] of readRecords(
        reader,
        log,
        Math.max(0, end - left),
        end,
        true,
      )) {
        left--
        const [raw] = 'raw' in content ? content.raw : []
        const isOne = raw instanceof Uint8Array && Buffer.compare(raw, token) === 0
        if (isOne && entry !== undefined) oids.unshift(await reader.oid(entry))
        else if (oids.length > 0) break
      }
    return oids.length === count && count > 0 ? oids : undefined
  })
}

/** The outcome of one of several requests that share a write. */
export type Outcome<R> = { readonly value: R } | { readonly error: unknown }

interface RequestGroup {
  readonly key: string
  readonly database: object | undefined
  /** The repo's count of activities when the group was made: after another one no request may join. */
  readonly activity: number
  readonly requests: unknown[]
  readonly outcomes: Promise<readonly Outcome<unknown>[]>
}

/** The number of requests that share a write at most, so that none waits long. */
const MOST = 256

/** The group of each repo that waits for its turn. */
const waiting = new WeakMap<Repo, RequestGroup>()

/**
 * Runs a request in one write with those made before and after it with equal options while the write waits for its turn.
 * `work` returns the outcome of each, in their order; where it throws, all of them fail.
 */
export async function inGroup<Q, R>(
  repo: Repo,
  options: WriteOptions,
  request: Q,
  work: (change: Change, requests: readonly Q[]) => Awaitable<readonly Outcome<R>[]>,
): Promise<R> {
  const { bulk = false, coalesce = '', actor = '', command = '' } = options
  const key = `${bulk} ${coalesce} ${actor} ${command}`
  let group = waiting.get(repo)
  const { database } = options
  const mayJoin =
    group?.key === key &&
    group.database === database &&
    group.activity === repo.activityCount &&
    group.requests.length < MOST
  if (!group || !mayJoin) {
    const requests: Q[] = []
    const outcomes = repo.write(options, (change) => {
      close(repo, requests)
      return work(change, requests)
    })
    group = { key, database, activity: repo.activityCount, requests, outcomes }
    waiting.set(repo, group)
  }
  const at = group.requests.push(request) - 1
  try {
    const outcome = (await group.outcomes)[at] as Outcome<R>
    if ('error' in outcome) throw outcome.error
    return outcome.value
  } finally {
    // Also where the write was refused before it began.
    close(repo, group.requests)
  }
}

/** Closes a group: no more requests join it. */
function close(repo: Repo, requests: readonly unknown[]): void {
  if (waiting.get(repo)?.requests === requests) waiting.delete(repo)
}

interface ReceivedRequest {
  readonly request: AppendRequest
  readonly by: Requester | undefined
}

/** Appends the entries of requests in order. Returns the oids of each request, or its error. */
async function appendAll(
  repo: Repo,
  change: Change,
  session: string,
  requests: readonly ReceivedRequest[],
): Promise<Outcome<Oid[]>[]> {
  const nativeLog = await NativeLog.begin(change, session)
  await indexLater(repo, change.reader, change.writer)
  const head = (await findRef(change.reader, headRef(session))) ?? ON_MAIN
  const appender = new Appender(change, session, nativeLog, head)
  const outcomes: Outcome<Oid[]>[] = []
  for (const asked of requests) outcomes.push(await appender.append(asked))
  appender.end()
  return outcomes
}

/** A target and its tip after the appends so far. */
interface OpenTarget {
  readonly place: BranchTarget
  tip: BranchTarget['tip']
}

/** Appends to the branches of a session, and moves them once everything is there. */
class Appender {
  readonly #change: Change
  readonly #session: string
  readonly #nativeLog: NativeLog
  readonly #head: Head
  readonly #targets = new Map<string, OpenTarget | undefined>()

  constructor(change: Change, session: string, nativeLog: NativeLog, head: Head) {
    this.#change = change
    this.#session = session
    this.#nativeLog = nativeLog
    this.#head = head
  }

  async append(asked: ReceivedRequest): Promise<Outcome<Oid[]>> {
    const session = this.#session
    const { branch, expected } = asked.request
    const name = branch ?? ('branch' in this.#head ? this.#head.branch : '')
    const target = await this.#target(name)
    if (!target) return { error: new SessError('no-branch', `${session}/${name}`) }
    const tip = target.tip?.oid ?? null
    if (expected !== undefined && tip !== expected) {
      const detail = `expected ${expected ?? 'no entry'}, found ${tip ?? 'no entry'}`
      return { error: new SessError('conflict', session, { detail }) }
    }
    const encoded = encodeEntries(asked)
    if ('error' in encoded) return encoded
    const token = asked.by && { token: tokenOf(asked.by) }
    const oids: Oid[] = []
    for (const entry of encoded.value) {
      const parents = target.tip ? [target.tip.handle] : []
      const { oid, handle } = await this.#nativeLog.add({ ...entry, parents, ...token })
      target.tip = { oid, handle }
      oids.push(oid)
    }
    return { value: oids }
  }

  async #target(name: string): Promise<OpenTarget | undefined> {
    if (this.#targets.has(name)) return this.#targets.get(name)
    const place = await targetOf(this.#change.reader, this.#session, name, this.#head)
    const target = place && { place, tip: place.tip }
    this.#targets.set(name, target)
    return target
  }

  /** Moves the branches that were appended to. */
  end(): void {
    for (const target of this.#targets.values())
      if (target?.tip && target.tip !== target.place.tip)
        this.#change.move(target.place.ref, target.place.before, target.place.holds(target.tip.oid))
    this.#nativeLog.end([])
  }
}

type EncodedAppend = TypedAppend & { readonly canonical?: Uint8Array }

/**
 * Returns the entries of a request with their canonical bytes, or the error of one that has none: before any is added,
 * because an error while adding fails all requests. Many entries of this process, which were checked when they were read,
 * are encoded as they are added: the bytes of all of them would stay in memory.
 */
function encodeEntries({ request: { entries }, by }: ReceivedRequest): Outcome<readonly EncodedAppend[]> {
  if (entries.length >= PACK_FROM && !by) return { value: entries }
  try {
    return { value: entries.map((entry) => ({ ...entry, canonical: encode(entry.body) })) }
  } catch (error) {
    return { error }
  }
}
