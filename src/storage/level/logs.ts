import { ahead } from '../../model/ahead.ts'
import type { LogId } from '../../model/record.ts'
import { pack, unpack, unpackAside } from './block.ts'
import type { Puts } from './blockpacker.ts'
import { encodeSegment, openSegment } from './logsegment.ts'
import { type Stretch, stretchOf, within } from './stretch.ts'
import { wellFormed } from '../ioerrors.ts'
import { behind, type Key, logAt, positionAt, SPACE, segmentKey } from './keys.ts'
import type { StoredRecord } from './storedrecord.ts'
import { seal, unseal } from '../checksum.ts'
import type { Table } from './keyvaluestore.ts'

/** A segment is closed at this many records. */
const SEGMENT_RECORDS = 512
/** Of so many logs a segment is open at a time: an import writes one log after the other and comes back to none. */
const MOST_OPEN = 64
/** Brotli's quality for segments: they are small beside the bodies and read whole. */
const QUALITY = 5

const END = 2 ** 48 - 1

const LOGS = Uint8Array.of(SPACE.log)

/** A segment that is not put yet. */
export interface Segment {
  readonly start: number
  readonly records: readonly StoredRecord[]
}

/** Where logs end that were added to since the database was opened. */
export type Ends = Map<LogId, number>

/** Reads logs: what is in the table, and behind it what is not put yet. */
export class LogReader {
  readonly #table: Table
  readonly #unput: (log: LogId) => readonly Segment[]
  readonly #ends: Ends
  /** The segment that was read last: records are most often asked for one by one, in the order of the log. */
  #newest: (Stretch & { readonly log: LogId; readonly version: number }) | undefined

  /** `unput` gives the segments of a log that are not put yet, in order. */
  constructor(table: Table, unput: (log: LogId) => readonly Segment[], ends: Ends) {
    this.#table = table
    this.#unput = unput
    this.#ends = ends
  }

  /**
   * Gives the same many at a time. Reads only the segments that hold them, and unpacks the next ones on other threads
   * meanwhile.
   */
  async *stretches(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<Stretch> {
    for await (const stretch of this.#read(log, from, to, reverse)) {
      const some = within(stretch, from, to)
      if (some) yield some
    }
  }

  /** Gives whole what stands together and holds any of these records. */
  async *#read(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<Stretch> {
    if (from >= to) return
    const { version } = this.#table
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

  async *#whole(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<Stretch> {
    const unput = this.#unput(log)
    const end = Math.min(to, unput[0]?.start ?? END)
    const held = unput.map(({ start, records }) => stretchOf(start, records))
    if (reverse) yield* held.toReversed()
    if (from < end) yield* this.#inTable(log, from, end, reverse)
    if (!reverse) yield* held
  }

  async *#inTable(log: LogId, from: number, to: number, reverse: boolean): AsyncGenerator<Stretch> {
    const first = (await segmentStart(this.#table, log, from)) ?? from
    const range = this.#table.range(segmentKey(log, first), segmentKey(log, to), reverse)
    const unpacked = ahead(range, async ([key, value]) => ({
      key,
      segment: await unpackAside(packedIn(key, value)),
    }))
    // Opened when it is its turn: what waits the collector would carry along.
    for await (const { key, segment } of unpacked) yield opened(key, segment)
  }

  /** Gives the logs, each with the position behind its last record. */
  async *all(): AsyncGenerator<readonly [log: LogId, end: number]> {
    const ends = new Map(this.#ends)
    // From the last log on, each by its last segment: a key is read for each log, not for each segment.
    for (let end = behind(LOGS); ; ) {
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
    for await (const [key, value] of this.#table.range(LOGS, before, true)) {
      const { start, spine } = stretchIn(key, value)
      return [logAt(key), start + spine.length]
    }
    return undefined
  }

  /** Returns how many records a log has, those of what was undone included. */
  async length(log: LogId): Promise<number> {
    const known = this.#ends.get(log)
    if (known !== undefined) return known
    const unput = this.#unput(log).at(-1)
    if (unput) return unput.start + unput.records.length
    for await (const [key, value] of this.#table.range(segmentKey(log, 0), segmentKey(log, END), true)) {
      const { start, spine } = stretchIn(key, value)
      return start + spine.length
    }
    return 0
  }
}

const holds = ({ start, spine }: Stretch, from: number, to: number): boolean =>
  from >= start && to <= start + spine.length

const nameOf = (key: Key): string => `log ${logAt(key)} at ${positionAt(key)}`

const packedIn = (key: Key, value: Uint8Array): Uint8Array => unseal(key, value, nameOf(key))

const stretchIn = (key: Key, value: Uint8Array): Stretch => opened(key, unpack(packedIn(key, value)))

function opened(key: Key, segment: Uint8Array): Stretch {
  const name = nameOf(key)
  const { start, spine, records } = wellFormed(name, () => openSegment(positionAt(key), segment))
  return { start, spine, records: () => wellFormed(name, records) }
}

/** Gives the start of the segment that may hold a position: the last that begins at or before it. */
export async function segmentStart(table: Table, log: LogId, position: number): Promise<number | undefined> {
  for await (const [key] of table.range(
    segmentKey(log, 0),
    segmentKey(log, Math.min(END, position + 1)),
    true,
  ))
    return positionAt(key)
  return undefined
}

/** Gathers the records of logs into segments. */
export class LogPacker {
  readonly #to: Puts
  readonly #ends: Ends
  readonly #touched = new Set<LogId>()
  readonly #open = new Map<LogId, OpenSegment>()
  /** By log the segments that are not put yet, the open one last. */
  readonly #unput = new Map<LogId, readonly Segment[]>()
  /** In the order in which they are put: each one waits for the one before it. */
  readonly #packing = new Set<Promise<void>>()
  #last: Promise<void> | undefined
  #failure: unknown
  #abandoned = false

  /** Tells where the logs end that it adds to. */
  constructor(to: Puts, ends: Ends) {
    this.#to = to
    this.#ends = ends
  }

  /** Gives the segments of a log that are not put yet, in order. */
  unput(log: LogId): readonly Segment[] {
    return this.#unput.get(log) ?? []
  }

  append(log: LogId, position: number, record: StoredRecord): void {
    let open = this.#open.get(log)
    if (!open) {
      if (this.#open.size >= MOST_OPEN) this.#closeOldest()
      open = { start: position, records: [] }
      this.#open.set(log, open)
      this.#unput.set(log, [...this.unput(log), open])
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
    const packing = this.#put(log, segment, pack(encodeSegment(segment.records), QUALITY), this.#last)
      .catch((error: unknown) => {
        this.#failure ??= error
      })
      .finally(() => this.#packing.delete(packing))
    this.#packing.add(packing)
    this.#last = packing
  }

  /** Puts segments in order: where a log goes on behind a position, its next segment is there. */
  async #put(
    log: LogId,
    segment: OpenSegment,
    packing: Promise<Uint8Array>,
    before: Promise<void> | undefined,
  ): Promise<void> {
    const packed = await packing
    await before
    if (this.#abandoned || this.#failure !== undefined) return
    const key = segmentKey(log, segment.start)
    this.#to.put(key, seal(key, packed))
    this.#unput.set(
      log,
      this.unput(log).filter((other) => other !== segment),
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
  async relax(most = 4): Promise<void> {
    for (const first of this.#packing) {
      if (this.#packing.size <= most) break
      await first
    }
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Puts all that was appended. */
  async close(): Promise<void> {
    for (const [log, segment] of this.#open) this.#closeSegment(log, segment)
    await this.relax(0)
  }
}

interface OpenSegment extends Segment {
  readonly records: StoredRecord[]
}
