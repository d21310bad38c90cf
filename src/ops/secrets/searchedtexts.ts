import { range } from '../../graph/range.ts'
import { textOfBytes } from '../../model/bytes.ts'
import type { Oid } from '../../model/encoding/oid.ts'
import { EntrySet } from '../../model/entryset.ts'
import { hasCode } from '../../model/errors.ts'
import type { Json } from '../../model/json.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { BlobId, LogId, LogRecord } from '../../model/record.ts'
import { ALL_SESSIONS, TOMBSTONES, unescapePart } from '../../model/refname.ts'
import { plainBlobs } from '../../model/refs/table.ts'
import { operationsNewestFirst } from '../../repo/oplog/operationlog.ts'
import { lookIn, type Reader } from '../../repo/reader.ts'
import { bytesOfRecord, RecordFinder, readRecord, readRecords, valueOf } from '../../repo/records.ts'
import { resolve } from '../../repo/revision.ts'
import { allBranches, allSessions, type LogPrefixes, logsOf, type SessionTrunk } from '../../repo/session.ts'
import { tipsOf } from '../entries.ts'
import { resolveSessionOrEntry } from '../export/selection.ts'
import { outputHeads } from '../outputs.ts'
import { rangeEnds, rangeOf } from '../revisionrange.ts'

/** A value with text that a store holds, and its location. */
export interface StoredText {
  readonly value: Json
  /** Null for a value of no session. */
  readonly session: string | null
  /** The entry of the body or record; null for other values. */
  readonly oid: Oid | null
  /** The location outside of a record's fields: `bytes`, `tail`, `operation 12`. */
  readonly within: string
}

/** Reads the texts of a store: each entry, record, tail and name once. */
export class SearchedTexts {
  entries = 0
  records = 0
  readonly #reader: Reader
  readonly #seen = new EntrySet()
  /** The number of records that were read, by log. */
  readonly #logs = new Map<LogId, number>()
  readonly #searchedBlobs = new Set<string>()

  constructor(reader: Reader) {
    this.#reader = reader
  }

  /** Yields all that the store holds, of removed sessions and in the operation log too. */
  async *all(): AsyncGenerator<StoredText> {
    const reader = this.#reader
    for await (const session of allSessions(reader)) yield* this.ofSession(session)
    for await (const log of reader.logs()) yield* this.#log(log, null)
    for await (const handle of reader.entries()) yield* this.#body(handle, null)
    for await (const [name, value] of reader.refs('')) {
      const within = `ref ${name.slice(0, name.indexOf('/') + 1)}`
      if (!name.startsWith(ALL_SESSIONS) && !name.startsWith(TOMBSTONES))
        yield of([namesIn(name), value], null, null, within)
      yield* this.#blobs(plainBlobs(name, value), null, within)
    }
    for await (const { number, command, moves } of operationsNewestFirst(reader)) {
      const kept = moves.filter(({ name }) => !name.startsWith(TOMBSTONES))
      const values = kept.flatMap(({ old, new: value }) => [old ?? null, value ?? null])
      const names = [...new Set(kept.flatMap(({ name }) => namesIn(name)))]
      yield of({ command, moves: values, names }, null, null, `operation ${number}`)
      const blobs = kept.flatMap(({ name, old, new: value }) => [
        ...plainBlobs(name, old),
        ...plainBlobs(name, value),
      ])
      for (const list of blobs) {
        try {
          yield* this.#blobs([list], null, `operation ${number}.tail`)
        } catch (error) {
          // A repair could not recover a tail that no ref names any more.
          if (!hasCode(error, 'corrupt')) throw error
        }
      }
    }
  }

  /** Yields what revisions name: sessions, ranges, entries. Throws as `resolve`. */
  async *some(revisions: readonly string[]): AsyncGenerator<StoredText> {
    for (const text of revisions) {
      const between = await rangeOf(this.#reader, text)
      if (between) {
        const { tips, hidden } = await rangeEnds(this.#reader, between)
        const handles = range(tips, hidden, lookIn(this.#reader))
        yield* this.#handles(handles, between.right.session ?? between.left.session)
        continue
      }
      const { session, handle } = await resolveSessionOrEntry(this.#reader, text)
      if (handle === undefined && session) yield* this.ofSession(session)
      else {
        const named = await resolve(this.#reader, text)
        yield* this.#handles([named.handle], named.session)
      }
    }
  }

  /** Yields all of the session that a text names, or the path of an entry that belongs to none. Throws as `resolve`. */
  async *around(text: string): AsyncGenerator<StoredText> {
    const { session, handle } = await resolveSessionOrEntry(this.#reader, text)
    if (session) yield* this.ofSession(session)
    else if (handle !== undefined) yield* this.#path([handle], null)
  }

  async *ofSession(session: SessionTrunk): AsyncGenerator<StoredText> {
    const { id, meta, labels, source, exports, files } = session
    const branches = await allBranches(this.#reader, session)
    const names = {
      branches: [...branches.keys()],
      labels: [...labels.keys()],
      exports: [...exports.keys()],
      files: [...files.keys()],
    }
    const beside = [...files.values()].map(({ log, count }) => [log, count] as const)
    for (const log of [...logsOf(session), ...beside]) yield* this.#log(log, id)
    const heads = [...(source ? [source] : []), ...exports.values(), ...files.values()]
    yield* this.#blobs(
      heads.map(({ tail }) => tail),
      id,
      'tail',
    )
    yield* this.#path(await tipsOf(this.#reader, session), id)
    // Last, because a title or a prompt may hold the beginning of a secret that an entry has whole.
    yield of({ id, ...meta, ...names }, id, null)
  }

  async *#path(tips: Iterable<EntryHandle>, session: string | null): AsyncGenerator<StoredText> {
    const reached = range(tips, [], lookIn(this.#reader))
    for await (const handle of reached) yield* this.#body(handle, session)
  }

  async *#log([log, count]: LogPrefixes[number], session: string | null): AsyncGenerator<StoredText> {
    const from = this.#logs.get(log) ?? 0
    this.#logs.set(log, Math.max(from, count))
    for await (const [, record] of readRecords(this.#reader, log, from, count))
      yield* this.#record(record, session)
  }

  async *#handles(
    handles: Iterable<EntryHandle> | AsyncIterable<EntryHandle>,
    session: SessionTrunk | undefined,
  ): AsyncGenerator<StoredText> {
    const finder = new RecordFinder(this.#reader, session ? logsOf(session) : [])
    try {
      for await (const handle of handles) {
        const found = await finder.find(handle)
        const record = found && (await readRecord(this.#reader, found.log, found.position))
        if (record) yield* this.#record(record, session?.id ?? null)
        const files = await outputHeads(this.#reader, await this.#reader.oid(handle))
        for (const { log, count } of files) yield* this.#log([log, count], session?.id ?? null)
        yield* this.#body(handle, session?.id ?? null)
      }
    } finally {
      await finder.close()
    }
  }

  async *#record(record: LogRecord, session: string | null): AsyncGenerator<StoredText> {
    this.records++
    const { entry: handle, lead } = record
    const oid = handle === undefined ? null : await this.#reader.oid(handle)
    const value = await valueOf(this.#reader, record)
    if (value === undefined) {
      let text = ''
      for await (const bytes of bytesOfRecord(this.#reader, record)) text += textOfBytes(bytes).text
      yield of(text, session, oid, 'bytes')
      return
    }
    if (handle !== undefined && !this.#seen.has(handle)) this.entries++
    if (handle !== undefined) this.#seen.add(handle)
    yield of(value, session, oid)
    // A lead is mostly a line break.
    if (lead.length > 2) yield of(textOfBytes(lead).text, session, oid, 'bytes')
  }

  /** Yields the body of an entry, unless it was yielded. */
  async *#body(handle: EntryHandle, session: string | null): AsyncGenerator<StoredText> {
    if (this.#seen.has(handle)) return
    this.#seen.add(handle)
    this.entries++
    yield of(await this.#reader.body(handle), session, await this.#reader.oid(handle))
  }

  /** Yields consecutive blobs that a ref names, such as the tail of a source, unless they were yielded. */
  async *#blobs(
    lists: readonly (readonly BlobId[])[],
    session: string | null,
    within: string,
  ): AsyncGenerator<StoredText> {
    for (const list of lists) {
      const key = list.join(' ')
      if (list.length === 0 || this.#searchedBlobs.has(key)) continue
      this.#searchedBlobs.add(key)
      const chunks: Uint8Array[] = []
      for (const blob of list) chunks.push(await this.#reader.readBlob(blob))
      yield of(textOfBytes(Buffer.concat(chunks)).text, session, null, within)
    }
  }
}

const of = (value: Json, session: string | null, oid: Oid | null, within = ''): StoredText => ({
  value,
  session,
  oid,
  within,
})

function namesIn(name: string): string[] {
  return name.split('/').map(unescapePart)
}
