import { decodeStored, encode } from '../../model/canonical.ts'
import { type Ranges, united } from '../../model/ranges.ts'
import { ByteSink, ByteSource } from '../varint.ts'
import { wellFormed } from '../ioerrors.ts'
import { extentKey, SPACE } from '../level/keys.ts'
import { type Put, SealedPut } from '../level/put.ts'
import { unseal } from '../checksum.ts'
import type { Table } from '../level/keyvaluestore.ts'

/**
 * Where to look for what a session reaches, so that a search reads neither all refs nor all histories. It grows only:
 * what it names and where it leads may be more than the session's refs do now, never less.
 */
export interface Extent {
  /** Rows among which all entries are that its refs have ever reached. */
  readonly ranges: Ranges
  /** When it was last added to, in milliseconds since 1970; null is unknown. */
  readonly time: number | null
  /** The titles and labels that it has ever had. */
  readonly names: readonly string[]
}

/** The extent of what reaches nothing. */
export const NO_EXTENT: Extent = { ranges: [], time: null, names: [] }

/** An extent has so many ranges at most: appends of many sessions side by side would make more and more of them. */
const MOST = 8

/** Gives an extent with another added to it. */
export const joinedExtent = (known: Extent, more: Extent): Extent => ({
  ranges: united(known.ranges, more.ranges, MOST),
  time: more.time ?? known.time,
  names: more.names.length === 0 ? known.names : [...new Set([...known.names, ...more.names])],
})

/** The last moment that a Date knows, in milliseconds since 1970: a transcript may name any. */
const LATEST = 8.64e15

const utf8 = new TextDecoder()

const WHAT = 'the extent of a session'

/** What bytes that were just written or read say, so that they are decoded once. */
const decoded = new WeakMap<Uint8Array, Extent>()

/** Gives the extent of a session, as it is with all that was put. */
export function readExtent(table: Table, session: string): Extent | undefined {
  const content = table.content(extentKey(session), WHAT)
  return content && (decoded.get(content) ?? extentIn(content))
}

/** Gives the extents of all sessions, by their ids. */
export async function readExtents(table: Table): Promise<Map<string, Extent>> {
  const pairs = await table.all(Uint8Array.of(SPACE.extent))
  return new Map(
    pairs.map(([key, value]) => [utf8.decode(key.subarray(1)), extentIn(unseal(key, value, WHAT))]),
  )
}

/** Gives what adds to the extent of a session, or with `again` to none. */
export function extentPut(table: Table, session: string, more: Extent, again = false): Put {
  const known = again ? NO_EXTENT : (readExtent(table, session) ?? NO_EXTENT)
  const extent = joinedExtent(known, more)
  const { ranges, time, names } = extent
  const sink = new ByteSink()
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
  return new SealedPut(extentKey(session), content)
}

const extentIn = (content: Uint8Array): Extent => wellFormed(WHAT, () => decodeExtent(content))

function decodeExtent(content: Uint8Array): Extent {
  const source = new ByteSource(content)
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
