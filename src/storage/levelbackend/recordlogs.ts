import { prefetched } from '../../model/async.ts'
import { hasCode, SessError } from '../../model/errors.ts'
import type { LogId } from '../../model/record.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import type { PutTarget } from './blockpacker.ts'
import { compress, decompress, decompressInPool } from './compression.ts'
import {
  type Key,
  logOfSegment,
  MAX_NUMBER,
  positionOfSegment,
  prefixEnd,
  SPACE,
  segmentKey,
} from './keys.ts'
import type { KeyValueStore } from './keyvaluestore.ts'
import { encodeSegment, openSegment } from './recordsegment.ts'
import {
  type StoredBatch,
  type StoredHeader,
  type StoredRecord,
  slicedBatch,
  storedBatch,
} from './storedrecord.ts'
import { addZones, completedZones } from './zonemap.ts'

/** A segment is closed at this many records. */
const SEGMENT_RECORDS = 512
/** The number of logs with an open segment. */
const MAX_OPEN = 64
/** Brotli's quality for segments, which are small compared with bodies and are read whole. */
const QUALITY = 5

const LOGS = Uint8Array.of(SPACE.log)

/** A segment that is not written yet. */
export interface PendingSegment {
  readonly start: number
  readonly records: readonly StoredRecord[]
}

/** The lengths of logs that were appended to since the database was opened. */
export type LogEnds = Map<LogId, number>

/** Reads logs: the stored segments, then the pending ones. */
export class LogReader {
  readonly #store: KeyValueStore
  readonly #pending: (log: LogId) => readonly PendingSegment[]
  readonly #ends: LogEnds
  /** The segment that was read last: records are often read one by one, in the order of the log. */
  #newest: (StoredBatch & { readonly log: LogId; readonly version: number }) | undefined

  /** `pending` returns the pending segments of a log, in order. */
  constructor(store: KeyValueStore, unput: (log: LogId) => readonly PendingSegment[], ends: LogEnds) {
    this.#store = store
    this.#pending = unput
    this.#ends = ends
  }

  /**
   * Yields the records of a range in batches. Reads only the segments that hold them, and decompresses the next ones
   * ahead on the thread pool.
   */
  async *batches(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<StoredBatch> {
    for await (const batch of this.#read(log, from, to, reverse)) {
      const some = slicedBatch(batch, from, to)
      if (some) yield some
    }
  }

  /** Returns the headers of a range of records; undefined where some are missing or damaged. */
  async headers(log: LogId, from: number, to: number): Promise<readonly StoredHeader[] | undefined> {
    const found: StoredHeader[] = []
    try {
      for await (const { start, headers } of this.batches(log, from, to, false)) {
        if (start !== from + found.length) return undefined
        for (const header of headers) found.push(header)
      }
    } catch (error) {
      if (hasCode(error, 'corrupt')) return undefined
      throw error
    }
    return found.length === to - from ? found : undefined
  }

  /** Returns the position up to which the records of a log are in stored segments, unless they end before that. */
  storedEnd(log: LogId): number {
    return this.#pending(log)[0]?.start ?? MAX_NUMBER
  }

  /** Yields the whole segments that hold records of a range. */
  async *#read(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<StoredBatch> {
    if (from >= to) return
    const { version } = this.#store
    const newest = this.#newest
    if (newest?.log === log && newest.version === version && holds(newest, from, to)) {
      yield newest
      return
    }
    for await (const batch of this.#whole(log, from, to, reverse)) {
      this.#newest = { ...batch, log, version }
      yield batch
    }
  }

  async *#whole(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<StoredBatch> {
    const unput = this.#pending(log)
    const end = Math.min(to, unput[0]?.start ?? MAX_NUMBER)
    const held = unput.map(({ start, records }) => storedBatch(start, records))
    if (reverse) yield* held.toReversed()
    if (from < end) yield* this.#stored(log, from, end, reverse)
    if (!reverse) yield* held
  }

  async *#stored(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<StoredBatch> {
    const first = (await segmentStart(this.#store, log, from)) ?? from
    const range = this.#store.range(segmentKey(log, first), segmentKey(log, to), reverse)
    const unpacked = prefetched(range, async ([key, value]) => ({
      key,
      segment: await decompressInPool(compressedIn(key, value)),
    }))
    // Decoded only when it is yielded: the garbage collector would copy those that wait.
    for await (const { key, segment } of unpacked) yield openBatch(key, segment)
  }

  /** Yields all logs, each with its length. */
  async *all(): AsyncGenerator<readonly [log: LogId, end: number]> {
    const ends = new Map(this.#ends)
    // Backwards from the last log, by the last segment of each: this reads one key for each log, not for each segment.
    for (let end = prefixEnd(LOGS); ; ) {
      const last = await this.#last(end)
      if (!last) break
      const [log, count] = last
      yield [log, ends.get(log) ?? count]
      ends.delete(log)
      end = segmentKey(log, 0)
    }
    yield* ends
  }

  async #last(before: Key): Promise<readonly [log: LogId, end: number] | undefined> {
    for await (const [key, value] of this.#store.range(LOGS, before, true)) {
      const { start, headers } = decodeBatch(key, value)
      return [logOfSegment(key), start + headers.length]
    }
    return undefined
  }

  /** Returns the length of a log, undone records included. */
  async length(log: LogId): Promise<number> {
    const known = this.#ends.get(log)
    if (known !== undefined) return known
    const unput = this.#pending(log).at(-1)
    if (unput) return unput.start + unput.records.length
    for await (const [key, value] of this.#store.range(
      segmentKey(log, 0),
      segmentKey(log, MAX_NUMBER),
      true,
    )) {
      const { start, headers } = decodeBatch(key, value)
      return start + headers.length
    }
    return 0
  }
}

const holds = ({ start, headers }: StoredBatch, from: number, to: number): boolean =>
  from >= start && to <= start + headers.length

const nameOf = (key: Key): string => `log ${logOfSegment(key)} at ${positionOfSegment(key)}`

const compressedIn = (key: Key, value: Uint8Array): Uint8Array => removeChecksum(key, value, nameOf(key))

const decodeBatch = (key: Key, value: Uint8Array): StoredBatch =>
  openBatch(key, decompress(compressedIn(key, value)))

function openBatch(key: Key, segment: Uint8Array): StoredBatch {
  const name = nameOf(key)
  const { start, headers, records } = wellFormed(name, () => openSegment(positionOfSegment(key), segment))
  return { start, headers, records: () => wellFormed(name, records) }
}

/** Returns the start of the last segment that begins at or before a position, or undefined. */
export async function segmentStart(
  store: KeyValueStore,
  log: LogId,
  position: number,
): Promise<number | undefined> {
  for await (const [key] of store.range(segmentKey(log, 0), segmentKey(log, position + 1), true))
    return positionOfSegment(key)
  return undefined
}

/** Writes the records of logs in segments, and the zone maps of these. */
export class LogWriter {
  readonly #to: PutTarget
  readonly #ends: LogEnds
  readonly #stored: Pick<LogReader, 'headers'>
  readonly #most: number
  readonly #touched = new Set<LogId>()
  readonly #open = new Map<LogId, OpenSegment>()
  /** The pending segments by log, the open one last. */
  readonly #unput = new Map<LogId, readonly PendingSegment[]>()
  /** In the order in which they are written: each one waits for the one before it. */
  readonly #packing = new Set<Promise<void>>()
  #last: Promise<void> | undefined
  #failure: unknown
  #abandoned = false

  /**
   * `ends` receives the lengths of the logs that it appends to, at most `most` of which have an open segment. `stored`
   * reads the records before those that are appended.
   */
  constructor(to: PutTarget, ends: LogEnds, stored: Pick<LogReader, 'headers'>, most = MAX_OPEN) {
    this.#to = to
    this.#ends = ends
    this.#stored = stored
    this.#most = most
  }

  /** Returns the pending segments of a log, in order. */
  pending(log: LogId): readonly PendingSegment[] {
    return this.#unput.get(log) ?? []
  }

  append(log: LogId, position: number, record: StoredRecord): void {
    if (position >= MAX_NUMBER)
      throw new SessError('corrupt', `the log ${log} has no room for record ${position}`)
    let open = this.#open.get(log)
    if (!open) {
      if (this.#open.size >= this.#most) this.#closeOldest()
      open = { start: position, records: [] }
      this.#open.set(log, open)
      this.#unput.set(log, [...this.pending(log), open])
    }
    if (position !== open.start + open.records.length)
      throw new RangeError('positions of a log are consecutive')
    open.records.push(record)
    this.#touched.add(log)
    this.#ends.set(log, position + 1)
    if (open.records.length >= SEGMENT_RECORDS) this.#closeSegment(log, open)
  }

  #closeOldest(): void {
    for (const [log, segment] of this.#open) return this.#closeSegment(log, segment)
  }

  #closeSegment(log: LogId, segment: OpenSegment): void {
    this.#open.delete(log)
    const packing = this.#putInOrder(
      log,
      segment,
      compress(encodeSegment(segment.records), QUALITY),
      this.#last,
    )
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#packing.delete(packing))
    this.#packing.add(packing)
    this.#last = packing
  }

  /** Writes segments in order, so that a log never has a gap. */
  async #putInOrder(
    log: LogId,
    segment: OpenSegment,
    packing: Promise<Uint8Array>,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const packed = await packing
    await before
    if (this.#isStopped) return
    const { first, zones } = await completedZones(segment.start, segment.records, (from, to) =>
      this.#stored.headers(log, from, to),
    )
    if (this.#isStopped) return
    const key = segmentKey(log, segment.start)
    this.#to.put(key, addChecksum(key, packed))
    addZones(this.#to, log, first, zones)
    this.#unput.set(
      log,
      this.pending(log).filter((other) => other !== segment),
    )
  }

  get #isStopped(): boolean {
    return this.#abandoned || this.#failure !== undefined
  }

  /** Drops the records that are not written yet. */
  abandon(): void {
    this.#abandoned = true
    for (const log of this.#touched) this.#ends.delete(log)
    this.#open.clear()
    this.#unput.clear()
  }

  /** Waits until few segments are being compressed, so that memory stays bounded. */
  async throttle(most = 4): Promise<void> {
    for (const first of this.#packing) {
      if (this.#packing.size <= most) break
      await first
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Writes everything that was appended. */
  async close(): Promise<void> {
    for (const [log, segment] of this.#open) this.#closeSegment(log, segment)
    await this.throttle(0)
  }
}

interface OpenSegment extends PendingSegment {
  readonly records: StoredRecord[]
}
