import { type BlobRef, decodeStored } from '../../model/canonical.ts'
import type { Json } from '../../model/json.ts'

/**
 * The number under which a backend keeps an entry: local to one store, in no hash, shown to nobody. The parents of
 * an entry have smaller rows than the entry.
 */
export type Row = number

/** Stands where there is no row. */
export const NO_ROW: Row = -1

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
 * the value was spelled (see `model/spelling.ts`; '' is compact); or the bytes as they were, in pieces.
 */
export type StoredContent =
  | (StoredEnvelope & { readonly spelling: string })
  | { readonly raw: readonly (Uint8Array | BlobRef)[] }
