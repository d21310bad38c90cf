import { decodeStored, encode } from '../../model/canonical.ts'
import { type Ranges, united } from '../../model/ranges.ts'
import { removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { coverageKey, SPACE } from '../level/keys.ts'
import { ChecksummedPut, type Put } from '../level/keyvalue.ts'
import type { KeyValueStore } from '../level/keyvaluestore.ts'
import { ByteReader, ByteWriter } from '../varint.ts'

/**
 * Where to look for what a session reaches, so that a search reads neither all refs nor all histories. It grows only:
 * what it names and where it leads may be more than the session's refs do now, never less.
 */
export interface StoredCoverage {
  /** Rows among which all entries are that its refs have ever reached. */
  readonly ranges: Ranges
  /** When it was last added to, in milliseconds since 1970; null is unknown. */
  readonly time: number | null
  /** The titles and labels that it has ever had. */
  readonly names: readonly string[]
}

/** The extent of what reaches nothing. */
export const NO_COVERAGE: StoredCoverage = { ranges: [], time: null, names: [] }

/** An extent has so many ranges at most: appends of many sessions side by side would make more and more of them. */
const MAX_RANGES = 8

/** Gives an extent with another added to it. */
export const joinedCoverage = (known: StoredCoverage, more: StoredCoverage): StoredCoverage => ({
  ranges: united(known.ranges, more.ranges, MAX_RANGES),
  time: more.time ?? known.time,
  names: more.names.length === 0 ? known.names : [...new Set([...known.names, ...more.names])],
})

/** The last moment that a Date knows, in milliseconds since 1970: a transcript may name any. */
const LATEST = 8.64e15

const utf8 = new TextDecoder()

const COVERAGE_NAME = 'the extent of a session'

/** What bytes that were just written or read say, so that they are decoded once. */
const decoded = new WeakMap<Uint8Array, StoredCoverage>()

/** Gives the extent of a session, as it is with all that was put. */
export function readCoverage(store: KeyValueStore, session: string): StoredCoverage | undefined {
  const content = store.getChecked(coverageKey(session), COVERAGE_NAME)
  return content && (decoded.get(content) ?? coverageIn(content))
}

/** Gives the extents of all sessions, by their ids. */
export async function readAllCoverage(store: KeyValueStore): Promise<Map<string, StoredCoverage>> {
  const pairs = await store.scanAll(Uint8Array.of(SPACE.coverage))
  return new Map(
    pairs.map(([key, value]) => [
      utf8.decode(key.subarray(1)),
      coverageIn(removeChecksum(key, value, COVERAGE_NAME)),
    ]),
  )
}

/** Gives what adds to the extent of a session, or with `again` to none. */
export function coveragePut(store: KeyValueStore, session: string, more: StoredCoverage, again = false): Put {
  const known = again ? NO_COVERAGE : (readCoverage(store, session) ?? NO_COVERAGE)
  const extent = joinedCoverage(known, more)
  const { ranges, time, names } = extent
  const sink = new ByteWriter()
  sink.varint(ranges.length)
  let end = 0
  for (const [from, to] of ranges) {
    sink.varint(from - end)
    sink.varint(to - from)
    end = to
  }
  // A time before 1970 is as old as none for those who look for what is new.
  sink.varint(time === null || !(time >= 0) ? 0 : Math.floor(Math.min(time, LATEST)) + 1)
  if (names.length > 0) sink.bytes(encode(names))
  const content = sink.view()
  decoded.set(content, extent)
  return new ChecksummedPut(coverageKey(session), content)
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
