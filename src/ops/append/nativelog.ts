import { viewOf } from '../../formats/registry.ts'
import { encode } from '../../model/encoding/canonical.ts'
import {
  type Digest,
  digestOfBytes,
  type Links,
  mapLinks,
  NO_LINKS,
  oidOfEntry,
} from '../../model/encoding/entry.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { subtract } from '../../model/envelope.ts'
import { SessError } from '../../model/errors.ts'
import { asString, type Json, type JsonObject } from '../../model/json.ts'
import { type LogTotals, TotalsBuilder, withPlainEntry } from '../../model/logtotals.ts'
import type { EntryHandle, NodeLinks } from '../../model/node.ts'
import { promptIn } from '../../model/prompt.ts'
import { partsOfLogId } from '../../model/record.ts'
import type { Encoded } from '../../model/recordencoder.ts'
import { metaRef, nativesRef } from '../../model/refname.ts'
import { builtValue } from '../../model/refs/table.ts'
import type { Coverage } from '../../model/search/searchindex.ts'
import { spell } from '../../model/spelling/jsonspelling.ts'
import { openingOf } from '../../model/spending.ts'
import { type Weight, weightOf } from '../../model/tokens.ts'
import { fromValue } from '../../model/value.ts'
import { traitsOf, type View } from '../../model/view.ts'
import { findRef } from '../../repo/findref.ts'
import type { Reader } from '../../repo/reader.ts'
import type { Change } from '../../repo/repo.ts'
import { type NativeHead, nativeLogs, refValue, type SessionMeta } from '../../repo/session.ts'
import type { Writer } from '../../repo/writeaccess.ts'
import { emptyTarget, nextHash } from '../import/logtarget.ts'
import { PathModels } from '../usage.ts'

/** An entry that is to be stored. */
export interface NativeEntry {
  readonly type: string
  readonly body: Json
  /** The canonical bytes of the body, to be kept. */
  readonly canonical: Uint8Array
  readonly view: View
  readonly parents: readonly EntryHandle[]
  /** The oids of the parents, where they are at hand. */
  readonly parentOids?: readonly Oid[]
  readonly links?: NodeLinks
}

/** Returns a value of a caller as a body: whatever JSON cannot hold is replaced or left out. */
export const bodyFrom = (value: object): JsonObject => fromValue(value) as JsonObject

/** An entry that is stored. */
export interface StoredEntry {
  readonly oid: Oid
  readonly handle: EntryHandle
  readonly weight: Weight
}

/** Stores an entry unless it is there, and returns its oid and handle. Its relatives must be there. */
export async function addEntry(
  { reader, writer }: Pick<Change, 'reader' | 'writer'>,
  entry: NativeEntry,
): Promise<StoredEntry> {
  const { canonical, links, parentOids = await oidsOf(reader, entry.parents) } = entry
  const named = links ? await mapLinks(links, (handle) => reader.oid(handle)) : NO_LINKS
  return storeEntry(writer, entry, { digest: digestOfBytes(canonical), parents: parentOids, links: named })
}

async function oidsOf(reader: Pick<Reader, 'oid'>, entries: readonly EntryHandle[]): Promise<Oid[]> {
  const oids: Oid[] = []
  for (const entry of entries) oids.push(await reader.oid(entry))
  return oids
}

/** The hashes that an entry's oid covers. */
export interface EntryHashes {
  readonly digest: Digest
  readonly parents: readonly Oid[]
  readonly links?: Links
}

/** Stores an entry whose hashes are known, without waiting. */
export function storeEntry(
  writer: Pick<Writer, 'addEntry'>,
  entry: Omit<NativeEntry, 'canonical'> & { readonly canonical?: Uint8Array; readonly encoded?: Encoded },
  { digest, parents: parentOids, links: linkOids = NO_LINKS }: EntryHashes,
): StoredEntry {
  const { type, body, canonical, encoded, view, parents, links = {} } = entry
  const oid = oidOfEntry({ parents: parentOids, type, digest, links: linkOids })
  const weight = weightOf(view)
  const handle = writer.addEntry({
    oid,
    type,
    parents,
    links,
    digest,
    traits: traitsOf(view),
    weight,
    body,
    ...(canonical && { canonical }),
    encoded,
  })
  return { oid, handle, weight }
}

/** An entry to append, with the fields of its record. */
export interface NativeAppend extends Omit<NativeEntry, 'canonical' | 'view'> {
  /** The canonical bytes of the body, where they are at hand. */
  readonly canonical?: Uint8Array
  /** The time of its record, in milliseconds since 1970; now by default. */
  readonly time?: number
  /** Its id in the system whose session this is. */
  readonly native?: string
  /** The value of the record, with the body at the path `at`, which is empty by default. */
  readonly value?: Json
  readonly at?: readonly string[]
  /** Whether it is a copy of an entry: its usage is not counted again. */
  readonly again?: boolean
}

/** A record without an entry. */
export interface NativeNote extends Pick<NativeAppend, 'time' | 'native'> {
  readonly value: Json
}

/** The fields of a record, with the body of its entry if it has one. */
type RecordFields = Pick<NativeAppend, 'native' | 'value' | 'at'> & { readonly body?: Json }

/** An entry that was appended. */
export interface AppendedEntry extends StoredEntry {
  readonly view: View
}

const utf8 = new TextEncoder()
const NOTHING = new Uint8Array(0)
const NO_CONTENT = { raw: [] }

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

function withoutUsage(view: View): View {
  const { usage: _, ...free } = view
  return free
}

/** An entry that is counted. */
interface CountedAppend extends Pick<StoredEntry, 'oid' | 'weight'> {
  readonly parent: EntryHandle | undefined
  readonly time: number
  /** Whether the store had it before. */
  readonly isStored: boolean
}

/** The number of records after which buffers are written. */
const FLUSH = 256

/**
 * Appends entries and records to the native log of a session within one transaction; entries may have any parents. Moves
 * no branch: the caller does. `end` moves the head of the log.
 */
export class NativeLog {
  readonly #change: Change
  readonly #session: string
  readonly #meta: JsonObject
  /** Whether this transaction creates the session. */
  readonly #fresh: boolean
  readonly #before: NativeHead | undefined
  #next: Mutable<NativeHead> | undefined
  /** The totals of its entries: of the first ones, and of all from the first on that changes more than two counts. */
  #plainTotals: LogTotals = {}
  #totals: TotalsBuilder | undefined
  #prompt: string | undefined
  /** The entries that were added. */
  readonly #entries: EntryHandle[] = []

  private constructor(
    change: Change,
    session: string,
    meta: JsonObject,
    about: { readonly before?: NativeHead | undefined; readonly fresh: boolean },
  ) {
    this.#change = change
    this.#session = session
    this.#meta = meta
    this.#before = about.before
    this.#fresh = about.fresh
    this.#prompt = asString(meta.prompt)
  }

  /** Opens the log of a session. Throws `no-session`. */
  static async begin(change: Change, session: string): Promise<NativeLog> {
    const { reader } = change
    // By single gets: a scan would wait until everything written before this is durable.
    const meta = await findRef(reader, metaRef(session))
    if (!meta) throw new SessError('no-session', session)
    const before = await findRef(reader, nativesRef(session, reader.writer))
    return new NativeLog(change, session, meta, { before, fresh: false })
  }

  /** Opens the log of a new session: `end` writes its metadata too. */
  static create(change: Change, session: string, meta: SessionMeta): NativeLog {
    return new NativeLog(change, session, refValue(meta) as JsonObject, { fresh: true })
  }

  /** Adds an entry and its record. Its relatives must be there. */
  async add(growing: NativeAppend): Promise<AppendedEntry> {
    const next = await this.#open()
    const { type, body, canonical = encode(body), parents } = growing
    const view = viewOf(type, body, growing.value)
    const before = this.#change.writer.created.entries
    const { oid, handle, weight } = await addEntry(this.#change, { ...growing, canonical, view })
    const isStored = this.#change.writer.created.entries === before
    const time = growing.time ?? this.#change.env.now()
    this.#record(next, growing, oid, handle, time)
    next.entries++
    const counted = { oid, weight, parent: parents[0], time, isStored }
    await this.#count(growing.again ? withoutUsage(view) : view, counted)
    this.#prompt ??= promptIn(view)
    this.#entries.push(handle)
    if (next.count % FLUSH === 0) await this.#change.writer.flush()
    return { oid, handle, weight, view }
  }

  async note(noted: NativeNote): Promise<void> {
    const next = await this.#open()
    this.#record(next, noted, null, undefined, noted.time ?? this.#change.env.now())
    if (next.count % FLUSH === 0) await this.#change.writer.flush()
  }

  async #count(view: View, counted: CountedAppend): Promise<void> {
    const { usage, sets, role } = view
    const { weight, parent, time, isStored } = counted
    const opening = await this.#openingOf(usage !== undefined, counted)
    const isShared = isStored && (usage !== undefined || role === 'assistant')
    const isPlain = usage === undefined && !sets?.model && opening === undefined && !isShared
    if (isPlain && !this.#totals) {
      this.#plainTotals = withPlainEntry(this.#plainTotals, weight)
      return
    }
    this.#totals ??= new TotalsBuilder(this.#plainTotals)
    const isNeeded = usage !== undefined && !sets?.model
    const model = isNeeded ? await new PathModels(this.#change.reader).at(parent) : undefined
    this.#totals.add(view, model, time)
    if (isShared) this.#totals.join()
    if (opening !== undefined) this.#totals.open(openingOf(opening))
  }

  /** Returns the opening that an entry adds, if any: see `Spending`. */
  async #openingOf(hasUsage: boolean, { oid, weight, parent }: CountedAppend): Promise<Oid | undefined> {
    const isPrompt = weight.prompts > 0
    if (!isPrompt && !hasUsage) return undefined
    const { reader } = this.#change
    let node = parent === undefined ? undefined : await reader.node(parent)
    if (node && node.weight.prompts > 0) return undefined
    if (isPrompt || !node) return oid
    while (node.depth > 0) node = await reader.node(node.jump)
    return node.oid
  }

  #record(
    next: Mutable<NativeHead>,
    recorded: RecordFields,
    oid: Oid | null,
    entry: EntryHandle | undefined,
    time: number,
  ): void {
    const { native, value, body, at } = recorded
    const { token } = this.#change
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

  /** Returns the head that is to be. */
  async #open(): Promise<Mutable<NativeHead>> {
    if (this.#next) return this.#next
    const next = await this.#head()
    this.#plainTotals = next.summary ?? {}
    return (this.#next = next)
  }

  /**
   * Returns the head of the log to append to. That is a new log where records after the head were undone, and where a
   * repair has recovered the records into a log of another writer.
   */
  async #head(): Promise<Mutable<NativeHead>> {
    const { reader, writer } = this.#change
    const head = this.#before
    if (!head) return { ...emptyTarget(writer.newLog()), entries: 0, updated: null }
    const isOwn = partsOfLogId(head.log)[0] === reader.writer
    if (isOwn && (await reader.logLength(head.log)) === head.count) return { ...head }
    return { ...head, log: writer.newLog(), count: 0, earlier: nativeLogs(head) }
  }

  /** The facts about added entries that the search index keeps. */
  get coverage(): Coverage {
    return { entries: this.#entries, time: this.#next?.updated ?? null }
  }

  /**
   * Moves the head of the log if anything was added. `covered` promises that the refs of the session reach, after this
   * transaction, only entries that they reached before, that were added or that are covered; a search then needs no paths.
   */
  end(covered?: readonly Coverage[]): void {
    const { reader, move, cover } = this.#change
    const prompt = this.#prompt === undefined ? {} : { prompt: this.#prompt }
    if (this.#fresh) move(metaRef(this.#session), undefined, { ...this.#meta, ...prompt })
    if (this.#next === undefined) return
    for (const coverage of covered ? [...covered, { entries: this.#entries }] : [])
      cover(this.#session, coverage)
    const before = this.#before
    const summary = this.#totals?.totals ?? this.#plainTotals
    const name = nativesRef(this.#session, reader.writer)
    move(name, before, builtValue(name, refValue({ ...this.#next, ...(summary && { summary }) })))
    if (!this.#fresh && this.#prompt !== undefined && this.#meta.prompt === undefined)
      move(metaRef(this.#session), this.#meta, { ...this.#meta, ...prompt })
  }
}
