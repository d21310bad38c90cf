import { Utf8Buffer } from '../../model/encoding/utf8buffer.ts'
import type { LogRecord } from '../../model/record.ts'
import type { Reader } from '../../repo/reader.ts'
import { addRecord, bytesOfRecord, readRecords, recordsAhead } from '../../repo/records.ts'
import type { ExportHead, LogPrefixes, SourceHead } from '../../repo/session.ts'

/** Gives the first `limit` bytes of a source as they were read, in pieces: what is lent is valid until the next one. */
export async function* sourceBytes(
  reader: Reader,
  source: SourceHead | ExportHead,
  limit = source.expunged ? Number.POSITIVE_INFINITY : source.bytes,
  lent = false,
): AsyncGenerator<Uint8Array> {
  yield* limited(allBytes(reader, source, lent), limit)
}

/** What is lent is not copied, and handed on this many bytes at a time. */
const LENT = 256 << 10

/** Gives all bytes of a source in pieces that are worth handing on; what stands before damage is given all the same. */
async function* allBytes(
  reader: Reader,
  source: SourceHead | ExportHead,
  lent: boolean,
): AsyncGenerator<Uint8Array> {
  const enough = lent ? LENT : ENOUGH
  const room = new Utf8Buffer(2 * enough)
  const taken = (): Uint8Array => (lent ? room.lend() : room.take())
  try {
    for (const [log, count] of logsWith(source))
      for await (const records of recordsAhead(reader, log, 0, count))
        for (const record of records) {
          if (!(await addRecord(room, reader, record)))
            for await (const piece of bytesOfRecord(reader, record)) {
              room.bytes(piece)
              if (room.length >= enough) yield taken()
            }
          if (room.length >= enough) yield taken()
        }
    for await (const piece of keptBytes(reader, source.tail)) room.bytes(piece)
  } catch (error) {
    if (room.length > 0) yield taken()
    throw error
  }
  if (room.length > 0) yield taken()
}

/** Gives the logs in which a source's bytes stand, in their order, each with how many records. */
const logsWith = (source: SourceHead | ExportHead): LogPrefixes => [
  ...('written' in source ? [source.written] : []),
  [source.log, source.count],
]

/** Gives the records that a source's bytes stand in, in their order. */
export async function* sourceRecords(
  reader: Reader,
  source: SourceHead | ExportHead,
): AsyncGenerator<LogRecord> {
  for (const [log, count] of logsWith(source))
    for await (const [, record] of readRecords(reader, log, 0, count)) yield record
}

export async function* keptBytes(reader: Reader, kept: SourceHead['tail']): AsyncGenerator<Uint8Array> {
  for (const blob of kept) yield await reader.readBlob(blob)
}

/** Gives a source as it came: compressed where it was. */
export const wholeBytes = (reader: Reader, source: SourceHead, lent = false): AsyncGenerator<Uint8Array> =>
  source.packed ? keptBytes(reader, source.packed) : sourceBytes(reader, source, undefined, lent)

/** Bytes are handed on this many at a time: to hand on a single line costs as much as to make it. */
const ENOUGH = 64 << 10

/** Gives bytes in pieces that are worth handing on; what stands before damage is given all the same. */
export async function* gathered(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const room = new Utf8Buffer()
  try {
    for await (const piece of pieces) {
      room.bytes(piece)
      if (room.length >= ENOUGH) yield room.take()
    }
  } catch (error) {
    if (room.length > 0) yield room.take()
    throw error
  }
  if (room.length > 0) yield room.take()
}

export async function* limited(
  pieces: AsyncIterable<Uint8Array>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  let left = limit
  for await (const piece of pieces) {
    if (left <= 0) return
    yield piece.length <= left ? piece : piece.subarray(0, left)
    left -= piece.length
  }
}
