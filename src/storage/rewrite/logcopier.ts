import { BlobRef } from '../../model/encoding/canonical.ts'
import type { LogId } from '../../model/record.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { type Density, decompress, SAME_DENSITY } from '../levelbackend/compression.ts'
import { positionOfSegment, segmentKey } from '../levelbackend/keys.ts'
import type { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import { segmentStart } from '../levelbackend/recordlogs.ts'
import { decodeSegment, encodeSegment } from '../levelbackend/recordsegment.ts'
import type { Stored, StoredContent, StoredRecord } from '../levelbackend/storedrecord.ts'
import { addZones, completedZones, type ReadHeaders } from '../levelbackend/zonemap.ts'
import { type BlobMoves, blobRefsIn, commitIfLarge, type RewriteSource } from './densepacker.ts'
import type { ContentEdits } from './scope.ts'

/** A segment is closed at this many records. */
const RECORDS = 2048

/** Returns the places of blobs that a record names. */
export const blobRefsOf = ({ content }: StoredRecord): BlobRef[] =>
  'raw' in content ? content.raw.filter((chunk) => chunk instanceof BlobRef) : blobRefsIn(content.values)

function followed(content: StoredContent, moves: BlobMoves): StoredContent {
  if ('raw' in content) {
    const raw = content.raw.map((chunk) =>
      chunk instanceof BlobRef ? (moves.follow(chunk) as BlobRef) : chunk,
    )
    return raw.every((chunk, i) => chunk === content.raw[i]) ? content : { raw }
  }
  const values = moves.follow(content.values) as Stored[]
  return values === content.values ? content : { ...content, values }
}

interface StoredSegment {
  readonly start: number
  readonly value: Uint8Array
  readonly packed: Uint8Array
  readonly records: readonly StoredRecord[]
}

/** Yields the segments of a log with records of a range. */
async function* segmentsOf(
  { store }: RewriteSource,
  log: LogId,
  from: number,
  to: number,
): AsyncGenerator<StoredSegment> {
  if (from >= to) return
  const first = (await segmentStart(store, log, from)) ?? from
  for await (const [key, value] of store.range(segmentKey(log, first), segmentKey(log, to))) {
    const start = positionOfSegment(key)
    const name = `log ${log} at ${start}`
    const packed = removeChecksum(key, value, name)
    yield { start, value, packed, records: wellFormed(name, () => decodeSegment(decompress(packed))) }
  }
}

/** Copies the records of logs, in whole segments. */
export class LogCopier {
  readonly #target: KeyValueStore
  readonly #revision: ContentEdits
  readonly #moves: BlobMoves
  /** The number of copied records, by log. */
  readonly #taken = new Map<LogId, number>()
  readonly #density: Density

  constructor(
    target: KeyValueStore,
    { moves, revision, density }: { moves: BlobMoves; revision: ContentEdits; density: Density },
  ) {
    this.#target = target
    this.#moves = moves
    this.#revision = revision
    this.#density = density
  }

  get #keepsSegments(): boolean {
    return this.#density === SAME_DENSITY
  }

  #revised(record: StoredRecord, log: LogId, position: number): StoredRecord {
    return this.#revision.record?.(record, log, position) ?? record
  }

  /** Yields the segments with records that were not copied yet, up to the given number of each log. */
  async *fresh(
    source: RewriteSource,
    logs: ReadonlyMap<LogId, number>,
  ): AsyncGenerator<{ readonly records: readonly StoredRecord[]; readonly bytes: number }> {
    for (const [log, count] of logs) {
      const from = this.#taken.get(log) ?? 0
      for await (const { start, value, records } of segmentsOf(source, log, from, count)) {
        const wanted = records.flatMap((record, i) =>
          start + i >= from && start + i < count ? this.#revised(record, log, start + i) : [],
        )
        yield { records: wanted, bytes: value.length }
      }
    }
  }

  /** Copies records of logs, up to the given number of each. Their blobs must be copied before. */
  async copy(
    source: RewriteSource,
    logs: ReadonlyMap<LogId, number>,
    onBytes: (bytes: number) => void,
  ): Promise<void> {
    for (const log of [...logs.keys()].sort()) {
      const [from, to] = [this.#taken.get(log) ?? 0, logs.get(log) as number]
      if (from >= to) continue
      await this.#takeLog(source, log, { from, to, onBytes })
      this.#taken.set(log, to)
      await commitIfLarge(this.#target)
    }
  }

  async #takeLog(
    source: RewriteSource,
    log: LogId,
    { from, to, onBytes }: { from: number; to: number; onBytes: (bytes: number) => void },
  ): Promise<void> {
    let start = from
    let waiting: StoredRecord[] = []
    const write = async (): Promise<void> => {
      if (waiting.length > 0) await this.#put(source, log, start, waiting)
      start += waiting.length
      waiting = []
    }
    for await (const segment of segmentsOf(source, log, from, to)) {
      onBytes(segment.value.length)
      const whole = segment.start >= from && segment.start + segment.records.length <= to
      const records = segment.records.slice(Math.max(0, from - segment.start), to - segment.start)
      const next = this.#next(records, log, start + waiting.length)
      const same = whole && next.every((record, i) => record === segment.records[i])
      // A changed segment is written as it was divided where the others stay.
      const full = next.length === RECORDS || start + next.length === to || this.#keepsSegments
      if (same && full && waiting.length === 0 && this.#density.isDense(segment.packed)) {
        this.#target.put(segmentKey(log, start), segment.value)
        await this.#putZones(source, log, start, next)
        start += next.length
        continue
      }
      for (const record of next) {
        waiting.push(record)
        if (waiting.length === RECORDS) await write()
      }
      if (this.#keepsSegments) await write()
    }
    await write()
  }

  /** Returns records from a position of a log, revised and with the new places of their blobs. */
  #next(records: readonly StoredRecord[], log: LogId, position: number): StoredRecord[] {
    return records.map((record, i) => {
      const revised = this.#revised(record, log, position + i)
      const content = followed(revised.content, this.#moves)
      return content === revised.content ? revised : { ...revised, content }
    })
  }

  async #put(
    source: RewriteSource,
    log: LogId,
    start: number,
    records: readonly StoredRecord[],
  ): Promise<void> {
    const key = segmentKey(log, start)
    this.#target.put(key, addChecksum(key, await this.#density.pack(encodeSegment(records))))
    await this.#putZones(source, log, start, records)
  }

  async #putZones(
    source: RewriteSource,
    log: LogId,
    start: number,
    records: readonly StoredRecord[],
  ): Promise<void> {
    const earlier: ReadHeaders = async (from, to) => {
      const found: StoredRecord[] = []
      for await (const segment of segmentsOf(source, log, from, to))
        found.push(...segment.records.slice(Math.max(0, from - segment.start), to - segment.start))
      return found.length === to - from ? found : undefined
    }
    const { first, zones } = await completedZones(start, records, earlier)
    addZones(this.#target, log, first, zones)
  }
}
