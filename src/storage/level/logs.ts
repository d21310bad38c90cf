import { prefetched } from '../../model/async.ts'
import type { LogId } from '../../model/record.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import type { PutTarget } from './blockpacker.ts'
import { compress, decompress, decompressInPool } from './compression.ts'
import { type Key, logOfSegment, positionOfSegment, prefixEnd, SPACE, segmentKey } from './keys.ts'
import type { KeyValueStore } from './keyvaluestore.ts'
import { encodeSegment, openSegment } from './logsegment.ts'
import { type StoredBatch, type StoredRecord, slicedBatch, storedBatch } from './storedrecord.ts'

/** A segment is closed at this many records. */
const SEGMENT_RECORDS = 512
/** Of so many logs a segment is open at a time: an import writes one log after the other and comes back to none. */
const MAX_OPEN = 64
/** Brotli's quality for segments: they are small beside the bodies and read whole. */
const QUALITY = 5

const END = 2 ** 48 - 1

const LOGS = Uint8Array.of(SPACE.log)

/** A segment that is not put yet. */
export interface PendingSegment {
  readonly start: number
  readonly records: readonly StoredRecord[]
}

/** Where logs end that were added to since the database was opened. */
export type LogEnds = Map<LogId, number>

/** Reads logs: what is in the table, and behind it what is not put yet. */
export class LogReader {
  readonly #store: KeyValueStore
  readonly #pending: (log: LogId) => readonly PendingSegment[]
  readonly #ends: LogEnds
  /** The segment that was read last: records are most often asked for one by one, in the order of the log. */
  #newest: (StoredBatch & { readonly log: LogId; readonly version: number }) | undefined

  /** `unput` gives the segments of a log that are not put yet, in order. */
  constructor(store: KeyValueStore, unput: (log: LogId) => readonly PendingSegment[], ends: LogEnds) {
    this.#store = store
    this.#pending = unput
    this.#ends = ends
  }

  /**
   * Gives the same many at a time. Reads only the segments that hold them, and unpacks the next ones on other threads
   * meanwhile.
   */
  async *batches(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<StoredBatch> {
    for await (const stretch of this.#read(log, from, to, reverse)) {
      const some = slicedBatch(stretch, from, to)
      if (some) yield some
    }
  }

  /** Gives whole what stands together and holds any of these records. */
  async *#read(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<StoredBatch> {
    if (from >= to) return
    const { version } = this.#store
    const newest = this.#newest
    if (newest?.log === log && newest.version === version && holds(newest, from, to)) {
      yield newest
      return
    }
    for await (const stretch of this.#whole(log, from, to, reverse)) {
      this.#newest = { ...stretch, log, version }
      yield stretch
    }
  }

  async *#whole(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<StoredBatch> {
    const unput = this.#pending(log)
    const end = Math.min(to, unput[0]?.start ?? END)
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
    // Opened when it is its turn: what waits the collector would carry along.
    for await (const { key, segment } of unpacked) yield openBatch(key, segment)
  }

  /** Gives the logs, each with the position behind its last record. */
  async *all(): AsyncGenerator<readonly [log: LogId, end: number]> {
    const ends = new Map(this.#ends)
    // From the last log on, each by its last segment: a key is read for each log, not for each segment.
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
      const { start, headers: spine } = decodeBatch(key, value)
      return [logOfSegment(key), start + spine.length]
    }
    return undefined
  }

  /** Returns how many records a log has, those of what was undone included. */
  async length(log: LogId): Promise<number> {
    const known = this.#ends.get(log)
    if (known !== undefined) return known
    const unput = this.#pending(log).at(-1)
    if (unput) return unput.start + unput.records.length
    for await (const [key, value] of this.#store.range(segmentKey(log, 0), segmentKey(log, END), true)) {
      const { start, headers: spine } = decodeBatch(key, value)
      return start + spine.length
    }
    return 0
  }
}

const holds = ({ start, headers: spine }: StoredBatch, from: number, to: number): boolean =>
  from >= start && to <= start + spine.length

const nameOf = (key: Key): string => `log ${logOfSegment(key)} at ${positionOfSegment(key)}`

const compressedIn = (key: Key, value: Uint8Array): Uint8Array => removeChecksum(key, value, nameOf(key))

const decodeBatch = (key: Key, value: Uint8Array): StoredBatch =>
  openBatch(key, decompress(compressedIn(key, value)))

function openBatch(key: Key, segment: Uint8Array): StoredBatch {
  const name = nameOf(key)
  const {
    start,
    headers: spine,
    records,
  } = wellFormed(name, () => openSegment(positionOfSegment(key), segment))
  return { start, headers: spine, records: () => wellFormed(name, records) }
}

/** Gives the start of the segment that may hold a position: the last that begins at or before it. */
export async function segmentStart(
  store: KeyValueStore,
  log: LogId,
  position: number,
): Promise<number | undefined> {
  for await (const [key] of store.range(
    segmentKey(log, 0),
    segmentKey(log, Math.min(END, position + 1)),
    true,
  ))
    return positionOfSegment(key)
  return undefined
}

/** Gathers the records of logs into segments. */
export class LogWriter {
  readonly #to: PutTarget
  readonly #ends: LogEnds
  readonly #touched = new Set<LogId>()
  readonly #open = new Map<LogId, OpenSegment>()
  /** By log the segments that are not put yet, the open one last. */
  readonly #unput = new Map<LogId, readonly PendingSegment[]>()
  /** In the order in which they are put: each one waits for the one before it. */
  readonly #packing = new Set<Promise<void>>()
  #last: Promise<void> | undefined
  #failure: unknown
  #abandoned = false

  /** Tells where the logs end that it adds to. */
  constructor(to: PutTarget, ends: LogEnds) {
    this.#to = to
    this.#ends = ends
  }

  /** Gives the segments of a log that are not put yet, in order. */
  pending(log: LogId): readonly PendingSegment[] {
    return this.#unput.get(log) ?? []
  }

  append(log: LogId, position: number, record: StoredRecord): void {
    let open = this.#open.get(log)
    if (!open) {
      if (this.#open.size >= MAX_OPEN) this.#closeOldest()
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

  /** Puts segments in order: where a log goes on behind a position, its next segment is there. */
  async #putInOrder(
    log: LogId,
    segment: OpenSegment,
    packing: Promise<Uint8Array>,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const packed = await packing
    await before
    if (this.#abandoned || this.#failure !== undefined) return
    const key = segmentKey(log, segment.start)
    this.#to.put(key, addChecksum(key, packed))
    this.#unput.set(
      log,
      this.pending(log).filter((other) => other !== segment),
    )
  }

  /** Forgets the records that are not put yet. */
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

  /** Puts all that was appended. */
  async close(): Promise<void> {
    for (const [log, segment] of this.#open) this.#closeSegment(log, segment)
    await this.throttle(0)
  }
}

interface OpenSegment extends PendingSegment {
  readonly records: StoredRecord[]
}
