import type { Oid } from '../model/encoding/oid.ts'
import { SessError } from '../model/errors.ts'
import type { Json, JsonObject } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import type { RefValue } from '../model/operation.ts'
import { branchRef, labelRef, metaRef, type RefName } from '../model/refname.ts'
import { sharedLogs } from '../repo/listedspending.ts'
import type { Reader } from '../repo/reader.ts'
import { readRecords, valueOf } from '../repo/records.ts'
import type { Change, Repo } from '../repo/repo.ts'
import {
  allSessions,
  EMPTY_META,
  findSession,
  getTrunk,
  type LogPrefixes,
  logsOf,
  refValue,
  type SessionState,
} from '../repo/session.ts'
import { NativeLog } from './append/nativelog.ts'

/** A session without its records. */
export interface SessionOutline {
  readonly id: string
  /** The name of its format; `sess` where it was created without one. */
  readonly format: string
  readonly title: string | null
  readonly cwd: string | null
  /** Milliseconds since 1970. */
  readonly created: number | null
  /** The id of the session that started it, as its own system has it. */
  readonly parent: string | null
  readonly branches: ReadonlyMap<string, Oid>
  readonly labels: ReadonlyMap<string, Oid>
}

/** A record of a session. */
export interface SessionRecord {
  /** The value with the body of its entry; undefined for bytes that are no JSON, and for an entry alone. */
  readonly value: Json | undefined
  /** The entry that it carries, if any. */
  readonly oid: Oid | undefined
  /** Its id in the system whose session this is. */
  readonly native: string | undefined
  /** Milliseconds since 1970. */
  readonly time: number | undefined
}

/** How far the records of a session were read: for each of its logs the number of records, the oldest log first. */
export type RecordCursor = readonly (readonly [log: string, count: number])[]

/** The records of a session, the oldest first. */
export interface SessionRecords {
  readonly session: SessionOutline
  /** Whether they follow those that were read up to the cursor; otherwise they begin with the first of the session. */
  readonly continues: boolean
  /** The cursor that continues after them. */
  readonly cursor: RecordCursor
  readonly records: AsyncIterable<SessionRecord>
}

/** An entry by itself. */
export interface EntryContent {
  /** `<dialect>/<kind>`. */
  readonly type: string
  /** First parent first. */
  readonly parents: readonly Oid[]
  readonly body: Json
}

/** An entry of a new record. Its parents must be in the store. */
export interface NewEntry extends EntryContent {
  /** The keys that lead from the value of the record to the body; none where the value is the body with more fields. */
  readonly at?: readonly string[]
}

/** A record to append, with its entry if it carries one. */
export interface NewRecord {
  /** May be absent where there is an entry. */
  readonly value?: Json
  readonly entry?: NewEntry
  /** Its id in the system whose session this is. */
  readonly native?: string
  /** Milliseconds since 1970; now by default. */
  readonly time?: number
}

/** A session to create. */
export interface NewOutline {
  /** `sess` by default. A name of the caller's tells its sessions from others. */
  readonly format?: string
  readonly title?: string
  /** The folder of the store's environment by default. */
  readonly cwd?: string
  /** The id of the session that started it. */
  readonly parent?: string
  /** Begins it with all records of a session that there is, and says how many entries it shares with that. */
  readonly continues?: { readonly session: string; readonly entries: number }
}

/** Reads sessions in one unit of work: all calls see the same state. */
export class SessionReads {
  readonly #reader: Reader

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns a number that grows with each commit to the store: while it is the same, nothing changed. */
  async version(): Promise<number> {
    return (await this.#reader.operationLog()).commits
  }

  /** Returns the session with exactly this id, or undefined. */
  async find(id: string): Promise<SessionOutline | undefined> {
    const session = await findSession(this.#reader, id)
    return session && outlineOf(session)
  }

  /** Yields all sessions in the order of their ids. */
  async *list(): AsyncGenerator<SessionOutline> {
    for await (const session of allSessions(this.#reader)) yield outlineOf(session)
  }

  /** Returns the entry that a branch of a session names, or undefined. */
  async branch(session: string, name: string): Promise<Oid | undefined> {
    return (await this.#reader.ref(branchRef(session, name))) as Oid | undefined
  }

  /** Returns the entry that a label of a session names, or undefined. */
  async label(session: string, name: string): Promise<Oid | undefined> {
    return (await this.#reader.ref(labelRef(session, name))) as Oid | undefined
  }

  /**
   * Returns the records of a session, those of the session that it continues first; with a cursor only those after it,
   * unless an undo took some of the earlier ones away. Returns undefined where there is no such session.
   */
  async records(session: string, after?: RecordCursor): Promise<SessionRecords | undefined> {
    const found = await findSession(this.#reader, session)
    if (!found) return undefined
    const cursor = logsOf(found).toReversed()
    const continues = after !== undefined && isPrefix(after, cursor)
    const records = this.#read(cursor, continues ? after : [])
    return { session: outlineOf(found), continues, cursor, records }
  }

  async *#read(logs: LogPrefixes, after: RecordCursor): AsyncGenerator<SessionRecord> {
    for (const [i, [log, count]] of logs.entries())
      for await (const [, record] of readRecords(this.#reader, log, after[i]?.[1] ?? 0, count)) {
        const { entry, native, time } = record
        const oid = entry === undefined ? undefined : await this.#reader.oid(entry)
        yield { value: await valueOf(this.#reader, record), oid, native, time }
      }
  }

  /** Returns the entry with an oid. Throws `no-entry`. */
  async entry(oid: Oid): Promise<EntryContent> {
    const handle = await handleOf(this.#reader, oid)
    const { type, parents } = await this.#reader.node(handle)
    const oids: Oid[] = []
    for (const parent of parents) oids.push(await this.#reader.oid(parent))
    return { type, parents: oids, body: await this.#reader.body(handle) }
  }
}

async function handleOf(reader: Reader, oid: Oid): Promise<EntryHandle> {
  const handle = await reader.find(oid)
  if (handle === undefined) throw new SessError('no-entry', oid)
  return handle
}

/** Returns whether logs continue others. Records are never overwritten, so nothing else need be compared. */
const isPrefix = (before: RecordCursor, after: LogPrefixes): boolean =>
  before.length <= after.length &&
  before.every(([log, count], i) => {
    const [same, now] = after[i] ?? []
    return log === same && (i === before.length - 1 ? count <= (now ?? 0) : count === now)
  })

function outlineOf({ id, meta, branches, labels }: SessionState): SessionOutline {
  const { format, title, cwd, created, parent = null } = meta
  return { id, format, title, cwd, created, parent, branches, labels }
}

/** The moves of refs of a unit of work, one for each ref. */
class RefMoves {
  readonly #reader: Reader
  readonly #moves = new Map<RefName, { readonly old: RefValue | undefined; value: RefValue | undefined }>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Returns the value that a ref will have. */
  async get(name: RefName): Promise<RefValue | undefined> {
    const move = this.#moves.get(name)
    return move ? move.value : this.#reader.ref(name)
  }

  put(name: RefName, old: RefValue | undefined, value: RefValue | undefined): void {
    const move = this.#moves.get(name)
    if (move) move.value = value
    else this.#moves.set(name, { old, value })
  }

  async set(name: RefName, value: RefValue | undefined): Promise<void> {
    this.put(name, await this.get(name), value)
  }

  /** Makes the moves that change something. */
  make(move: Change['move']): void {
    for (const [name, { old, value }] of this.#moves) if (old !== value) move(name, old, value)
  }
}

/** The log of a session that a unit of work appends to. */
interface OpenLog {
  readonly log: NativeLog
  /** The entries that the session is known to reach: those that its refs named, and those that were added. */
  readonly reached: Set<Oid>
  /** The entries that it reaches afterwards: those that its refs name, and the parents of what was added. */
  readonly named: Oid[]
}

/**
 * Reads and changes sessions in one unit of work, which becomes one operation or, where it throws, nothing. Reads return
 * the state before it. Units of work run one after another.
 */
export class SessionWrites extends SessionReads {
  readonly #change: Change
  readonly #move: Change['move']
  readonly #moves: RefMoves
  /** The entries that were added. */
  readonly #added = new Map<Oid, EntryHandle>()
  readonly #logs = new Map<string, OpenLog>()
  readonly #titles = new Map<string, string | null>()

  constructor(change: Change) {
    super(change.reader)
    this.#moves = new RefMoves(change.reader)
    this.#move = change.move
    this.#change = { ...change, move: (name, old, value) => this.#moves.put(name, old, value) }
  }

  /** Creates a session without entries of its own. Throws `exists`, and `no-session` for one to continue. */
  async create(
    id: string,
    { format = 'sess', title, cwd, parent, continues }: NewOutline = {},
  ): Promise<void> {
    const { env, reader } = this.#change
    if (this.#logs.has(id) || (await reader.ref(metaRef(id))) !== undefined) throw new SessError('exists', id)
    const from = continues && (await getTrunk(reader, continues.session))
    const meta = {
      ...EMPTY_META,
      format,
      title: title ?? null,
      cwd: cwd ?? env.cwd,
      created: env.now(),
      ...(parent !== undefined && { parent }),
      ...(from?.meta.prompt !== undefined && { prompt: from.meta.prompt }),
      ...(continues && from && { fork: { ...sharedLogs(from), entries: continues.entries } }),
    }
    this.#open(id, NativeLog.create(this.#change, id, meta))
  }

  #open(id: string, log: NativeLog): OpenLog {
    const open = { log, reached: new Set<Oid>(), named: [] }
    this.#logs.set(id, open)
    return open
  }

  async #logOf(id: string): Promise<OpenLog> {
    return this.#logs.get(id) ?? this.#open(id, await NativeLog.begin(this.#change, id))
  }

  /**
   * Appends a record to a session, with its entry if it carries one, and returns the oid of that. Moves no branch: see
   * `setBranch`. Throws `no-session`, `no-entry` for a parent, and `bad-entry` where there is neither entry nor value.
   */
  async append(session: string, record: NewRecord & { readonly entry: NewEntry }): Promise<Oid>
  async append(session: string, record: NewRecord): Promise<Oid | undefined>
  async append(session: string, { value, entry, ...about }: NewRecord): Promise<Oid | undefined> {
    const open = await this.#logOf(session)
    if (!entry) {
      if (value === undefined) throw new SessError('bad-entry', 'the record has no entry and no value')
      await open.log.note({ value, ...about })
      return undefined
    }
    const { parents: oids, ...rest } = entry
    const parents: EntryHandle[] = []
    for (const parent of oids) parents.push(await this.#handleOf(parent))
    open.named.push(...oids)
    const added = await open.log.add({ ...rest, parents, ...(value !== undefined && { value }), ...about })
    this.#added.set(added.oid, added.handle)
    open.reached.add(added.oid)
    return added.oid
  }

  async #handleOf(oid: Oid): Promise<EntryHandle> {
    return this.#added.get(oid) ?? handleOf(this.#change.reader, oid)
  }

  /**
   * Has a branch of a session name an entry of the store, or with null removes it. Any name is possible. Throws
   * `no-session` and `no-entry`.
   */
  async setBranch(session: string, name: string, to: Oid | null): Promise<void> {
    await this.#setName(session, branchRef(session, name), to)
  }

  /** Has a label of a session name an entry of the store, or with null removes it. Throws as `setBranch`. */
  async setLabel(session: string, name: string, to: Oid | null): Promise<void> {
    await this.#setName(session, labelRef(session, name), to)
  }

  async #setName(session: string, name: RefName, to: Oid | null): Promise<void> {
    const open = await this.#logOf(session)
    const before = (await this.#moves.get(name)) as Oid | undefined
    if (before === (to ?? undefined)) return
    if (before !== undefined) open.reached.add(before)
    if (to !== null) {
      await this.#handleOf(to)
      open.named.push(to)
    }
    this.#moves.put(name, before, to ?? undefined)
  }

  /** Sets the title of a session; null removes it. Throws `no-session`. */
  async rename(session: string, title: string | null): Promise<void> {
    await this.#logOf(session)
    this.#titles.set(session, title)
  }

  /** @internal Writes what was appended and moves the refs. */
  async end(): Promise<void> {
    // Without a promise of what is covered the index walks the paths to the refs.
    for (const { log, named, reached } of this.#logs.values())
      log.end(named.every((oid) => reached.has(oid)) ? [] : undefined)
    for (const [session, title] of this.#titles) {
      const meta = { ...EMPTY_META, ...((await this.#moves.get(metaRef(session))) as JsonObject), title }
      await this.#moves.set(metaRef(session), refValue(meta))
    }
    this.#moves.make(this.#move)
  }
}

/** How a unit of work is named in the operation log. */
export interface SessionWriteOptions {
  /** The command that people see; that of the store by default. */
  readonly command?: string
  /** Consecutive units of work with the same key become one operation. */
  readonly coalesce?: string
}

/** Runs a unit of work that reads. */
export const readSessions = <T>(repo: Repo, work: (reads: SessionReads) => T | Promise<T>): Promise<T> =>
  repo.read((reader) => work(new SessionReads(reader)))

/** Runs a unit of work and commits it as one operation: durable when this resolves. Throws as the work. */
export const writeSessions = <T>(
  repo: Repo,
  work: (writes: SessionWrites) => T | Promise<T>,
  { coalesce, ...options }: SessionWriteOptions = {},
): Promise<T> =>
  // Appends of other verbs are joined by keys of their own.
  repo.write(
    { ...options, ...(coalesce !== undefined && { coalesce: `work ${coalesce}` }) },
    async (change) => {
      const writes = new SessionWrites(change)
      const result = await work(writes)
      await writes.end()
      return result
    },
  )
