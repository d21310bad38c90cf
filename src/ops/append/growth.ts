import { viewOf } from '../../formats/registry.ts'
import { encode } from '../../model/canonical.ts'
import { type Digest, digestOfBytes, type Links, mapLinks, NO_LINKS, oidOfEntry } from '../../model/entry.ts'
import { subtract } from '../../model/envelope.ts'
import { SessError } from '../../model/errors.ts'
import { asString, isObject, type Json, type JsonObject } from '../../model/json.ts'
import type { EntryHandle, NodeLinks } from '../../model/node.ts'
import type { Oid } from '../../model/oid.ts'
import { partsOfLogId } from '../../model/record.ts'
import type { Encoded } from '../../model/recordencoder.ts'
import { metaRef, nativeLogRef, nativesRef } from '../../model/refname.ts'
import type { Coverage } from '../../model/searchindex.ts'
import { spell } from '../../model/spelling.ts'
import { NO_SUMMARY, promptIn, withView } from '../../model/summary.ts'
import { fromValue } from '../../model/value.ts'
import { traitsOf, type View } from '../../model/view.ts'
import { weightOf } from '../../model/weight.ts'
import type { Env } from '../../repo/env.ts'
import type { Change, Repo } from '../../repo/repo.ts'
import { type NativeHead, nativeLogs, refValue, type SessionMeta } from '../../repo/session.ts'
import type { Writer } from '../../repo/writeaccess.ts'
import { emptyTarget, nextHash } from '../import/logtarget.ts'

/** An entry that is to be stored. */
export interface NewEntry {
  readonly type: string
  readonly body: Json
  /** The canonical bytes of the body, to be kept. */
  readonly canonical: Uint8Array
  readonly view: View
  readonly parents: readonly EntryHandle[]
  readonly links?: NodeLinks
}

/** Gives a body of what a caller said as JSON: half a surrogate pair, say, or a value that is none. */
export const bodyOf = (said: object): JsonObject => fromValue(said) as JsonObject

/** An entry that is stored. */
export interface Added {
  readonly oid: Oid
  readonly handle: EntryHandle
}

type Into = Pick<Change, 'reader' | 'writer'>

/** Stores an entry unless it is there, and returns its oid and handle. Its relatives must be there. */
export async function addEntry({ reader, writer }: Into, entry: NewEntry): Promise<Added> {
  const { canonical, parents, links = {} } = entry
  const oids: Oid[] = []
  for (const parent of parents) oids.push(await reader.oid(parent))
  const named = await mapLinks(links, (handle) => reader.oid(handle))
  return storeEntry(writer, entry, { digest: digestOfBytes(canonical), parents: oids, links: named })
}

/** The hashes that an entry's oid covers. */
export interface EntryHashes {
  readonly digest: Digest
  readonly parents: readonly Oid[]
  readonly links?: Links
}

/** Does the same at once, where the hashes are known. */
export function storeEntry(
  writer: Pick<Writer, 'addEntry'>,
  entry: Omit<NewEntry, 'canonical'> & { readonly canonical?: Uint8Array; readonly encoded?: Encoded },
  { digest, parents: parentOids, links: linkOids = NO_LINKS }: EntryHashes,
): Added {
  const { type, body, canonical, encoded, view, parents, links = {} } = entry
  const oid = oidOfEntry({ parents: parentOids, type, digest, links: linkOids })
  const handle = writer.addEntry({
    oid,
    type,
    parents,
    links,
    digest,
    traits: traitsOf(view),
    weight: weightOf(view),
    body,
    ...(canonical && { canonical }),
    encoded,
  })
  return { oid, handle }
}

/** An entry that a session is to have, and what its record says besides. */
export interface Growing {
  readonly type: string
  readonly body: Json
  /** The canonical bytes of the body, where they are at hand. */
  readonly canonical?: Uint8Array
  readonly parents: readonly EntryHandle[]
  readonly links?: NodeLinks
  /** When it was said, in milliseconds since 1970: now unless given. */
  readonly time?: number
  /** The id that it has in a system that the session is kept for. */
  readonly native?: string
  /** What the record keeps besides the body: a value in which the body stands at `at`, at the top unless said. */
  readonly value?: Json
  readonly at?: readonly string[]
  /** Whether it was said elsewhere before: what it took is not counted again. */
  readonly again?: boolean
  /** What tells a record, without a value, that another process asked for: to find it where its answer was lost. */
  readonly token?: Uint8Array
}

/** What a record says that carries no entry. */
export interface Noted extends Pick<Growing, 'time' | 'native'> {
  readonly value: Json
}

/** What a record says of the entry that it carries, if any. */
type Recorded = Pick<Growing, 'native' | 'value' | 'at' | 'token'> & { readonly body?: Json }

/** An entry that a session has now. */
export interface Grown {
  readonly oid: Oid
  readonly handle: EntryHandle
  readonly view: View
}

const utf8 = new TextEncoder()
const NOTHING = new Uint8Array(0)
const NO_CONTENT = { raw: [] }

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

/** Gives a view without what it took. */
function unused(view: View): View {
  const { usage: _, ...free } = view
  return free
}

/** Each time that as many records were added, what is buffered is written. */
const FLUSH = 256

/**
 * Adds entries of a session's own within one piece of work, wherever in its tree they hang, each with a record in its
 * log of native appends. No branch moves by it: that is said beside it. Once all are added, `end` moves the head of
 * the log.
 */
export class Growth {
  readonly #env: Env
  readonly #change: Change
  readonly #session: string
  readonly #meta: JsonObject
  /** Whether the session is made by this piece of work. */
  readonly #fresh: boolean
  readonly #before: NativeHead | undefined
  #next: Mutable<NativeHead> | undefined
  #prompt: string | undefined
  /** The entries that were added. */
  readonly #entries: EntryHandle[] = []

  private constructor(
    env: Env,
    change: Change,
    session: string,
    meta: JsonObject,
    about: { readonly before?: NativeHead | undefined; readonly fresh: boolean },
  ) {
    this.#env = env
    this.#change = change
    this.#session = session
    this.#meta = meta
    this.#before = about.before
    this.#fresh = about.fresh
    this.#prompt = asString(meta.prompt)
  }

  /** Begins to add to a session. Throws `no-session`. */
  static async begin({ env }: Pick<Repo, 'env'>, change: Change, session: string): Promise<Growth> {
    const { reader } = change
    // By single gets: a scan would wait until everything written before this is durable.
    const meta = await reader.ref(metaRef(session))
    if (!isObject(meta)) throw new SessError('no-session', session)
    const before = (await reader.ref(nativeLogRef(session))) as NativeHead | undefined
    return new Growth(env, change, session, meta, { before, fresh: false })
  }

  /** Begins to add to a session that is made by it: `end` writes its description too. */
  static create({ env }: Pick<Repo, 'env'>, change: Change, session: string, meta: SessionMeta): Growth {
    return new Growth(env, change, session, refValue(meta) as JsonObject, { fresh: true })
  }

  /** Adds an entry and its record. Its relatives must be there. */
  async add(growing: Growing): Promise<Grown> {
    const next = (this.#next ??= await this.#head())
    const { type, body, canonical = encode(body), parents, links } = growing
    const view = viewOf(type, body, growing.value)
    const entry = { type, body, canonical, view, parents, ...(links && { links }) }
    const { oid, handle } = await addEntry(this.#change, entry)
    this.#record(next, growing, oid, handle, growing.time ?? this.#env.now())
    next.entries++
    next.summary = withView(next.summary ?? NO_SUMMARY, growing.again ? unused(view) : view)
    this.#prompt ??= promptIn(view)
    this.#entries.push(handle)
    if (next.count % FLUSH === 0) await this.#change.writer.flush()
    return { oid, handle, view }
  }

  /** Adds a record that carries no entry. */
  async note(noted: Noted): Promise<void> {
    const next = (this.#next ??= await this.#head())
    this.#record(next, noted, null, undefined, noted.time ?? this.#env.now())
    if (next.count % FLUSH === 0) await this.#change.writer.flush()
  }

  /** Adds a record, and moves the head of the log behind it. */
  #record(
    next: Mutable<NativeHead>,
    recorded: Recorded,
    oid: Oid | null,
    entry: EntryHandle | undefined,
    time: number,
  ): void {
    const { native, value, body, at, token } = recorded
    const envelope = { time, ...(native !== undefined && { native: native.toWellFormed() }) }
    const raw = token ? { raw: [token] } : NO_CONTENT
    const content = value === undefined ? raw : { ...subtract(value, body, at), spelling: '' }
    const bytes = value === undefined ? (token ?? NOTHING) : utf8.encode(spell(value, ''))
    const record = { entry, tip: entry, ...envelope, lead: NOTHING, content }
    this.#change.writer.appendRecord(next.log, next.count, record)
    next.hash = nextHash(next.hash, oid, envelope, bytes)
    next.count++
    next.updated = time
  }

  /**
   * Returns the head of the log that records go to. A log that goes on after its head, because records were undone, is
   * left for a new one; so is the log of another writer, which a copy of a store folder finds in the place of its own.
   */
  async #head(): Promise<Mutable<NativeHead>> {
    const { reader, writer } = this.#change
    const before = this.#before
    const head = before && this.#isOwn(before) ? before : undefined
    if (!head) return { ...emptyTarget(writer.newLog()), entries: 0, updated: null }
    const length = await reader.logLength(head.log)
    if (length === head.count) return { ...head }
    return { ...head, log: writer.newLog(), count: 0, earlier: nativeLogs(head) }
  }

  #isOwn({ log }: NativeHead): boolean {
    return partsOfLogId(log)[0] === this.#change.reader.writer
  }

  /**
   * Moves the head of the log, where anything was added. With `covered`, all entries that the session's refs reach by this
   * piece of work were reached before, were added or are covered: a search need not take whole paths for them.
   */
  end(covered?: readonly Coverage[]): void {
    const { move, cover } = this.#change
    const prompt = this.#prompt === undefined ? {} : { prompt: this.#prompt }
    if (this.#fresh) move(metaRef(this.#session), undefined, { ...this.#meta, ...prompt })
    if (this.#next === undefined) return
    for (const coverage of covered ? [...covered, { entries: this.#entries }] : [])
      cover(this.#session, coverage)
    const before = this.#before
    move(nativeLogRef(this.#session), before, refValue(this.#next))
    if (before && !this.#isOwn(before))
      move(nativesRef(this.#session, partsOfLogId(before.log)[0]), undefined, refValue(before))
    if (!this.#fresh && this.#prompt !== undefined && this.#meta.prompt === undefined)
      move(metaRef(this.#session), this.#meta, { ...this.#meta, ...prompt })
  }
}
