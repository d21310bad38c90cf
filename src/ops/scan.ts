import { mergeBases } from '../graph/mergebase.ts'
import { range } from '../graph/range.ts'
import type { Json } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import type { Oid } from '../model/oid.ts'
import type { LogId, LogRecord } from '../model/record.ts'
import { type FindSecrets, joinedTexts, masked, textsIn } from '../model/secret.ts'
import { textOfBytes } from '../model/textofbytes.ts'
import { readRecord, readRecords } from '../repo/logreading.ts'
import { operationsNewestFirst } from '../repo/operation.ts'
import type { Reader } from '../repo/reader.ts'
import { bytesOfRecord, RecordFinder, valueOf } from '../repo/records.ts'
import type { Repo } from '../repo/repo.ts'
import { resolve } from '../repo/revision.ts'
import { allSessions, type LogPrefixes, logsOf, type Session, tipOf } from '../repo/session.ts'
import { nameOf } from './export/part.ts'
import { markOf, Redaction } from './redact/redaction.ts'
import { rangeOf } from './select/range.ts'

/** A secret that was found, and where. The secret itself is not in it. */
export interface FoundSecret {
  /** The session that holds it; null where an entry that no session holds does, or an operation. */
  readonly session: string | null
  /** The entry whose body or record holds it; null where that belongs to none. */
  readonly oid: Oid | null
  /** Where in the record, or what else holds it: `message.content[0].text`, `title`, `operation 12`. */
  readonly field: string
  /** The name of the rule that found it. */
  readonly rule: string
  readonly masked: string
  /** 8 hex digits that are the same for the same secret in this store. */
  readonly secret: string
}

/** How much was looked at. */
export interface Scanned {
  readonly entries: number
  readonly records: number
  /** UTF-16 units of text. */
  readonly characters: number
}

/** How a scan looks. */
export interface ScanOptions {
  readonly find: FindSecrets
  /** Sessions, ranges, entries; all that the store holds unless said. */
  readonly revisions?: readonly string[]
  /** Called with each secret that is found, and the digits that stand for it. */
  readonly onSecret?: (secret: string, mark: string) => void
  /** Called as it goes on, and at its end. */
  readonly onProgress?: (scanned: Scanned) => void
}

/**
 * Finds secrets in what entries and their records hold, and where the whole store is looked at in titles, names,
 * settings and commands too: each once for each place. Throws as `resolve`.
 */
export async function* scan(
  repo: Repo,
  { find, revisions = [], onSecret, onProgress = () => undefined }: ScanOptions,
): AsyncGenerator<FoundSecret> {
  yield* repo.stream(async function* (reader) {
    const scanner = new Scanner(reader, find, repo.identity.id, onSecret)
    const all = revisions.length === 0 ? scanner.all() : scanner.some(revisions, repo.env.cwd)
    let looked = 0
    for await (const found of all) {
      yield* found
      if (++looked % OFTEN === 0) {
        onProgress(scanner.scanned)
        await repo.yieldToEvents()
      }
    }
    onProgress(scanner.scanned)
  })
}

/** A scan lets others in after so many records. */
const OFTEN = 1000

/** Where a text stands: its session, and its entry where it has one. */
type Owner = Pick<FoundSecret, 'session' | 'oid'>

class Scanner {
  readonly #reader: Reader
  readonly #find: FindSecrets
  readonly #key: string
  readonly #onSecret: ScanOptions['onSecret']
  readonly #seen = new Set<EntryHandle>()
  /** By log: how many of its records were looked at. */
  readonly #logs = new Map<LogId, number>()
  readonly #told = new Set<string>()
  #entries = 0
  #records = 0
  #characters = 0

  constructor(reader: Reader, find: FindSecrets, key: string, onSecret: ScanOptions['onSecret']) {
    this.#onSecret = onSecret
    this.#reader = reader
    this.#find = find
    this.#key = key
  }

  get scanned(): Scanned {
    return { entries: this.#entries, records: this.#records, characters: this.#characters }
  }

  async *all(): AsyncGenerator<FoundSecret[]> {
    for await (const session of allSessions(this.#reader)) yield* this.#session(session)
    for await (const handle of this.#reader.entries()) yield await this.#body(handle, null)
    for await (const { number, command, moves } of operationsNewestFirst(this.#reader)) {
      const owner = { session: null, oid: null }
      const values = moves.flatMap(({ old, new: value }) => [old ?? null, value ?? null])
      yield this.#texts({ command, moves: values }, owner, `operation ${number}`)
    }
  }

  async *some(revisions: readonly string[], cwd: string): AsyncGenerator<FoundSecret[]> {
    for (const text of revisions) {
      const between = await rangeOf(this.#reader, text, cwd)
      if (between) {
        const { left, right, symmetric } = between
        const look = (handle: EntryHandle) => this.#reader.node(handle)
        const bases = symmetric ? await mergeBases(left.handle, right.handle, look) : [left.handle]
        const handles = range(symmetric ? [left.handle, right.handle] : [right.handle], bases, look)
        yield* this.#handles(handles, right.session ?? left.session)
        continue
      }
      const { session, handle } = await nameOf(this.#reader, text, cwd)
      if (handle === undefined && session) yield* this.#session(session)
      else {
        const named = await resolve(this.#reader, text, cwd)
        yield* this.#handles([named.handle], named.session)
      }
    }
  }

  async *#session(session: Session): AsyncGenerator<FoundSecret[]> {
    const { id, meta, branches, labels } = session
    const named = { branches: [...branches.keys()], labels: [...labels.keys()] }
    yield this.#texts({ id, ...meta, ...named }, { session: id, oid: null })
    const beside = [...session.files.values()].map(({ log, count }) => [log, count] as const)
    for (const log of [...logsOf(session), ...beside]) yield* this.#log(log, id)
    const tip = tipOf(session)
    const tips = await this.#reader.findMany([...branches.values(), ...(tip ? [tip] : [])])
    const reached = range(tips.values(), [], (handle) => this.#reader.node(handle))
    for await (const handle of reached) yield await this.#body(handle, id)
  }

  async *#log([log, count]: LogPrefixes[number], session: string): AsyncGenerator<FoundSecret[]> {
    const from = this.#logs.get(log) ?? 0
    this.#logs.set(log, Math.max(from, count))
    for await (const [, record] of readRecords(this.#reader, log, from, count))
      yield await this.#record(record, session)
  }

  async *#handles(
    handles: Iterable<EntryHandle> | AsyncIterable<EntryHandle>,
    session: Session | undefined,
  ): AsyncGenerator<FoundSecret[]> {
    const finder = new RecordFinder(this.#reader, session ? logsOf(session) : [])
    try {
      for await (const handle of handles) {
        const found = await finder.find(handle)
        const record = found && (await readRecord(this.#reader, found.log, found.position))
        if (record) yield await this.#record(record, session?.id ?? null)
        yield await this.#body(handle, session?.id ?? null)
      }
    } finally {
      await finder.close()
    }
  }

  async #record(record: LogRecord, session: string | null): Promise<FoundSecret[]> {
    this.#records++
    const { entry: handle } = record
    const oid = handle === undefined ? null : await this.#reader.oid(handle)
    const value = await valueOf(this.#reader, record)
    if (value !== undefined) {
      if (handle !== undefined && !this.#seen.has(handle)) this.#entries++
      if (handle !== undefined) this.#seen.add(handle)
      return this.#texts(value, { session, oid })
    }
    const found: FoundSecret[] = []
    for await (const bytes of bytesOfRecord(this.#reader, record))
      found.push(...this.#texts(textOfBytes(bytes).text, { session, oid }, 'bytes'))
    return found
  }

  /** Looks at what an entry says, unless it was looked at. */
  async #body(handle: EntryHandle, session: string | null): Promise<FoundSecret[]> {
    if (this.#seen.has(handle)) return []
    this.#seen.add(handle)
    this.#entries++
    return this.#texts(await this.#reader.body(handle), { session, oid: await this.#reader.oid(handle) })
  }

  /** Gives the name of a field as it may be seen: names may be secrets too. */
  #name(field: string): string {
    return new Redaction(this.#find, this.#key).text(field)
  }

  #texts(value: Json, owner: Owner, within = ''): FoundSecret[] {
    const joined = joinedTexts(value)
    this.#characters += joined.length
    if (this.#find(joined).length === 0) return []
    const all: FoundSecret[] = []
    for (const [field, text] of textsIn(value, within)) {
      for (const { rule, start, end } of this.#find(text)) {
        const secret = text.slice(start, end)
        const found = {
          ...owner,
          field: this.#name(field),
          rule,
          masked: masked(secret),
          secret: markOf(this.#key, secret),
        }
        this.#onSecret?.(secret, found.secret)
        const name = JSON.stringify([owner.oid ?? owner.session, field, found.secret])
        if (!this.#told.has(name)) all.push(found)
        this.#told.add(name)
      }
    }
    return all
  }
}
