import { joinedBriefly } from '../../model/bytes.ts'
import { encode } from '../../model/encoding/canonical.ts'
import { type Oid, writeBytesOf } from '../../model/encoding/oid.ts'
import { sha256Oid } from '../../model/encoding/sha256.ts'
import type { EntryHandle } from '../../model/node.ts'
import type { LogId, NewRecord } from '../../model/record.ts'

/** The log that a source is read into, and the number of records that it has already. */
export interface LogTarget {
  readonly log: LogId
  readonly count: number
  /** The running hash over these records. */
  readonly hash: string
  /** The number of records of the source that precede the log: 0 by default. */
  readonly first?: number
}

/** The entries of the records at the beginning of a source that an export wrote. */
export interface ExportedRecords {
  /** By position of a record: the newest entry that the source has there, null before the first. */
  readonly entries: readonly (EntryHandle | null)[]
  /** The entry from which its agent would resume. */
  readonly tip: EntryHandle | undefined
}

/** The running hash of a log without records. */
export const NO_HASH = '0'.repeat(64)

/** A log without records. */
export const emptyTarget = (log: LogId): LogTarget => ({ log, count: 0, hash: NO_HASH })

/** Returns the position in its source at which a log goes on. */
export const endOf = ({ first = 0, count }: LogTarget): number => first + count

/** Returns the running hash of a log with one more record: over its oid, time, native id and bytes. */
export function nextHash(
  hash: string,
  oid: Oid | null,
  record: Pick<NewRecord, 'time' | 'native'>,
  bytes: Uint8Array,
): string {
  writeBytesOf(hash, hashBuffer, 0)
  if (oid !== null) writeBytesOf(oid, oidBuffer, 0)
  const head = encode([
    hashBuffer,
    oid === null ? null : oidBuffer,
    record.time ?? null,
    record.native ?? null,
  ])
  return sha256Oid(bytes.length === 0 ? head : joinedBriefly([head, bytes]))
}

/** Buffers for the bytes of a hash and of an oid while these are encoded. */
const hashBuffer = new Uint8Array(32)
const oidBuffer = new Uint8Array(32)
