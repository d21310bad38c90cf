import type { LogRecord } from '../../model/record.ts'
import { Utf8Buffer } from '../../model/spelling/utf8buffer.ts'
import type { Reader } from '../../repo/reader.ts'
import { addRecord, bytesOfRecord, readRecords, recordsAhead } from '../../repo/records.ts'
import type { ExportHead, LogPrefixes, SourceHead } from '../../repo/session.ts'

/** Yields the first `limit` bytes of a source as they were read. With `reuse` each chunk is valid only until the next one. */
export async function* sourceBytes(
  reader: Reader,
  source: SourceHead | ExportHead,
  limit = source.expunged ? Number.POSITIVE_INFINITY : source.bytes,
  reuse = false,
): AsyncGenerator<Uint8Array> {
  yield* limited(allBytes(reader, source, reuse), limit)
}

/** The size of reused chunks, which are not copied. */
const REUSED_CHUNK = 256 << 10

/** Yields all bytes of a source in large chunks. Yields the bytes before damage before it throws. */
async function* allBytes(
  reader: Reader,
  source: SourceHead | ExportHead,
  reuse: boolean,
): AsyncGenerator<Uint8Array> {
  const size = reuse ? REUSED_CHUNK : CHUNK
  const buffer = new Utf8Buffer(2 * size)
  const take = (): Uint8Array => (reuse ? buffer.takeView() : buffer.take())
  try {
    for (const [log, count] of logsWith(source))
      for await (const records of recordsAhead(reader, log, 0, count))
        for (const record of records) {
          const added = addRecord(buffer, reader, record)
          if (!(added instanceof Promise ? await added : added))
            for await (const chunk of bytesOfRecord(reader, record)) {
              buffer.bytes(chunk)
              if (buffer.length >= size) yield take()
            }
          if (buffer.length >= size) yield take()
        }
    for await (const chunk of keptBytes(reader, source.tail)) buffer.bytes(chunk)
  } catch (error) {
    if (buffer.length > 0) yield take()
    throw error
  }
  if (buffer.length > 0) yield take()
}

/** Returns the logs that hold a source's bytes, in their order, each with its number of records. */
const logsWith = (source: SourceHead | ExportHead): LogPrefixes => [
  ...('written' in source ? [source.written] : []),
  [source.log, source.count],
]

/** Yields the records that hold a source's bytes, in their order. */
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

/** Yields a source as it was imported, compressed if it was. */
export const wholeBytes = (reader: Reader, source: SourceHead, reuse = false): AsyncGenerator<Uint8Array> =>
  source.packed ? keptBytes(reader, source.packed) : sourceBytes(reader, source, undefined, reuse)

/** The size of chunks. Passing on a single line costs as much as producing it. */
const CHUNK = 64 << 10

/** Yields bytes in large chunks. Yields the bytes before damage before it throws. */
export async function* inChunks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const buffer = new Utf8Buffer()
  try {
    for await (const chunk of pieces) {
      buffer.bytes(chunk)
      if (buffer.length >= CHUNK) yield buffer.take()
    }
  } catch (error) {
    if (buffer.length > 0) yield buffer.take()
    throw error
  }
  if (buffer.length > 0) yield buffer.take()
}

export async function* limited(
  pieces: AsyncIterable<Uint8Array>,
  limit = Number.POSITIVE_INFINITY,
): AsyncGenerator<Uint8Array> {
  let left = limit
  for await (const chunk of pieces) {
    if (left <= 0) return
    yield chunk.length <= left ? chunk : chunk.subarray(0, left)
    left -= chunk.length
  }
}
