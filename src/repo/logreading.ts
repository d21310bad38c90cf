import { SessError } from '../model/errors.ts'
import type { LogId, LogRecord, RecordHeader } from '../model/record.ts'
import type { Reader } from './reader.ts'

/** Yields the headers of records with their positions. */
export async function* readHeaders(
  reader: Pick<Reader, 'readLog'>,
  log: LogId,
  from: number,
  to: number,
  reverse = false,
): AsyncGenerator<[position: number, header: RecordHeader]> {
  for await (const { start, headers } of reader.readLog(log, { from, to, reverse }))
    for (const at of indexesOf(headers, reverse)) yield [start + at, headers[at] as RecordHeader]
}

/** Yields records with their positions. */
export async function* readRecords(
  reader: Pick<Reader, 'readLog'>,
  log: LogId,
  from: number,
  to: number,
  reverse = false,
): AsyncGenerator<[position: number, record: LogRecord]> {
  for await (const batch of reader.readLog(log, { from, to, reverse })) {
    const records = batch.records()
    for (const at of indexesOf(records, reverse)) yield [batch.start + at, records[at] as LogRecord]
  }
}

function* indexesOf({ length }: { readonly length: number }, reverse: boolean): Generator<number> {
  for (let n = 0; n < length; n++) yield reverse ? length - 1 - n : n
}

/** Returns the record at a position. Throws `corrupt` where the log has none. */
export async function readRecord(
  reader: Pick<Reader, 'readLog'>,
  log: LogId,
  position: number,
): Promise<LogRecord> {
  for await (const { records } of reader.readLog(log, { from: position, to: position + 1 }))
    return records()[0] as LogRecord
  throw new SessError('corrupt', `log ${log} has no record ${position}`)
}
