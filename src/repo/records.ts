import { type Awaitable, collected, prefetched } from '../model/async.ts'
import { decode as decodeCanonical } from '../model/encoding/canonical.ts'
import { type Envelope, fill } from '../model/envelope.ts'
import { SessError } from '../model/errors.ts'
import type { Json } from '../model/json.ts'
import type { EntryHandle } from '../model/node.ts'
import type { LogId, LogRecord, RecordBatch, RecordHeader, RecordRange } from '../model/record.ts'
import { spell } from '../model/spelling/jsonspelling.ts'
import { spellFilled } from '../model/spelling/spellbytes.ts'
import type { Utf8Buffer } from '../model/spelling/utf8buffer.ts'
import { addCounts } from '../model/usage.ts'
import type { UsageCounts } from '../model/view.ts'
import { wellFormed } from '../storage/ioerrors.ts'
import { LruCache } from '../storage/lrucache.ts'
import type { Reader } from './reader.ts'
import type { LogPrefixes } from './session.ts'

const NO_COUNTS: UsageCounts = {}

type LogReader = Pick<Reader, 'readLog' | 'isPast'>

/**
 * Yields the records of a range in batches. Throws `corrupt` where some of them are missing now; an earlier time may have
 * had records that are lost.
 */
async function* readBatches(reader: LogReader, log: LogId, range: RecordRange): AsyncGenerator<RecordBatch> {
  if (reader.isPast) {
    yield* reader.readLog(log, range)
    return
  }
  const { from, to, reverse = false } = range
  if (from >= to) return
  const check = (position: number, next: number): void => {
    if (position !== next)
      throw new SessError(
        'corrupt',
        `records of the log ${log} are missing, from number ${Math.min(position, next)}`,
      )
  }
  let [low, high] = [from, to]
  for await (const batch of reader.readLog(log, range)) {
    const { start, headers } = batch
    const end = start + headers.length
    if (reverse) check(high, end)
    else check(low, start)
    if (reverse) high = start
    else low = end
    yield batch
  }
  check(low, high)
}

/** Yields the headers of records with their positions. Throws `corrupt` where some are missing. */
export async function* readHeaders(
  reader: LogReader,
  log: LogId,
  from: number,
  to: number,
  reverse = false,
): AsyncGenerator<[position: number, header: RecordHeader]> {
  for await (const { start, headers } of readBatches(reader, log, { from, to, reverse }))
    for (const at of indexesOf(headers, reverse)) yield [start + at, headers[at] as RecordHeader]
}

/** Yields records with their positions. Throws `corrupt` where some are missing. */
export async function* readRecords(
  reader: LogReader,
  log: LogId,
  from: number,
  to: number,
  reverse = false,
): AsyncGenerator<[position: number, record: LogRecord]> {
  for await (const batch of readBatches(reader, log, { from, to, reverse })) {
    const records = batch.records()
    for (const at of indexesOf(records, reverse)) yield [batch.start + at, records[at] as LogRecord]
  }
}

function* indexesOf({ length }: { readonly length: number }, reverse: boolean): Generator<number> {
  for (let n = 0; n < length; n++) yield reverse ? length - 1 - n : n
}

/** Returns the record at a position. Throws `corrupt` where the log has none. */
export async function readRecord(reader: LogReader, log: LogId, position: number): Promise<LogRecord> {
  for await (const { records } of reader.readLog(log, { from: position, to: position + 1 }))
    return records()[0] as LogRecord
  throw new SessError('corrupt', `records of the log ${log} are missing, from number ${position}`)
}

/** The location of a record, with its time, its native id, and the usage that later records report for its entry. */
export interface RecordLocation extends Pick<RecordHeader, 'time' | 'native' | 'usage'> {
  readonly log: LogId
  readonly position: number
}

/** A record that was passed, with the entry that it carries, if any. */
export interface PassedRecord extends RecordLocation {
  readonly entry: EntryHandle | undefined
}

/** The newest records of entries among consecutive records of a log. */
class LogPart {
  readonly #log: LogId
  readonly #batches: readonly RecordBatch[]
  readonly #newest = new Map<EntryHandle, PassedRecord>()
  /** The usage of entries that the part carries no older record of. */
  readonly #usage = new Map<EntryHandle, UsageCounts>()

  /** Takes the batches of the part, the last one first. */
  constructor(log: LogId, batches: readonly RecordBatch[]) {
    this.#log = log
    this.#batches = batches
    for (const { start, headers } of batches)
      for (const at of indexesOf(headers, true)) this.#pass(start + at, headers[at] as RecordHeader)
  }

  #pass(position: number, { entry, tip, time, native, usage: reported }: RecordHeader): void {
    if (reported && tip !== undefined)
      this.#usage.set(tip, addCounts(this.#usage.get(tip) ?? NO_COUNTS, reported))
    if (entry === undefined || this.#newest.has(entry)) return
    const usage = this.#usage.size === 0 ? undefined : this.#usage.get(entry)
    if (usage) this.#usage.delete(entry)
    this.#newest.set(entry, { entry, log: this.#log, position, time, native, usage })
  }

  /** Returns the newest record of an entry in this part, with the usage that later ones of the part report for it. */
  find(entry: EntryHandle): PassedRecord | undefined {
    return this.#newest.get(entry)
  }

  /** Returns the usage that the part reports for an entry without carrying it. */
  usageOf(entry: EntryHandle): UsageCounts | undefined {
    return this.#newest.has(entry) ? undefined : this.#usage.get(entry)
  }

  /** Returns the batch with a position of a log. */
  batchAt(log: LogId, position: number): RecordBatch | undefined {
    if (log !== this.#log) return undefined
    return this.#batches.find(({ start, headers }) => position >= start && position < start + headers.length)
  }
}

/** The number of parts of logs that a finder holds. */
const MAX_PARTS = 32

/**
 * Finds the newest records of entries in some logs. Reads the parts of the logs that may carry an entry, and keeps those
 * that it read last, so that a walk along a path reads each part once.
 */
export class RecordFinder {
  readonly #reader: Reader
  readonly #logs: LogPrefixes
  readonly #parts = new LruCache<string, LogPart>(MAX_PARTS, () => 1)
  readonly #natives: NativeIds | undefined
  /** The part and the batch whose records were decoded last. */
  #last: LogPart | undefined
  #decoded: { readonly batch: RecordBatch; readonly records: readonly LogRecord[] } | undefined

  /** With `byNative` it also finds records by their native ids. */
  constructor(reader: Reader, logs: LogPrefixes, byNative = false) {
    this.#reader = reader
    this.#logs = logs
    this.#natives = byNative ? new NativeIds(reader, logs) : undefined
  }

  /** Returns the newest record of an entry. */
  find(entry: EntryHandle): Awaitable<RecordLocation | undefined> {
    const [first] = this.#logs
    if (!first) return undefined
    const ranges = this.#reader.recordRanges(...first, entry)
    if (!(ranges instanceof Promise) && ranges[0] && !this.#natives) {
      const part = this.#parts.get(`0 ${ranges[0].from}`)
      const found = part?.find(entry)
      if (found) {
        this.#last = part
        return found
      }
    }
    return this.#search(entry, ranges)
  }

  /** Searches all logs. Takes the ranges of the first one, which were asked for already. */
  async #search(
    entry: EntryHandle,
    first: Awaitable<readonly RecordRange[]>,
  ): Promise<RecordLocation | undefined> {
    let later: UsageCounts | undefined
    for (const [i, [log, count]] of this.#logs.entries())
      for (const range of await (i === 0 ? first : this.#reader.recordRanges(log, count, entry))) {
        const part = await this.#part(i, log, range)
        const found = part.find(entry)
        const usage = found ? found.usage : part.usageOf(entry)
        if (usage) later = addCounts(later ?? NO_COUNTS, usage)
        if (!found) continue
        this.#last = part
        await this.#natives?.passDownTo(found)
        return { ...found, usage: later }
      }
    return undefined
  }

  async #part(index: number, log: LogId, { from, to }: RecordRange): Promise<LogPart> {
    const key = `${index} ${from}`
    const known = this.#parts.get(key)
    if (known) return known
    const batches = await collected(readBatches(this.#reader, log, { from, to, reverse: true }))
    const part = new LogPart(log, batches)
    this.#parts.set(key, part)
    return part
  }

  /** Returns the first record with a native id, of the records down to the last one found. Reads on until one has it. */
  findNative(native: string): Promise<PassedRecord | undefined> {
    return this.#natives?.find(native) ?? Promise.resolve(undefined)
  }

  /**
   * Returns the value at the location of a record, as `valueAt` does. Takes a record that was just found from the batch
   * that it was found in: to read each alone makes the context of 100,000 entries take 8 % longer.
   */
  async valueAt({ log, position }: RecordLocation): Promise<Json | undefined> {
    return valueOf(
      this.#reader,
      this.#recordAt(log, position) ?? (await readRecord(this.#reader, log, position)),
    )
  }

  #recordAt(log: LogId, position: number): LogRecord | undefined {
    const batch = this.#last?.batchAt(log, position)
    if (!batch) return undefined
    if (this.#decoded?.batch !== batch) this.#decoded = { batch, records: batch.records() }
    return this.#decoded.records[position - batch.start]
  }

  /** Stops reading. */
  async close(): Promise<void> {
    await this.#natives?.close()
  }
}

/** Finds records by their native ids. Reads logs from their ends, only as far as needed. */
class NativeIds {
  readonly #reader: Reader
  readonly #logs: LogPrefixes
  /** By native id the first record that has it, of those passed. */
  readonly #passed = new Map<string, PassedRecord>()
  /** The number of the log that is read, and the position of the last record passed there. */
  #log = 0
  #position = Number.POSITIVE_INFINITY
  #reading: AsyncGenerator<[position: number, header: RecordHeader]> | undefined

  constructor(reader: Reader, logs: LogPrefixes) {
    this.#reader = reader
    this.#logs = logs
  }

  /** Returns the first record with a native id, of those passed. Passes more until one has it. */
  async find(native: string): Promise<PassedRecord | undefined> {
    let isMore = true
    while (isMore && !this.#passed.has(native)) isMore = await this.#pass()
    return this.#passed.get(native)
  }

  /** Passes the records down to one. */
  async passDownTo({ log, position }: RecordLocation): Promise<void> {
    const index = this.#logs.findIndex(([one]) => one === log)
    const isAbove = (): boolean => this.#log < index || (this.#log === index && this.#position > position)
    for (let isMore = true; isMore && isAbove(); ) isMore = await this.#pass()
  }

  /** Passes a record. Returns false at the end of the last log. */
  async #pass(): Promise<boolean> {
    for (;;) {
      const current = this.#logs[this.#log]
      if (!current) return false
      const [log, count] = current
      this.#reading ??= readHeaders(this.#reader, log, 0, count, true)
      const next = await this.#reading.next()
      if (!next.done) {
        const [position, { entry, time, native }] = next.value
        this.#position = position
        if (native !== undefined) this.#passed.set(native, { entry, log, position, time, native })
        return true
      }
      this.#log++
      this.#position = Number.POSITIVE_INFINITY
      this.#reading = undefined
    }
  }

  async close(): Promise<void> {
    await this.#reading?.return(undefined)
    this.#log = this.#logs.length
  }
}

/**
 * Returns the value that a record's source held, or undefined where the record keeps bytes; at once where the body is at
 * hand. Throws `corrupt`.
 */
export function valueOf(
  reader: Pick<Reader, 'body'>,
  { content, entry }: Pick<LogRecord, 'content' | 'entry'>,
): Awaitable<Json | undefined> {
  if ('raw' in content) return undefined
  const body = entry === undefined ? undefined : reader.body(entry)
  return body instanceof Promise ? body.then((one) => filled(content, one)) : filled(content, body)
}

const filled = (envelope: Envelope, body: Json | undefined): Json =>
  wellFormed('a record of an entry', () => fill(envelope, body))

/** Returns the value that the source held at the location of a record. */
export const valueAt = async (reader: Reader, { log, position }: RecordLocation): Promise<Json | undefined> =>
  valueOf(reader, await readRecord(reader, log, position))

const utf8 = new TextEncoder()

/** Yields the bytes of the source that a record represents. */
export async function* bytesOfRecord(
  reader: Pick<Reader, 'body'>,
  record: LogRecord,
): AsyncGenerator<Uint8Array> {
  const { lead, content } = record
  if (lead.length > 0) yield lead
  if ('raw' in content)
    for (const chunk of content.raw) yield chunk instanceof Uint8Array ? chunk : await chunk.read()
  else
    yield utf8.encode(
      spell((await valueOf(reader, { entry: record.entry, content })) as Json, content.spelling),
    )
}

/**
 * Adds the bytes of a record with a value to a buffer, at once where its body is at hand. Returns false for a record with
 * bytes, and adds nothing.
 */
export function addRecord(
  buffer: Utf8Buffer,
  reader: Pick<Reader, 'canonicalBody'>,
  { entry, lead, content }: LogRecord,
): Awaitable<boolean> {
  if ('raw' in content) return false
  const { spelling } = content
  const add = (canonical: Uint8Array | undefined): true => {
    const { length } = buffer
    buffer.bytes(lead)
    if (spelling === '' && spellFilled(buffer, content, canonical)) return true
    buffer.cut(length)
    const text = spell(filled(content, canonical && decodeCanonical(canonical)), spelling)
    buffer.bytes(lead)
    buffer.text(text)
    return true
  }
  const canonical = entry === undefined ? undefined : reader.canonicalBody(entry)
  return canonical instanceof Promise ? canonical.then(add) : add(canonical)
}

/** Yields the records of a log in batches, and reads the bodies of the next batch ahead. */
export async function* recordsAhead(
  reader: Reader,
  log: LogId,
  from: number,
  to: number,
): AsyncGenerator<readonly LogRecord[]> {
  const fetched = prefetched(parts(readBatches(reader, log, { from, to })), async ({ entries, records }) => {
    await reader.prefetch(entries)
    return records
  })
  // Records are decoded only when they are yielded: the garbage collector would copy those that wait.
  for await (const records of fetched) yield records()
}

/** The number of bodies that are read ahead together. */
const BATCH = 256

interface RecordPart {
  readonly entries: readonly EntryHandle[]
  readonly records: () => readonly LogRecord[]
}

async function* parts(batches: AsyncIterable<RecordBatch>): AsyncGenerator<RecordPart> {
  for await (const { headers, records: decode } of batches) {
    const records = once(decode)
    for (let at = 0; at < headers.length; at += BATCH) {
      const entries = headers.slice(at, at + BATCH).flatMap(({ entry }) => entry ?? [])
      yield { entries, records: () => records().slice(at, at + BATCH) }
    }
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}
