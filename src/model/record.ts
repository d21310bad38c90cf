import type { Awaitable } from './async.ts'
import type { Json } from './json.ts'
import type { EntryHandle } from './node.ts'
import type { UsageCounts } from './view.ts'

/** The id of a writer: 16 hex digits, drawn at random for one store folder. */
export type WriterId = string & { readonly __brand: 'WriterId' }

/**
 * The name of a log, the same in every store: `WRITER.NUMBER`, by the writer that began it. A log has one writer for ever,
 * so two stores never append to the same log.
 */
export type LogId = string & { readonly __brand: 'LogId' }

const LOG_ID = /^([0-9a-f]{16})\.(\d{1,9})$/

/** Returns the log that a writer began under a number of its own. */
export const logId = (writer: WriterId, number: number): LogId => `${writer}.${number}` as LogId

/** Returns the writer and the number of a log. Throws a RangeError where the text names no log. */
export function partsOfLogId(log: LogId): readonly [writer: WriterId, number: number] {
  const [, writer, number] = LOG_ID.exec(log) ?? []
  if (writer === undefined || number === undefined) throw new RangeError(`'${log}' names no log`)
  return [writer as WriterId, Number(number)]
}

/** Returns whether a value is the name of a log. */
export const isLogId = (value: unknown): value is LogId => typeof value === 'string' && LOG_ID.test(value)

/** The name of bytes that are kept outside of records, the same in every store: 64 hex digits of a SHA-256. */
export type BlobId = string & { readonly __brand: 'BlobId' }

/** Bytes of a record that are read only when they are asked for. */
export interface LargeChunk {
  read(): Awaitable<Uint8Array>
}

/** A record of a log without its content. */
export interface RecordHeader {
  /** The entry that it carries. */
  readonly entry: EntryHandle | undefined
  /** The session's tip after it. */
  readonly tip: EntryHandle | undefined
  /** Its time, in milliseconds since 1970; undefined if unknown. */
  readonly time?: number | undefined
  /** Its id in its source. */
  readonly native?: string | undefined
  /** The usage that it reports for the tip beyond what the tip's own record and earlier ones hold. */
  readonly usage?: UsageCounts | undefined
}

/**
 * The unit of the source of a record: an envelope that is filled with the body of the entry, with the spelling of the
 * value ('' is compact); or the original bytes, in chunks.
 */
export type RecordContent =
  | { readonly shape: string; readonly values: readonly Json[]; readonly spelling: string }
  | { readonly raw: readonly (Uint8Array | LargeChunk)[] }

/** A record as a log keeps it. */
export interface LogRecord extends RecordHeader {
  /** The bytes before the value: most often one newline, none for the first. */
  readonly lead: Uint8Array
  readonly content: RecordContent
}

/** A record on its way into a log. */
export interface NewRecord extends Omit<LogRecord, 'content'> {
  readonly content: Exclude<RecordContent, { raw: unknown }> | { readonly raw: readonly Uint8Array[] }
}

/** Consecutive records of a log. */
export interface RecordBatch {
  /** The position of the first. */
  readonly start: number
  readonly headers: readonly RecordHeader[]
  /** Decodes the records, which costs much more than their headers. A content is decoded each time that it is read. */
  readonly records: () => readonly LogRecord[]
}

/** Positions of a log: from `from` up to, not including, `to`; the last batch first where `reverse` is set. */
export interface RecordRange {
  readonly from: number
  readonly to: number
  readonly reverse?: boolean
}
