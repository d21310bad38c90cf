import { SessError } from '../../model/errors.ts'
import type { LogId, RecordRange } from '../../model/record.ts'
import { LruCache } from '../lrucache.ts'
import { logOfSegment, positionOfSegment, prefixEnd, SPACE, spaceKey } from './keys.ts'
import type { KeyValueStore } from './keyvaluestore.ts'
import type { LogReader } from './recordlogs.ts'
import type { Row } from './rows.ts'
import {
  addZones,
  openZones,
  type RowRange,
  readableZones,
  VALUE_ZONES,
  valueKey,
  ZONE_RECORDS,
  type Zone,
  zoneOf,
} from './zonemap.ts'

const ALL = spaceKey(SPACE.zones)

/** The number of zones that are cached. */
const MAX_CACHED = 1 << 16

/** The number of logs whose tails are cached. */
const MAX_TAILS = 1024

/** The number of records of the memtable from which on their log is asked whether it has so many. */
const MAX_PENDING = 1 << 16

/** Covers any row: of a zone whose records cannot be read now. */
const ANY: readonly RowRange[] = [[0, Number.MAX_SAFE_INTEGER]]

/** The zone map of a log, from its first record on. */
class LogZones {
  readonly #zones: readonly (readonly RowRange[])[]
  /** The lowest row of each zone and those after it, and the highest row of each zone and those before it. */
  readonly #least: Float64Array
  readonly #most: Float64Array

  constructor(zones: readonly (readonly RowRange[])[]) {
    this.#zones = zones
    this.#least = new Float64Array(zones.length)
    this.#most = new Float64Array(zones.length)
    let most = -1
    for (const [i, zone] of zones.entries()) {
      most = Math.max(most, zone.at(-1)?.[1] ?? -1)
      this.#most[i] = most
    }
    let least = Number.POSITIVE_INFINITY
    for (let i = zones.length - 1; i >= 0; i--) {
      least = Math.min(least, zones[i]?.[0]?.[0] ?? Number.POSITIVE_INFINITY)
      this.#least[i] = least
    }
  }

  get count(): number {
    return this.#zones.length
  }

  get zones(): readonly (readonly RowRange[])[] {
    return this.#zones
  }

  /** Adds the positions of those of the first `count` zones that may name a row, the last one first. */
  find(row: Row, count: number, into: RecordRange[]): void {
    let [low, high] = [0, Math.min(count, this.count)]
    // The zones from `low` on name only rows above the one that is looked for.
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#least[middle] as number) <= row) low = middle + 1
      else high = middle
    }
    for (let zone = low - 1; zone >= 0 && (this.#most[zone] as number) >= row; zone--)
      if (names(this.#zones[zone] as readonly RowRange[], row))
        into.push({ from: zone * ZONE_RECORDS, to: (zone + 1) * ZONE_RECORDS })
  }
}

const names = (zone: readonly RowRange[], row: Row): boolean =>
  zone.some(([first, last]) => first <= row && row <= last)

const NO_ZONES = new LogZones([])

/** The zone of the stored records of a log that complete none, up to an end. */
interface Tail {
  readonly end: number
  readonly zone: readonly RowRange[]
}

const NO_TAIL: Tail = { end: 0, zone: [] }

/** Finds which parts of logs may name an entry. Zones that are missing in the database are made from the records. */
export class ZoneIndex {
  readonly #store: KeyValueStore
  readonly #logs: LogReader
  readonly #cached = new LruCache<LogId, LogZones>(MAX_CACHED, ({ count }) => count)
  readonly #tails = new LruCache<LogId, Tail>(MAX_TAILS, () => 1)

  constructor(store: KeyValueStore, logs: LogReader) {
    this.#store = store
    this.#logs = logs
  }

  /**
   * Returns the parts of the first `count` records of a log outside of which none carries an entry or reports its usage,
   * the last one first.
   */
  ranges(log: LogId, count: number, row: Row): readonly RecordRange[] | Promise<readonly RecordRange[]> {
    // Records of the memtable have no zones: they may be dropped again.
    const end = Math.min(count, this.#logs.storedEnd(log))
    const complete = Math.floor(end / ZONE_RECORDS)
    const zones = complete === 0 ? NO_ZONES : this.#cached.get(log)
    const tail = end % ZONE_RECORDS === 0 ? NO_TAIL : this.#tails.get(log)
    const isKnown = zones && zones.count >= complete && (tail === NO_TAIL || tail?.end === end)
    if (isKnown && count - end <= MAX_PENDING) return rangesIn(zones, { end, zone: tail.zone }, count, row)
    return this.#readRanges(log, { count, end, complete }, row)
  }

  async #readRanges(
    log: LogId,
    { count, end, complete }: { readonly count: number; readonly end: number; readonly complete: number },
    row: Row,
  ): Promise<readonly RecordRange[]> {
    // A damaged head may claim any number. Those that are missing are one range, which cannot be read.
    const length = await this.#logs.length(log)
    if (count > length) return [{ from: length, to: count }, ...(await this.ranges(log, length, row))]
    return rangesIn(await this.#read(log, complete), await this.#readTail(log, end), count, row)
  }

  /** Returns the zone of the records before an end that complete none. */
  async #readTail(log: LogId, end: number): Promise<Tail> {
    const from = end - (end % ZONE_RECORDS)
    if (from === end) return { end, zone: [] }
    const headers = await this.#logs.headers(log, from, end)
    const tail = { end, zone: headers ? zoneOf(headers) : ANY }
    this.#tails.set(log, tail)
    return tail
  }

  async #read(log: LogId, count: number): Promise<LogZones> {
    const known = this.#cached.get(log)?.zones ?? []
    const zones: Zone[] = [...known]
    for (let first = 0; first < count; first += VALUE_ZONES) {
      const key = valueKey(log, first)
      const stored = readableZones(key, this.#store.get(key))
      for (let i = 0; i < VALUE_ZONES && first + i < count; i++) zones[first + i] ??= stored[i]
    }
    const all: (readonly RowRange[])[] = []
    for (let zone = 0; zone < count; zone++) all.push(zones[zone] ?? (await this.#made(log, zone)) ?? ANY)
    const read = new LogZones(all)
    this.#cached.set(log, read)
    return read
  }

  /** Makes a zone from the records; undefined where some are missing or damaged. */
  async #made(log: LogId, zone: number): Promise<Zone> {
    const from = zone * ZONE_RECORDS
    const headers = await this.#logs.headers(log, from, from + ZONE_RECORDS)
    return headers && zoneOf(headers)
  }

  /** Makes all zone maps of the stored records again. */
  async rebuild(): Promise<void> {
    for await (const key of this.#store.keys(ALL, prefixEnd(ALL))) this.#store.put(key, undefined)
    for await (const [log, length] of this.#logs.all()) {
      const count = Math.floor(Math.min(length, this.#logs.storedEnd(log)) / ZONE_RECORDS)
      let zones: Zone[] = []
      for (let zone = 0; zone < count; zone++) {
        zones.push(await this.#made(log, zone))
        if (zones.length < VALUE_ZONES && zone + 1 < count) continue
        addZones(this.#store, log, zone + 1 - zones.length, zones)
        zones = []
      }
    }
  }

  /** Yields a line for each zone map that is damaged or leaves out what its records name. */
  async *problems(): AsyncGenerator<string> {
    for await (const [key, value] of this.#store.scan(ALL)) {
      try {
        const log = logOfSegment(key)
        const first = positionOfSegment(key) / ZONE_RECORDS
        for (const [i, zone] of openZones(key, value).entries()) {
          const made = zone && (await this.#made(log, first + i))
          if (made && JSON.stringify(made) !== JSON.stringify(zone))
            yield `the zone map of the log ${log} is wrong at ${(first + i) * ZONE_RECORDS}`
        }
      } catch (error) {
        if (!(error instanceof SessError)) throw error
        yield error.message
      }
    }
  }
}

/** Returns the ranges of the first `count` records that may name a row: nothing is known of those after the tail. */
function rangesIn(zones: LogZones, { end, zone }: Tail, count: number, row: Row): readonly RecordRange[] {
  const ranges: RecordRange[] = []
  for (let to = count; to > end; ) {
    const from = Math.max(end, to - 1 - ((to - 1) % ZONE_RECORDS))
    ranges.push({ from, to })
    to = from
  }
  const from = end - (end % ZONE_RECORDS)
  if (names(zone, row)) ranges.push({ from, to: end })
  zones.find(row, from / ZONE_RECORDS, ranges)
  return ranges
}
