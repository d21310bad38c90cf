import { type BlobRef, decodeStored } from '../../model/encoding/canonical.ts'
import type { Json } from '../../model/json.ts'
import type { UsageCounts } from '../../model/view.ts'
import type { Row } from './rows.ts'

/** A value in stored form: JSON in which blob references may replace large strings. */
export type Stored = Json | BlobRef | readonly Stored[] | { readonly [key: string]: Stored }

/** A record as a log keeps it. */
export interface StoredRecord {
  /** The row of the entry that it carries, or NO_ROW. */
  readonly row: Row
  /** The row of the session's tip after it, or NO_ROW. */
  readonly tip: Row
  /** Its time, in milliseconds since 1970; undefined where unknown. */
  readonly time?: number | undefined
  /** Its native id, the one in its source. */
  readonly native?: string | undefined
  /** The usage that it reports for its tip, if any. */
  readonly usage?: UsageCounts | undefined
  /** The bytes before the value: most often one newline, none for the first. */
  readonly lead: Uint8Array
  readonly content: StoredContent
}

/** An envelope whose values are in stored form. */
export interface StoredEnvelope {
  readonly shape: string
  readonly values: readonly Stored[]
}

/** An envelope whose values are encoded. */
export class EncodedContent implements StoredEnvelope {
  readonly shape: string
  readonly spelling: string
  readonly bytes: Uint8Array
  /** The end of each value in the bytes. */
  readonly ends: readonly number[]

  constructor(shape: string, spelling: string, bytes: Uint8Array, ends: readonly number[]) {
    this.shape = shape
    this.spelling = spelling
    this.bytes = bytes
    this.ends = ends
  }

  get values(): readonly Stored[] {
    return this.ends.map((end, i) => decodeStored(this.bytes.subarray(this.ends[i - 1] ?? 0, end)) as Stored)
  }
}

/**
 * The content of a unit of the source: an envelope without the entry's body, and the spelling of the value ('' is
 * compact); or its bytes, in chunks.
 */
export type StoredContent =
  | (StoredEnvelope & { readonly spelling: string })
  | { readonly raw: readonly (Uint8Array | BlobRef)[] }

/** A record without its content. */
export type StoredHeader = Pick<StoredRecord, 'row' | 'tip' | 'time' | 'native' | 'usage'>

/** Returns a record without its content. */
export function storedHeader({ row, tip, time, native, usage }: StoredHeader): StoredHeader {
  if (usage !== undefined) return { ...storedHeader({ row, tip, time, native }), usage }
  if (time === undefined) return native === undefined ? { row, tip } : { row, tip, native }
  return native === undefined ? { row, tip, time } : { row, tip, time, native }
}

/** Consecutive records of a log. */
export interface StoredBatch {
  /** The position of the first. */
  readonly start: number
  /** The records without their content. */
  readonly headers: readonly StoredHeader[]
  /** Returns the records. The first call decodes them, which costs many times as much as the headers. */
  readonly records: () => readonly StoredRecord[]
}

/** Returns records in memory as a batch. */
export const storedBatch = (start: number, records: readonly StoredRecord[]): StoredBatch => ({
  start,
  headers: records.map(storedHeader),
  records: () => records,
})

/** Returns the part of a batch in a range of positions; undefined where that is empty. */
export function slicedBatch(batch: StoredBatch, from: number, to: number): StoredBatch | undefined {
  const { start, headers } = batch
  const [first, end] = [Math.max(0, from - start), Math.min(headers.length, to - start)]
  if (first >= end) return undefined
  if (first === 0 && end === headers.length) return batch
  const records = (): readonly StoredRecord[] => batch.records().slice(first, end)
  return { start: start + first, headers: headers.slice(first, end), records }
}
