import { decodeStored, encode } from '../../model/encoding/canonical.ts'
import { type Ranges, united } from '../../model/ranges.ts'
import { removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { coverageKey, SPACE } from '../levelbackend/keys.ts'
import { ChecksummedPut, type Put } from '../levelbackend/keyvalue.ts'
import type { KeyValueStore } from '../levelbackend/keyvaluestore.ts'
import { ByteReader, ByteWriter } from '../varint.ts'

/**
 * The ranges of rows that hold the entries of a session, and its names, so that a search reads neither all refs nor all
 * histories. It only grows: it may cover more than the session's refs reach now, never less.
 */
export interface StoredCoverage {
  /** The rows of all entries that its refs have ever reached, and of others. */
  readonly ranges: Ranges
  /** The time of its newest record, in milliseconds since 1970; null where unknown. */
  readonly time: number | null
  /** The titles and labels that it has ever had. */
  readonly names: readonly string[]
}

/** The coverage of a session without entries. */
export const NO_COVERAGE: StoredCoverage = { ranges: [], time: null, names: [] }

/** The maximum number of ranges: interleaved appends to many sessions would make ever more of them. */
const MAX_RANGES = 8

/** Returns the union of two coverages. */
export const joinedCoverage = (known: StoredCoverage, more: StoredCoverage): StoredCoverage => ({
  ranges: united(known.ranges, more.ranges, MAX_RANGES),
  time: more.time ?? known.time,
  names: more.names.length === 0 ? known.names : [...new Set([...known.names, ...more.names])],
})

/** The latest time of a Date, in milliseconds since 1970: a transcript may contain a later one. */
const LATEST = 8.64e15

const utf8 = new TextDecoder()

const COVERAGE_NAME = 'the search coverage of a session'

/** Decoded coverages by their bytes. */
const decoded = new WeakMap<Uint8Array, StoredCoverage>()

/** Returns the coverage of a session, pending puts included. */
export function readCoverage(store: KeyValueStore, session: string): StoredCoverage | undefined {
  const content = store.getChecked(coverageKey(session), COVERAGE_NAME)
  return content && (decoded.get(content) ?? coverageIn(content))
}

/** Returns the coverages of all sessions by their ids. */
export async function readAllCoverage(store: KeyValueStore): Promise<Map<string, StoredCoverage>> {
  const pairs = await store.scanAll(Uint8Array.of(SPACE.coverage))
  return new Map(
    pairs.map(([key, value]) => [
      utf8.decode(key.subarray(1)),
      coverageIn(removeChecksum(key, value, COVERAGE_NAME)),
    ]),
  )
}

/** Returns the put that adds to the coverage of a session; with `again` it replaces it. */
export function coveragePut(store: KeyValueStore, session: string, more: StoredCoverage, again = false): Put {
  const known = again ? NO_COVERAGE : (readCoverage(store, session) ?? NO_COVERAGE)
  const coverage = joinedCoverage(known, more)
  const content = encodeCoverage(coverage)
  decoded.set(content, coverage)
  return new ChecksummedPut(coverageKey(session), content)
}

/** Returns encoded coverage with each name replaced by `change`; the same bytes if none changes. */
export function renamedCoverage(content: Uint8Array, change: (name: string) => string): Uint8Array {
  const coverage = coverageIn(content)
  const names = coverage.names.map(change)
  if (names.every((name, i) => name === coverage.names[i])) return content
  return encodeCoverage({ ...coverage, names: [...new Set(names)] })
}

/** Returns the union of two encoded coverages, with the newer time. */
export function joinedCoverageContent(one: Uint8Array, other: Uint8Array): Uint8Array {
  const [older, newer] = [coverageIn(one), coverageIn(other)].sort((a, b) => (a.time ?? 0) - (b.time ?? 0))
  return encodeCoverage(joinedCoverage(older ?? NO_COVERAGE, newer ?? NO_COVERAGE))
}

function encodeCoverage({ ranges, time, names }: StoredCoverage): Uint8Array {
  const sink = new ByteWriter()
  sink.varint(ranges.length)
  let end = 0
  for (const [from, to] of ranges) {
    sink.varint(from - end)
    sink.varint(to - from)
    end = to
  }
  // A time before 1970 counts as none.
  sink.varint(time === null || !(time >= 0) ? 0 : Math.floor(Math.min(time, LATEST)) + 1)
  if (names.length > 0) sink.bytes(encode(names))
  return sink.view()
}

const coverageIn = (content: Uint8Array): StoredCoverage =>
  wellFormed(COVERAGE_NAME, () => decodeCoverage(content))

function decodeCoverage(content: Uint8Array): StoredCoverage {
  const source = new ByteReader(content)
  let end = 0
  const count = source.varint()
  if (count > source.left) throw new RangeError('it has absurdly many ranges')
  const ranges = Array.from({ length: count }, () => {
    const from = end + source.varint()
    end = from + source.varint()
    return [from, end] as const
  })
  const time = source.varint()
  const names = source.left === 0 ? [] : (decodeStored(source.bytes(source.left)) as string[])
  return { ranges, time: time === 0 ? null : time - 1, names }
}
