import type { LogId } from '../../model/record.ts'
import { addChecksum, failsChecksum, removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { ByteReader, ByteWriter } from '../varint.ts'
import type { PutTarget } from './blockpacker.ts'
import { undefinedIfCorrupt } from './blockreader.ts'
import { type Key, zonesKey } from './keys.ts'
import { NO_ROW, type Row } from './rows.ts'
import type { StoredHeader } from './storedrecord.ts'

/** The number of consecutive records of a log that a zone covers. */
export const ZONE_RECORDS = 512
/** The number of zones that a value of the database holds. */
export const VALUE_ZONES = 128

/** The maximum number of ranges of rows of a zone, and the least gap between two of them. */
const MAX_RANGES = 4
const MIN_GAP = 64

/** Rows from the first one up to and including the last one. */
export type RowRange = readonly [first: Row, last: Row]

/**
 * The ranges of rows outside of which no record of a zone carries an entry or reports the usage of one, in ascending order;
 * undefined where they are unknown.
 */
export type Zone = readonly RowRange[] | undefined

/** Returns the ranges of the rows that records name. They are cut at the widest gaps. */
export function zoneOf(headers: Iterable<StoredHeader>): readonly RowRange[] {
  const rows: Row[] = []
  for (const { row, tip, usage } of headers) {
    if (row !== NO_ROW) rows.push(row)
    if (usage !== undefined && tip !== NO_ROW) rows.push(tip)
  }
  rows.sort((a, b) => a - b)
  const gaps: number[] = []
  for (let i = 1; i < rows.length; i++) if ((rows[i] as Row) - (rows[i - 1] as Row) >= MIN_GAP) gaps.push(i)
  const width = (i: number): number => (rows[i] as Row) - (rows[i - 1] as Row)
  const cuts = gaps
    .sort((a, b) => width(b) - width(a) || a - b)
    .slice(0, MAX_RANGES - 1)
    .sort((a, b) => a - b)
  if (rows.length === 0) return []
  const starts = [0, ...cuts]
  return starts.map((start, i) => [rows[start] as Row, rows[(starts[i + 1] ?? rows.length) - 1] as Row])
}

/** The tag of an unknown zone; any other tag is one more than the number of ranges. */
const UNKNOWN = 0

/** Encodes the zones of a value. */
export function encodeZones(zones: readonly Zone[]): Uint8Array {
  const sink = new ByteWriter(8 * zones.length + 8)
  for (const zone of zones) {
    sink.varint(zone ? zone.length + 1 : UNKNOWN)
    let at = 0
    for (const [first, last] of zone ?? []) {
      sink.varint(first - at)
      sink.varint(last - first)
      at = last
    }
  }
  return sink.view()
}

/** Decodes the zones of a value. Throws a RangeError where they are malformed. */
export function decodeZones(bytes: Uint8Array): Zone[] {
  const source = new ByteReader(bytes)
  const zones: Zone[] = []
  while (source.left > 0) {
    const count = source.varint() - 1
    if (count > MAX_RANGES || zones.length === VALUE_ZONES) throw new RangeError('there are too many zones')
    const zone: RowRange[] = []
    for (let at = 0; zone.length < count; ) {
      const first = at + source.varint()
      at = first + source.varint()
      zone.push([first, at])
    }
    zones.push(count < 0 ? undefined : zone)
  }
  return zones
}

/** Returns the key of the value that holds a zone. */
export const valueKey = (log: LogId, zone: number): Key =>
  zonesKey(log, (zone - (zone % VALUE_ZONES)) * ZONE_RECORDS)

/** Returns the zones of a value with its checksum. Throws `corrupt`. */
export const openZones = (key: Key, value: Uint8Array): Zone[] =>
  wellFormed('a zone map', () => decodeZones(removeChecksum(key, value, 'a zone map')))

/** Returns the zones of a value with its checksum; none where it is missing or damaged. */
export const readableZones = (key: Key, value: Uint8Array | undefined): readonly Zone[] =>
  value === undefined || failsChecksum(key, value)
    ? []
    : (undefinedIfCorrupt(() => openZones(key, value)) ?? [])

/** Reads the headers of records of a log; undefined where some are missing or damaged. */
export type ReadHeaders = (from: number, to: number) => Promise<readonly StoredHeader[] | undefined>

/**
 * Returns the zones that end among consecutive records from a position on, and the number of the first of them. `earlier`
 * reads the headers of the records before them where a zone begins there.
 */
export async function completedZones(
  start: number,
  records: readonly StoredHeader[],
  earlier: ReadHeaders,
): Promise<{ readonly first: number; readonly zones: readonly Zone[] }> {
  const first = Math.floor(start / ZONE_RECORDS)
  const zones: Zone[] = []
  for (let from = first * ZONE_RECORDS; from + ZONE_RECORDS <= start + records.length; from += ZONE_RECORDS) {
    const before = from < start ? await earlier(from, start) : []
    const own = records.slice(Math.max(0, from - start), from + ZONE_RECORDS - start)
    zones.push(before && zoneOf([...before, ...own]))
  }
  return { first, zones }
}

/** Adds consecutive zones to the zone map of a log. Those before them that were never added are unknown. */
export function addZones(to: PutTarget, log: LogId, first: number, zones: readonly Zone[]): void {
  for (let done = 0; done < zones.length; ) {
    const start = first + done
    const key = valueKey(log, start)
    const some = zones.slice(done, done + VALUE_ZONES - (start % VALUE_ZONES))
    to.change(key, (value) => {
      const known: Zone[] = readableZones(key, value).slice(0, start % VALUE_ZONES)
      while (known.length < start % VALUE_ZONES) known.push(undefined)
      return addChecksum(key, encodeZones([...known, ...some]))
    })
    done += some.length
  }
}
