import type { Base, Format, Inherited } from '../../formats/core/format.ts'
import { viewOf } from '../../formats/registry.ts'
import { defined, type Json } from '../../model/json.ts'
import { type EntryHandle, NEAR } from '../../model/node.ts'
import type { LogId } from '../../model/record.ts'
import { SETS_MODEL, type Usage } from '../../model/view.ts'
import { sharedLogs } from '../../repo/listedspending.ts'
import type { Reader } from '../../repo/reader.ts'
import { bytesOfRecord, readHeaders, readRecords, valueAt, valueOf } from '../../repo/records.ts'
import {
  findMeta,
  findSession,
  type LogPrefixes,
  type SessionMeta,
  type SessionState,
  type SourceHead,
  type SourceOrigin,
} from '../../repo/session.ts'
import type { SessionIds } from './sessionids.ts'

/** The base of a source, found in a session. */
export interface FoundBase {
  readonly session: string
  /** The entry on which the source stands; undefined before the first entry. */
  readonly entry: EntryHandle | undefined
  /** The logs with the records of its path, the newest log first. */
  readonly logs: LogPrefixes
  readonly inherited: Inherited
}

/** A base, or why there is none: the store lacks it, or it refers to the source itself. */
export type BaseSearch = FoundBase | 'missing' | 'circle'

/** A position in the log of a session's source. */
interface LogPosition {
  readonly session: SessionState
  readonly source: SourceHead
  /** The number of records that are inherited. */
  readonly count: number
  readonly entry: EntryHandle | undefined
}

type IdLists = ReadonlyMap<string, readonly string[]>

/** Returns the id by which other sources refer to the file of a session. */
export const pageOf = (id: string, { page, native }: Pick<SessionMeta, 'page' | 'native'>): string =>
  page ?? native ?? id

/** Finds the places in other sessions at which sources begin, as they were before a unit of work. */
export class BaseFinder {
  readonly #reader: Reader
  readonly #ids: SessionIds
  /** The ids of all sessions by the ids of their files and of the sessions that started them, once they were needed. */
  #all: { readonly pages: IdLists; readonly parents: IdLists } | undefined
  /** The positions of records by their native ids, of the log that was searched last. */
  #natives:
    | { readonly log: LogId; readonly count: number; readonly positions: ReadonlyMap<string, number> }
    | undefined

  constructor(reader: Reader, ids: SessionIds) {
    this.#reader = reader
    this.#ids = ids
  }

  /** Finds the base of a source of a format; `page` is the id by which others refer to the source. */
  async find(base: Base, format: Format, page: string): Promise<BaseSearch> {
    for await (const holder of this.#candidatesFor(base, format)) {
      if (await this.#leadsTo(holder, page, format)) return 'circle'
      const found = await this.#positionIn(holder, base, format)
      if (found) return this.#foundAt(found, format)
    }
    return 'missing'
  }

  /** Returns whether the store has a session that a base names. */
  async isStored({ session }: Base, format: Format): Promise<boolean> {
    return (await this.#holdersOf(session, format)).length > 0
  }

  /** Yields the sessions that may hold a base: those that it names, then for an id of a record the sub-agents of these. */
  async *#candidatesFor({ session, native }: Base, format: Format): AsyncGenerator<SessionState> {
    const named = await this.#holdersOf(session, format)
    yield* named
    if (native === undefined || named.length === 0) return
    const { parents } = await this.#allSessions()
    const asked = new Set([session])
    for (const parent of asked)
      for (const id of parents.get(parent) ?? []) {
        const started = asked.has(id) ? undefined : await findSession(this.#reader, id)
        if (!started || started.meta.format !== format.name) continue
        asked.add(id)
        yield started
      }
  }

  /** Returns the sessions whose file has an id. */
  async #holdersOf(wanted: string, format: Format): Promise<readonly SessionState[]> {
    const found = new Map<string, SessionState>()
    const add = async (ids: AsyncIterable<string> | Iterable<string>): Promise<void> => {
      for await (const id of ids) {
        const meta = found.has(id) ? undefined : await findMeta(this.#reader, id)
        if (!meta || pageOf(id, meta) !== wanted || meta.format !== format.name) continue
        const session = await findSession(this.#reader, id)
        if (session?.source) found.set(id, session)
      }
    }
    await add(this.#ids.from(wanted))
    if (found.size === 0) await add((await this.#allSessions()).pages.get(wanted) ?? [])
    return [...found.values()]
  }

  async #allSessions(): Promise<{ readonly pages: IdLists; readonly parents: IdLists }> {
    if (this.#all) return this.#all
    const [pages, parents] = [new Map<string, string[]>(), new Map<string, string[]>()]
    const add = (lists: Map<string, string[]>, key: string | undefined, id: string): void => {
      if (key === undefined) return
      const list = lists.get(key)
      if (list) list.push(id)
      else lists.set(key, [id])
    }
    for (const { id } of await this.#reader.index.sessions()) {
      const meta = await findMeta(this.#reader, id)
      add(pages, meta?.page, id)
      add(parents, meta?.parent, id)
    }
    return (this.#all = { pages, parents })
  }

  /** Returns whether a session, by the bases that it and its bases name, goes back to a file. */
  async #leadsTo(holder: SessionState, page: string, format: Format): Promise<boolean> {
    const seen = new Set<string>()
    const open: SessionState[] = [holder]
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (pageOf(at.id, at.meta) === page) return true
      const origin = at.source?.origin
      if (seen.has(at.id) || origin === undefined) continue
      seen.add(at.id)
      open.push(...(await this.#holdersOf(origin.session, format)))
    }
    return false
  }

  /** Returns the position that a base names in the source of a session, or in what that stands on. */
  async #positionIn(session: SessionState, base: Base, format: Format): Promise<LogPosition | undefined> {
    const open = [session]
    const seen = new Set<string>()
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      const { id, source } = at
      if (!source || seen.has(id)) continue
      seen.add(id)
      const count =
        base.native === undefined
          ? await this.#countBefore(source, base, format)
          : await this.#countThrough(source, base.native)
      if (typeof count === 'number')
        return { session: at, source, count, entry: await this.#entryAt(source, count) }
      if (count === 'before' && source.origin)
        open.push(...(await this.#holdersOf(source.origin.session, format)))
    }
    return undefined
  }

  /** Returns the number of records up to and including the one with a native id. */
  async #countThrough({ log, count }: SourceHead, native: string): Promise<number | undefined> {
    if (this.#natives?.log !== log || this.#natives.count !== count) {
      const positions = new Map<string, number>()
      for await (const [position, header] of readHeaders(this.#reader, log, 0, count))
        if (header.native !== undefined && !positions.has(header.native))
          positions.set(header.native, position)
      this.#natives = { log, count, positions }
    }
    const position = this.#natives.positions.get(native)
    return position === undefined ? undefined : position + 1
  }

  /**
   * Returns the number of records before an ordinal or an offset; `before` where the source begins after it. Ordinals mostly
   * count records, so the position that they give is tried first.
   */
  async #countBefore(
    source: SourceHead,
    { ordinal, offset }: Base,
    format: Format,
  ): Promise<number | 'before' | undefined> {
    const { log, count } = source
    const ordinalAt = async (position: number): Promise<number | undefined> => {
      const value = await valueAt(this.#reader, { log, position })
      return value === undefined ? undefined : format.ordinal?.(value)
    }
    const first = ordinal === undefined || count === 0 ? undefined : await ordinalAt(0)
    if (first === undefined || ordinal === undefined)
      return offset === undefined ? undefined : this.#countBeforeByte(source, offset)
    if (ordinal < first) return 'before'
    const guess = ordinal - first
    if (guess <= count && (guess === 0 || (await ordinalAt(guess - 1)) === ordinal - 1)) {
      if (guess === count || (await ordinalAt(guess)) === ordinal) return guess
    }
    let last: number | undefined
    for await (const [position, record] of readRecords(this.#reader, log, 0, count)) {
      const value = await valueOf(this.#reader, record)
      const at = value === undefined ? undefined : format.ordinal?.(value)
      if (at !== undefined && at >= ordinal) return position
      last = at ?? last
    }
    return last !== undefined && last >= ordinal - 1 ? count : undefined
  }

  async #countBeforeByte({ log, count }: SourceHead, offset: number): Promise<number | undefined> {
    let bytes = 0
    for await (const [position, record] of readRecords(this.#reader, log, 0, count)) {
      // The newline before a record ends the one before it.
      const lead = record.lead.length
      if (bytes + Math.min(lead, 1) >= offset) return position
      for await (const chunk of bytesOfRecord(this.#reader, record)) bytes += chunk.length
    }
    return bytes + 1 >= offset ? count : undefined
  }

  /** Returns the entry with which the first records of a source end; that on which it stands where they have none. */
  async #entryAt({ log, origin }: SourceHead, count: number): Promise<EntryHandle | undefined> {
    if (count > 0)
      for await (const [, { entry, tip }] of readHeaders(this.#reader, log, count - 1, count)) {
        const found = entry ?? tip
        if (found !== undefined) return found
      }
    return origin?.entry ? this.#reader.find(origin.entry) : undefined
  }

  async #foundAt({ session, source, count, entry }: LogPosition, format: Format): Promise<FoundBase> {
    const above = session.meta.fork?.base ?? []
    const logs: LogPrefixes = [[source.log, count], ...above]
    const model = entry === undefined ? undefined : await this.#modelAt(entry)
    const counter = format.counter && (await this.#counterIn(logs, format.counter))
    return { session: session.id, entry, logs, inherited: { ...model, ...defined({ counter }) } }
  }

  /** Returns the model, and the thinking level beside it, that the nearest entry at or above one sets. */
  async #modelAt(entry: EntryHandle): Promise<Pick<Inherited, 'model' | 'thinking'>> {
    const nearest = (await this.#reader.node(entry)).near[NEAR.indexOf(SETS_MODEL)]
    if (nearest === undefined) return {}
    const { type } = await this.#reader.node(nearest)
    const { model, thinking } = viewOf(type, await this.#reader.body(nearest)).sets ?? {}
    return defined({ model: model?.id, thinking })
  }

  /** Returns the newest cumulative usage in some logs. */
  async #counterIn(
    logs: LogPrefixes,
    counter: (record: Json) => Usage | undefined,
  ): Promise<Usage | undefined> {
    for (const [log, count] of logs)
      for await (const [, record] of readRecords(this.#reader, log, 0, count, true)) {
        const value = record.entry === undefined ? await valueOf(this.#reader, record) : undefined
        const found = value === undefined ? undefined : counter(value)
        if (found) return found
      }
    return undefined
  }
}

/** Returns where a source begins, as its head keeps it. */
export async function originOf(reader: Reader, base: Base, found: BaseSearch): Promise<SourceOrigin> {
  if (typeof found === 'string') return base
  const { entry, inherited } = found
  return { ...base, entry: entry === undefined ? null : await reader.oid(entry), inherited }
}

/** Returns what a session that stands on a base shares with the session that holds it. */
export async function sharedWith(
  reader: Reader,
  found: FoundBase,
): Promise<NonNullable<SessionMeta['fork']>> {
  const { entry, logs, session } = found
  const entries = entry === undefined ? 0 : (await reader.node(entry)).depth + 1
  const from = await findSession(reader, session)
  return { ...(from && sharedLogs(from)), base: logs, entries, from: session }
}

/** The options with which the ingester of a source that begins elsewhere is made. */
export interface Standing {
  readonly ground?: EntryHandle
  readonly inherited?: Inherited
}

/** Returns the entry on which a source stands and what its reader inherits, from its head. */
export async function standingOf(reader: Reader, { origin }: Pick<SourceHead, 'origin'>): Promise<Standing> {
  if (!origin) return {}
  const ground = origin.entry ? await reader.find(origin.entry) : undefined
  const { inherited } = origin
  return defined({ ground, inherited })
}

/** A session whose source refers to its history, and whether it stands on it now. */
export interface BasedSession {
  readonly session: string
  /** The id by which its source names the session or file with its history. */
  readonly base: string
  /** `unread`: it was imported by a reading that knew no bases, which it keeps until it is read again. */
  readonly outcome: 'joined' | 'unread' | Exclude<BaseSearch, FoundBase>
}
