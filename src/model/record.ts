import type { BlobRef } from './canonical.ts'
import type { Json } from './json.ts'
import type { EntryHandle } from './node.ts'

/** A record of a log without its content. */
export interface RecordHeader {
  /** The entry that it carries. */
  readonly entry: EntryHandle | undefined
  /** The session's tip after it. */
  readonly tip: EntryHandle | undefined
  /** When it was said, in milliseconds since 1970; undefined is unknown. */
  readonly time?: number | undefined
  /** The id that its source gives it. */
  readonly native?: string | undefined
}

/**
 * The unit of the source that a record stands for: an envelope (see `model/envelope.ts`) into which the entry's body is put
 * back, and how the value was spelled (see `model/spelling.ts`; '' is compact); or the bytes as they were, in pieces.
 */
export type RecordContent =
  | { readonly shape: string; readonly values: readonly Json[]; readonly spelling: string }
  | { readonly raw: readonly (Uint8Array | BlobRef)[] }

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
