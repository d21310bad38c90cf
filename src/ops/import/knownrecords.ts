import type { EntryHandle } from '../../model/node.ts'
import type { Reader } from '../../repo/reader.ts'
import { readHeaders } from '../../repo/records.ts'
import type { ExportHead, SourceHead } from '../../repo/session.ts'
import type { LogTarget } from './logtarget.ts'
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
