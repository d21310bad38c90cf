import { type Oid, writeBytesOf } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { isLogId, type LogId, logId, partsOfLogId, type WriterId } from '../../model/record.ts'

/** The keyspaces of the database, by the first byte of a key. */
export const SPACE = {
  page: 0x68, // h: row -> a page of entries, without their bodies
  block: 0x62, // b: block -> bodies or blobs
  oid: 0x69, // i: first bytes of an oid -> rows
  blob: 0x64, // d: digest of a blob -> its location
  log: 0x6c, // l: writer, number of the log, position -> a segment of records
  zones: 0x7a, // z: writer, number of the log, position -> the rows of its zones (derived)
  operation: 0x6f, // o: number -> an operation
  ref: 0x72, // r: name -> a ref's value
  source: 0x73, // s: path -> what was last read there (a cache)
  reader: 0x70, // p: writer and number of a log -> the state of reading its source (a cache)
  words: 0x77, // w: row -> a segment of the word index (derived)
  coverage: 0x65, // e: session -> the ranges of rows that its entries are in (derived)
  list: 0x74, // t: the list of sessions, and the point in time that it is of (derived)
  commit: 0x63, // c: number -> a group of commits that is not checkpointed; no number -> the first number
  counters: 0x6d, // m: the next free numbers
} as const

export type Key = Uint8Array

/** Returns the prefix of all keys of a keyspace. */
export const spaceKey = (space: number): Key => Uint8Array.of(space)

/** How many bytes of an oid the index keeps; the whole oid is compared with the entry's own. */
const OID_BYTES = 8

/** The largest number that keys hold. */
export const MAX_NUMBER = 2 ** 48 - 1

function numbered(space: number, number: number): Key {
  const key = Buffer.allocUnsafe(7)
  key[0] = space
  let rest = number
  for (let i = 6; i > 0; i--) {
    key[i] = rest % 256
    rest = Math.floor(rest / 256)
  }
  return key
}

function named(space: number, name: string | Uint8Array): Key {
  if (typeof name === 'string') return Buffer.from(String.fromCharCode(space) + name)
  const key = Buffer.allocUnsafe(1 + name.length)
  key[0] = space
  key.set(name, 1)
  return key
}

export const pageKey = (row: number): Key => numbered(SPACE.page, row)
export const blockKey = (block: number): Key => numbered(SPACE.block, block)
export function oidKey(oid: Oid): Key {
  const key = Buffer.allocUnsafe(1 + OID_BYTES)
  key[0] = SPACE.oid
  writeBytesOf(oid.slice(0, 2 * OID_BYTES), key, 1)
  return key
}
export const blobKey = (digest: Uint8Array): Key => named(SPACE.blob, digest.subarray(0, 20))
/** Bytes of a writer id and of a log's number in a key. */
const WRITER_BYTES = 8
const LOG_BYTES = 4
const LOG_END = 1 + WRITER_BYTES + LOG_BYTES

export const segmentKey = (log: LogId, position: number): Key => positionKey(SPACE.log, log, position)

function positionKey(space: number, log: LogId, position: number): Key {
  const [writer, number] = partsOfLogId(log)
  const key = Buffer.allocUnsafe(LOG_END + 6)
  key[0] = space
  key.write(writer, 1, 'hex')
  key.writeUInt32BE(number, 1 + WRITER_BYTES)
  // Heads of logs may claim any number of records.
  key.writeUIntBE(Math.max(0, Math.min(position, MAX_NUMBER)), LOG_END, 6)
  return key
}

/** Returns the key of the zones of a log from a position on. */
export const zonesKey = (log: LogId, position: number): Key => positionKey(SPACE.zones, log, position)

/** Returns the number of the log of a segment. */
export const logNumberOf = (key: Key): number => numberAt(key, 1 + WRITER_BYTES, LOG_BYTES)

/** Returns the log of a segment. Throws `corrupt` where its number is in no name of a log. */
export function logOfSegment(key: Key): LogId {
  const log = logId(
    Buffer.from(key.subarray(1, 1 + WRITER_BYTES)).toString('hex') as WriterId,
    logNumberOf(key),
  )
  if (isLogId(log)) return log
  throw new SessError('corrupt', `there are records of a log with the number ${logNumberOf(key)}`)
}

/** Returns the position at which a segment begins. */
export const positionOfSegment = (key: Key): number => numberAt(key, LOG_END, 6)
export const operationKey = (number: number): Key => numbered(SPACE.operation, number)
export const refKey = (name: string): Key => named(SPACE.ref, name)
export const sourceKey = (path: string): Key => named(SPACE.source, path)
export const readerKey = (log: LogId): Key => {
  const key = segmentKey(log, 0).subarray(0, LOG_END)
  key[0] = SPACE.reader
  return key
}
export const wordsKey = (row: number): Key => numbered(SPACE.words, row)
export const coverageKey = (session: string): Key => named(SPACE.coverage, session)
export const commitKey = (number: number): Key => numbered(SPACE.commit, number)
export const LIST_STATE: Key = spaceKey(SPACE.list)
export const LIST_BYTES: Key = Uint8Array.of(SPACE.list, 1)
export const COUNTS: Key = Uint8Array.of(SPACE.list, 2)
export const COMMIT_LOG: Key = spaceKey(SPACE.commit)
export const COUNTERS: Key = spaceKey(SPACE.counters)

/** Decodes the number of `width` bytes at an offset of a key. */
export function numberAt(key: Key, at: number, width: number): number {
  let value = 0
  for (let i = 0; i < width; i++) value = value * 256 + (key[at + i] as number)
  return value
}

/** Returns the first key after all keys with a prefix. */
export function prefixEnd(prefix: Key): Key {
  const next = Uint8Array.from(prefix)
  for (let i = next.length - 1; i >= 0; i--) {
    if (next[i] !== 0xff) {
      next[i] = (next[i] as number) + 1
      return next.subarray(0, i + 1)
    }
  }
  return Uint8Array.of(0xff, 0xff)
}

/** Returns a key as a text with one character for each byte, for use in maps. */
export const keyText = (key: Key): string =>
  (key instanceof Buffer ? key : Buffer.from(key.buffer, key.byteOffset, key.length)).toString('latin1')
