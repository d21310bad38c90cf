import type { Format } from '../../formats/core/format.ts'
import type { Sample } from '../../formats/core/sample.ts'
import type { Unit } from '../../formats/core/splitter.ts'
import type { Hasher } from '../../model/encoding/sha256.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { Reader } from '../../repo/reader.ts'
import { readHeaders } from '../../repo/records.ts'
import type { Change } from '../../repo/repo.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import type { Indexer } from '../indexing.ts'
import type { Standing } from './base.ts'
import type { ExportedRecords, LogTarget } from './logtarget.ts'
import type { ReaderState } from './readerstate.ts'

/** The records of a log, for a source that is known to begin with the same bytes and is read by the same reading. */
export interface KnownRecords extends Required<LogTarget> {
  /** The state of the reader after the first of them, if it was saved: these are not parsed again. */
  readonly state?: ReaderState | undefined
  /** By position in the log: the entry that the record carries, if any. */
  readonly entries: readonly (EntryHandle | undefined)[]
  /** The tip after its last record. */
  readonly tip: EntryHandle | undefined
  /** How many bytes of the source its records and those before them stand for. */
  readonly bytes: number
}

/** The store that a source is read into. */
export interface IngestContext extends Pick<Change, 'reader' | 'writer'> {
  readonly indexer: Indexer
  /** Called with the native ids of its records. */
  readonly onNative?: ((native: string) => void) | undefined
}

/** A source: its format, its names, and the log that it is read into, if any. */
export interface IngesterOptions extends Standing {
  readonly format: Format
  readonly sample: Pick<Sample, 'name' | 'folder' | 'above' | 'headUnits'>
  readonly target?: LogTarget | undefined
  readonly exportedRecords?: ExportedRecords | undefined
  /** The records that the target, or a log that has all of the source, is known to have of it. */
  readonly known?: KnownRecords | undefined
  /** The digest of bytes that the source begins with, and their number. Further bytes are added to it. */
  readonly digest?: { readonly hasher: Hasher; readonly bytes: number } | undefined
  /** Returns whether the state after a number of bytes is to be kept. */
  readonly keeps?: ((bytes: number) => boolean) | undefined
  /** Called with each unit before it is read. */
  readonly onUnit?: (unit: Unit) => void
  /** Called with the native ids of its records. */
  readonly onNative?: ((native: string) => void) | undefined
}

/**
 * Returns the records that a log has of a source, of which `first` precede the log. A saved state has the entries of the
 * records before it: only the headers of the records after it are read, and that of the last one.
 */
export async function readKnownRecords(
  reader: Reader,
  head: SourceHead | ExportHead,
  first: number,
  saved?: ReaderState,
): Promise<KnownRecords> {
  const { log, count, hash } = head
  const entries = [...(saved?.entries ?? [])]
  const from = Math.max(0, Math.min(entries.length, count - 1))
  let tip: EntryHandle | undefined
  for await (const [position, header] of readHeaders(reader, log, from, count)) {
    if (position < entries.length && entries[position] !== header.entry)
      return readKnownRecords(reader, head, first)
    entries[position] = header.entry
    tip = header.tip
  }
  let { bytes } = head
  for (const blob of head.tail) bytes -= (await reader.readBlob(blob)).length
  return { log, count, hash, first, entries, tip, bytes, state: saved }
}
