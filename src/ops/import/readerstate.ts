import { deserialize, serialize } from 'node:v8'
import type { Format, Inherited } from '../../formats/core/format.ts'
import type { Sample } from '../../formats/core/sample.ts'
import { hasCode } from '../../model/errors.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { SavedState } from '../../model/savedstate.ts'
import type { Reader } from '../../repo/reader.ts'
import type { SourceHead } from '../../repo/session.ts'
import type { EntryPositions } from './sourceentries.ts'

/**
 * The state of reading a source up to some record, so that the source is read on from there. A cache: without it the
 * source is read from its beginning.
 */
export interface ReaderState {
  /** The entries that the records carry, by position. */
  readonly entries: readonly (EntryHandle | undefined)[]
  /** The number of bytes of the records, and of the newlines in these. */
  readonly bytes: number
  readonly lines: number
  readonly positions: EntryPositions
  readonly state: SavedState
}

/** Increment it when a field of a state gets another meaning. A state with other fields is not restored anyway. */
const VERSION = 2

/** The first byte of a state, and the version of its encoding. */
const HEADER = serialize(null).subarray(0, 2)

/** The names of a source and what it inherits from its base, which its reader sees. */
interface ReaderInput extends Pick<Sample, 'name' | 'folder' | 'above'> {
  readonly inherited?: Inherited | undefined
}

/**
 * Returns the identity of a state: another format, reading, name or inheritance may give the same bytes another meaning.
 */
const identityOf = (
  { name, reading }: Format,
  { name: file, folder, above, inherited }: ReaderInput,
): string => JSON.stringify([VERSION, name, reading, file, folder, above, inherited])

/** A state in which all but the entries is encoded: only storage may encode these. */
export interface EncodedState {
  readonly bytes: Uint8Array
  readonly entries: ReaderState['entries']
}

/** Encodes the state of reading a source. */
export const encodeReaderState = (
  { entries, ...state }: ReaderState,
  format: Format,
  seen: ReaderInput,
): EncodedState => ({ bytes: serialize({ of: identityOf(format, seen), ...state }), entries })

/**
 * Returns the state that was kept with a log, if it is of a source with this name and of no more than the records that the
 * log has.
 */
export async function findReaderState(
  reader: Reader,
  { log, count, bytes }: Pick<SourceHead, 'log' | 'count' | 'bytes'>,
  format: Format,
  seen: ReaderInput,
): Promise<ReaderState | undefined> {
  const kept = await keptState(reader, log)
  // A newer Node may have written it.
  if (!kept || !HEADER.equals(kept.bytes.subarray(0, HEADER.length))) return undefined
  const { entries } = kept
  const decoded = decodeState(kept.bytes)
  if (!decoded) return undefined
  const { of, ...state } = decoded
  const fits = of === identityOf(format, seen) && entries.length <= count && state.bytes <= bytes
  return fits ? { entries, ...state } : undefined
}

/** Returns the state that is kept with a log; undefined also where it is damaged, which `fsck` reports. */
async function keptState(reader: Reader, log: SourceHead['log']): Promise<EncodedState | undefined> {
  try {
    return await reader.cache.readerState(log)
  } catch (error) {
    if (hasCode(error, 'corrupt')) return undefined
    throw error
  }
}

type DecodedState = Omit<ReaderState, 'entries'> & { readonly of: string }

function decodeState(bytes: Uint8Array): DecodedState | undefined {
  try {
    return deserialize(bytes) as DecodedState
  } catch {
    // Another version of Node wrote it in another way.
    return undefined
  }
}

/** The largest part of the bytes that were read that a state may take: their reading is not worth more. */
const MAX_PART = 1 / 2

/** Returns whether a state is small beside the bytes that need not be read with it. */
export const isStateSmall = ({ bytes }: EncodedState, covered: number): boolean =>
  bytes.length <= covered * MAX_PART

/** The least number of bytes that are read again rather than to keep another state, and their least part of the source. */
const MIN_STEP = 256 << 10
const MIN_PART = 1 / 64

/** The former of a source that has grown: its agent is likely to add to it again soon, and an import holds the store. */
const MIN_STEP_GROWN = 32 << 10

/** Returns whether so much was read since the last state that another one is worth its space. */
export const isStateDue = (bytes: number, before: number, hasGrown: boolean): boolean =>
  bytes - before >= Math.max(hasGrown ? MIN_STEP_GROWN : MIN_STEP, bytes * MIN_PART)
