import { type BlobRef, decodeStored } from '../../model/canonical.ts'
import type { Json } from '../../model/json.ts'
import type { Row } from './rows.ts'

/** A value in stored form: JSON in which large strings may be replaced by the places of blobs. */
export type Stored = Json | BlobRef | readonly Stored[] | { readonly [key: string]: Stored }

/** A record as a log keeps it. */
export interface StoredRecord {
  /** The row of the entry that it carries, or NO_ROW. */
  readonly row: Row
  /** The row of the session's tip after it, or NO_ROW. */
  readonly tip: Row
  /** When it was said, in milliseconds since 1970; undefined is unknown. */
  readonly time?: number | undefined
  /** The id that its source gives it. */
  readonly native?: string | undefined
  /** The bytes before the value: most often one newline, none for the first. */
  readonly lead: Uint8Array
  readonly content: StoredContent
}

/** An envelope (see `model/envelope.ts`) whose values are in stored form. */
export interface StoredEnvelope {
  readonly shape: string
  readonly values: readonly Stored[]
}

/** An envelope whose values are encoded. */
export class EncodedContent implements StoredEnvelope {
  readonly shape: string
  readonly spelling: string
  readonly bytes: Uint8Array
  /** Where each value ends in the bytes. */
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
 * What the source's unit held: an envelope into which the entry's body is put back, and how
 * the value was spelled (see `model/encoding/jsonspelling.ts`; '' is compact); or the bytes as they were, in pieces.
 */
export type StoredContent =
  | (StoredEnvelope & { readonly spelling: string })
  | { readonly raw: readonly (Uint8Array | BlobRef)[] }

/** A record without its content. */
export type StoredHeader = Pick<StoredRecord, 'row' | 'tip' | 'time' | 'native'>

/** Returns a record without its content. */
export function storedHeader({ row, tip, time, native }: StoredHeader): StoredHeader {
  if (time === undefined) return native === undefined ? { row, tip } : { row, tip, native }
  return native === undefined ? { row, tip, time } : { row, tip, time, native }
}

/** Records that stand together in a log. */
export interface StoredBatch {
  /** The position of the first. */
  readonly start: number
  /** What is told of them without their content. */
  readonly headers: readonly StoredHeader[]
  /** Gives the records: many times dearer than their spine, where they are asked for first. */
  readonly records: () => readonly StoredRecord[]
}

/** Gives records that are at hand as a stretch. */
export const storedBatch = (start: number, records: readonly StoredRecord[]): StoredBatch => ({
  start,
  headers: records.map(storedHeader),
  records: () => records,
})

/** Gives what of a stretch lies between two positions; undefined where that is nothing. */
export function slicedBatch(stretch: StoredBatch, from: number, to: number): StoredBatch | undefined {
  const { start, headers: spine } = stretch
  const [first, end] = [Math.max(0, from - start), Math.min(spine.length, to - start)]
  if (first >= end) return undefined
  if (first === 0 && end === spine.length) return stretch
  const records = (): readonly StoredRecord[] => stretch.records().slice(first, end)
  return { start: start + first, headers: spine.slice(first, end), records }
}
