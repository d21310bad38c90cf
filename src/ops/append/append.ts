import { encode } from '../../model/encoding/canonical.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { headRef, metaRef } from '../../model/refname.ts'
import { uuid7 } from '../../model/uuid.ts'
import { type AppendWork, type Outcome, PACK_FROM, type RequestAppender } from '../../repo/appendqueue.ts'
import { findRef } from '../../repo/findref.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { type Head, ON_MAIN, refValue, type SessionMeta } from '../../repo/session.ts'
import { listenersOf } from '../events.ts'
import { indexLater } from '../indexing.ts'
import { type BranchTarget, targetOf } from './branchtarget.ts'
import { NativeLog } from './nativelog.ts'
import {
  type Append,
  type AppendRequest,
  type AppendTo,
  check,
  checkRequest,
  type TypedAppend,
} from './request.ts'

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
  const oids = await repo.appendQueue.append(repo, appendWork(repo.root), request)
  if (listeners.has('append')) await listeners.emit('append', { ...event, oids })
  return oids
}

/** Returns how the requests of this process and of others are appended. */
export const appendWork = (repo: Repo): AppendWork<AppendRequest> => ({
  check: checkRequest,
  begin: (change, session) => Appender.begin(repo, change, session),
})

/** A target and its tip after the appends so far. */
interface OpenTarget {
  readonly place: BranchTarget
  tip: BranchTarget['tip']
}

/** Appends to the branches of a session, and moves them once everything is there. */
class Appender implements RequestAppender<AppendRequest> {
  readonly #change: Change
  readonly #session: string
  readonly #nativeLog: NativeLog
  readonly #head: Head
  readonly #targets = new Map<string, OpenTarget | undefined>()

  private constructor(change: Change, session: string, nativeLog: NativeLog, head: Head) {
    this.#change = change
    this.#session = session
    this.#nativeLog = nativeLog
    this.#head = head
  }

  static async begin(repo: Repo, change: Change, session: string): Promise<Appender> {
    const nativeLog = await NativeLog.begin(change, session)
    await indexLater(repo, change.reader, change.writer)
    const head = (await findRef(change.reader, headRef(session))) ?? ON_MAIN
    return new Appender(change, session, nativeLog, head)
  }

  async append({ branch, expected, entries }: AppendRequest): Promise<Outcome<Oid[]>> {
    const session = this.#session
    const name = branch ?? ('branch' in this.#head ? this.#head.branch : '')
    const target = await this.#target(name)
    if (!target) return { error: new SessError('no-branch', `${session}/${name}`) }
    const found = target.tip?.oid ?? null
    if (expected !== undefined && found !== expected) {
      const detail = `expected ${expected ?? 'no entry'}, found ${found ?? 'no entry'}`
      return { error: new SessError('conflict', session, { detail }) }
    }
    const isForOther = this.#change.token !== undefined
    const encoded = entries.length >= PACK_FROM && !isForOther ? { value: entries } : encodeEntries(entries)
    if ('error' in encoded) return encoded
    const oids: Oid[] = []
    for (const entry of encoded.value) {
      const { tip } = target
      const above = tip ? { parents: [tip.handle], parentOids: [tip.oid] } : { parents: [] }
      const { oid, handle } = await this.#nativeLog.add({ ...entry, ...above })
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
    this.#change.coverAll(this.#session, this.#nativeLog.coverage)
    this.#nativeLog.end()
  }
}

type EncodedAppend = TypedAppend & { readonly canonical?: Uint8Array }

/**
 * Returns the entries of a request with their canonical bytes, or the error of one that has none: before any is added,
 * because an error while adding fails all requests. Many entries of this process, which were checked when they were read,
 * are encoded as they are added: the bytes of all of them would stay in memory.
 */
function encodeEntries(entries: readonly TypedAppend[]): Outcome<readonly EncodedAppend[]> {
  try {
    return { value: entries.map((entry) => ({ ...entry, canonical: encode(entry.body) })) }
  } catch (error) {
    return { error }
  }
}
