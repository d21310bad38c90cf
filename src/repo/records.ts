import { type Awaitable, prefetched } from '../model/async.ts'
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

/**
 * Finds the newest records of entries in some logs. Reads each log once, from its end and only as far as needed, and
 * remembers the records that it passes: suited to walking a path from its tip.
 */
export class RecordFinder {
  readonly #reader: Reader
  readonly #logs: (readonly [log: LogId, count: number])[]
  readonly #passed = new Map<EntryHandle, PassedRecord>()
  /** The usage that records report, by the entries that it is of. */
  readonly #usage = new Map<EntryHandle, UsageCounts>()
  /** By native id the first record that has it, of those passed; undefined where they are not asked for. */
  readonly #natives: Map<string, PassedRecord> | undefined
  #reading: AsyncIterator<RecordBatch> | undefined
  #batch: RecordBatch | undefined
  /** Its records, once the value of one was asked for. */
  #records: readonly LogRecord[] | undefined
  /** The number of records at the beginning of the batch that were not passed yet. */
  #left = 0

  /** With `byNative` it also finds records by their native ids. */
  constructor(reader: Reader, logs: LogPrefixes, byNative = false) {
    this.#reader = reader
    this.#natives = byNative ? new Map() : undefined
    this.#logs = [...logs]
  }

  /** Returns the newest record of an entry. Must be called once per entry. */
  find(entry: EntryHandle): Awaitable<RecordLocation | undefined> {
    const passed = this.#passed.get(entry)
    if (passed) {
      this.#passed.delete(entry)
      return passed
    }
    return this.#pass(entry) ?? this.#readUpTo(entry)
  }

  /** Returns the first record with a native id. Reads on until one has it. */
  async findNative(native: string): Promise<PassedRecord | undefined> {
    for (;;) {
      const known = this.#natives?.get(native)
      if (known) return known
      this.#pass(undefined)
      if (!this.#natives?.has(native) && !(await this.#readBatch())) return undefined
    }
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
    const batch = this.#batch
    if (!batch || log !== this.#logs[0]?.[0]) return undefined
    const at = position - batch.start
    if (at < 0 || at >= batch.headers.length) return undefined
    this.#records ??= batch.records()
    return this.#records[at]
  }

  /** Passes records of the batch down to the one of an entry, or all of them. */
  #pass(wanted: EntryHandle | undefined): PassedRecord | undefined {
    const log = this.#logs[0]?.[0] as LogId
    while (this.#left > 0) {
      const { start, headers } = this.#batch as RecordBatch
      const { entry, tip, time, native, usage: reported } = headers[--this.#left] as RecordHeader
      if (reported && tip !== undefined)
        this.#usage.set(tip, addCounts(this.#usage.get(tip) ?? NO_COUNTS, reported))
      const usage = entry === undefined ? undefined : this.#takeUsage(entry)
      const passed: PassedRecord = { entry, log, position: start + this.#left, time, native, usage }
      if (native !== undefined) this.#natives?.set(native, passed)
      if (entry !== undefined && entry === wanted) return passed
      if (entry !== undefined && !this.#passed.has(entry)) this.#passed.set(entry, passed)
    }
    return undefined
  }

  #takeUsage(entry: EntryHandle): UsageCounts | undefined {
    if (this.#usage.size === 0) return undefined
    const usage = this.#usage.get(entry)
    this.#usage.delete(entry)
    return usage
  }

  async #readUpTo(entry: EntryHandle): Promise<PassedRecord | undefined> {
    while (await this.#readBatch()) {
      const found = this.#pass(entry)
      if (found) return found
    }
    return undefined
  }

  /** Reads the next batch. Returns false at the end of the last log. */
  async #readBatch(): Promise<boolean> {
    for (;;) {
      const current = this.#logs[0]
      if (!current) return false
      const [log, count] = current
      const batches = (): AsyncIterable<RecordBatch> =>
        readBatches(this.#reader, log, { from: 0, to: count, reverse: true })
      this.#reading ??= batches()[Symbol.asyncIterator]()
      const next = await this.#reading.next()
      if (!next.done) {
        this.#batch = next.value
        this.#records = undefined
        this.#left = next.value.headers.length
        return true
      }
      this.#logs.shift()
      this.#reading = undefined
    }
  }

  /** Stops reading. */
  async close(): Promise<void> {
    await this.#reading?.return?.()
    this.#reading = undefined
    this.#left = 0
    this.#logs.length = 0
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
