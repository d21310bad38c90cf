import { encode } from '../../model/canonical.ts'
import { SessError } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { Oid } from '../../model/oid.ts'
import { headRef } from '../../model/refname.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { type Head, ON_MAIN } from '../../repo/session.ts'
import { indexLater } from '../index.ts'
import { Growth } from './growth.ts'
import { type Place, placeOf } from './place.ts'
import type { Outcome } from './together.ts'

/** An entry to append: its type, `sess/message` unless given, and its body. A `sess/message` has a role and a content. */
export type Append = {
  readonly type?: string
  readonly body: Json
}

/** From as many entries on a request is packed into pages at once. */
export const PACK_FROM = 16

/** A request to append entries to a session. */
export interface Request {
  readonly entries: readonly Required<Append>[]
  /** The tip that is expected, null for none. */
  readonly expected: Oid | null | undefined
  /** The branch, where it is not the one that the session stands on. */
  readonly branch: string | undefined
  /** Identifies the request of another process in its records. */
  readonly token: Uint8Array | undefined
}

/** Appends what was requested, in order, and returns the oids of each request, or why it was refused. */
export async function appendRequests(
  repo: Repo,
  change: Change,
  session: string,
  requests: readonly Request[],
): Promise<Outcome<Oid[]>[]> {
  const growth = await Growth.begin(repo, change, session)
  await indexLater(repo, change.reader, change.writer)
  const head = ((await change.reader.ref(headRef(session))) as Head | undefined) ?? ON_MAIN
  const appender = new Appender(change, session, growth, head)
  const outcomes: Outcome<Oid[]>[] = []
  for (const request of requests) outcomes.push(await appender.append(request))
  appender.end()
  return outcomes
}

/** A branch, or a detached HEAD, and its tip with everything that was appended before. */
interface Target {
  readonly place: Place
  tip: Place['tip']
}

/** Appends to the branches of a session, and moves them once everything is there. */
class Appender {
  readonly #change: Change
  readonly #session: string
  readonly #growth: Growth
  readonly #head: Head
  readonly #targets = new Map<string, Target | undefined>()

  constructor(change: Change, session: string, growth: Growth, head: Head) {
    this.#change = change
    this.#session = session
    this.#growth = growth
    this.#head = head
  }

  async append(request: Request): Promise<Outcome<Oid[]>> {
    const session = this.#session
    const name = request.branch ?? ('branch' in this.#head ? this.#head.branch : '')
    const target = await this.#target(name)
    if (!target) return { error: new SessError('no-branch', `${session}/${name}`) }
    const { expected, token } = request
    const tip = target.tip?.oid ?? null
    if (expected !== undefined && tip !== expected) {
      const detail = `expected ${expected ?? 'no entry'}, found ${tip ?? 'no entry'}`
      return { error: new SessError('conflict', session, { detail }) }
    }
    const encoded = encodeEntries(request)
    if ('error' in encoded) return encoded
    const oids: Oid[] = []
    for (const entry of encoded.value) {
      const parents = target.tip ? [target.tip.handle] : []
      const { oid, handle } = await this.#growth.add({ ...entry, parents, ...(token && { token }) })
      target.tip = { oid, handle }
      oids.push(oid)
    }
    return { value: oids }
  }

  async #target(name: string): Promise<Target | undefined> {
    if (this.#targets.has(name)) return this.#targets.get(name)
    const place = await placeOf(this.#change.reader, this.#session, name, this.#head)
    const target = place && { place, tip: place.tip }
    this.#targets.set(name, target)
    return target
  }

  /** Moves the branches that were appended to. */
  end(): void {
    for (const target of this.#targets.values())
      if (target?.tip && target.tip !== target.place.tip)
        this.#change.move(target.place.ref, target.place.before, target.place.holds(target.tip.oid))
    this.#growth.end([])
  }
}

type Encoded = Required<Append> & { readonly canonical?: Uint8Array }

/**
 * Returns the entries of a request with their canonical bytes, or why one has none: before any is added, because an error
 * while adding fails all requests. Many entries of this process, which were checked when they were read, are encoded as
 * they are added: the bytes of all of them would stay in memory.
 */
function encodeEntries({ entries, token }: Request): Outcome<readonly Encoded[]> {
  if (entries.length >= PACK_FROM && !token) return { value: entries }
  try {
    return { value: entries.map(({ type, body }) => ({ type, body, canonical: encode(body) })) }
  } catch (error) {
    return { error }
  }
}
