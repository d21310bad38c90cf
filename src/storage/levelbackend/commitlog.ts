import { decodeStored, encode } from '../../model/encoding/canonical.ts'
import type { Digest } from '../../model/encoding/entry.ts'
import { bytesOf, type Oid, oidOf } from '../../model/encoding/oid.ts'
import { SessError } from '../../model/errors.ts'
import { NEAR } from '../../model/node.ts'
import { isLogId, type LogId } from '../../model/record.ts'
import { COUNTS } from '../../model/usage.ts'
import type { UsageCounts } from '../../model/view.ts'
import { addChecksum, removeChecksum } from '../checksum.ts'
import { readError, wellFormed } from '../ioerrors.ts'
import { ByteReader, ByteWriter } from '../varint.ts'
import type { PageEntry } from './entrypage.ts'
import { COMMIT_LOG, commitKey, type Key, MAX_NUMBER, numberAt, prefixEnd, SPACE, spaceKey } from './keys.ts'
import { ChecksummedPut, type KeyChange, type KeyValueDatabase, type Put } from './keyvalue.ts'
import { NO_ROW, type Row, type RowLinks } from './rows.ts'
import type { StoredRecord } from './storedrecord.ts'

/**
 * The commit log is a range of keys of the database, which LevelDB's own write-ahead log makes durable: one value per
 * group of commits, under consecutive numbers, from the first group that is not checkpointed. A checkpoint writes the
 * pages, blocks and refs of these commits under their own keys and deletes the groups in the same batch.
 */

const BEGIN_NAME = 'the start of the commit log'

/** The number and the bytes of a group of commits. */
export type LoggedGroup = readonly [number: number, bytes: Uint8Array]

/** Returns the number of the first group that is not checkpointed. */
export function firstLoggedGroup(level: KeyValueDatabase): number {
  const begin = level.getSync(COMMIT_LOG)
  return begin
    ? wellFormed(BEGIN_NAME, () => numberIn(new ByteReader(removeChecksum(COMMIT_LOG, begin, BEGIN_NAME))))
    : 0
}

/** Reads a number that a key may hold. */
function numberIn(source: ByteReader): number {
  const number = source.varint()
  if (number > MOST_NUMBERED) throw new RangeError('a number is too large')
  return number
}

/** Half of the numbers that keys hold: those after it never run out. */
const MOST_NUMBERED = MAX_NUMBER / 2

/** Returns the groups from a number on, up to the first that is missing. */
export function* readCommitLog(level: KeyValueDatabase, from: number): Generator<LoggedGroup> {
  for (let number = from; ; number++) {
    const key = commitKey(number)
    const value = level.getSync(key)
    if (value === undefined) return
    yield [number, removeChecksum(key, value, `commit ${number} of the commit log`)]
  }
}

/** Returns the write of one group, whose bytes may be in chunks. */
export function logGroup(number: number, chunks: readonly Uint8Array[]): KeyChange {
  const key = commitKey(number)
  return { type: 'put', key, value: addChecksum(key, ...chunks) }
}

/** Returns what removes the groups from one number up to another, which is then the first. */
export function trimCommitLog(from: number, to: number): KeyChange[] {
  const begin = new ByteWriter()
  begin.varint(to)
  const changes: KeyChange[] = [
    { type: 'put', key: COMMIT_LOG, value: addChecksum(COMMIT_LOG, begin.view()) },
  ]
  for (let number = from; number < to; number++) changes.push({ type: 'del', key: commitKey(number) })
  return changes
}

/** Throws `corrupt` where a group is lost and later ones are there: opening would write over them. */
export async function checkCommitLog(level: KeyValueDatabase): Promise<void> {
  let next = firstLoggedGroup(level)
  const keys = level.keys({ gt: COMMIT_LOG, lt: prefixEnd(spaceKey(SPACE.commit)) })
  try {
    for (;;) {
      const found = await keys.nextv(1000)
      if (found.length === 0) return
      for (const key of found) {
        if (numberAt(key, 1, 6) !== next++)
          throw new SessError('corrupt', `commit ${next - 1} of the commit log is lost, and more follows it`)
      }
    }
  } catch (error) {
    throw readError(error)
  } finally {
    await keys.close()
  }
}

/** The first byte of each part of a commit. */
const PUT = 0
const BODY = 1
const BLOB = 2
const ENTRY = 3
const RECORD = 4
const SEALED = 5

const DIGEST = 32
/** A row is encoded as its distance to the entry's own row, plus one; 0 is NO_ROW. */
const distanceTo = (row: Row, other: Row): number => (other === NO_ROW ? 0 : row - other + 1)
const rowAt = (row: Row, distance: number): Row => (distance === 0 ? NO_ROW : row - distance + 1)

/** Encodes a commit, part by part, for the commit log. */
export class CommitEncoder {
  readonly #sink = new ByteWriter(2048)

  /** The encoded bytes, valid until a part is added. */
  get bytes(): Uint8Array {
    return this.#sink.view()
  }

  get length(): number {
    return this.#sink.length
  }

  #bytes(bytes: Uint8Array): void {
    this.#sink.varint(bytes.length)
    this.#sink.bytes(bytes)
  }

  put(put: Put): void {
    const { key } = put
    if (put instanceof ChecksummedPut) {
      this.#sink.byte(SEALED)
      this.#bytes(key)
      this.#bytes(put.content)
      return
    }
    const { value } = put
    this.#sink.byte(PUT)
    this.#bytes(key)
    this.#sink.varint(value === undefined ? 0 : value.length + 1)
    if (value) this.#sink.bytes(value)
  }

  /** A body that was appended to its block. */
  body(block: number, bytes: Uint8Array): void {
    this.#sink.byte(BODY)
    this.#sink.varint(block)
    this.#bytes(bytes)
  }

  /** A blob that was appended to its block, and its key in the index of blobs. */
  blob(block: number, bytes: Uint8Array, key: Key): void {
    this.#sink.byte(BLOB)
    this.#sink.varint(block)
    this.#bytes(key)
    this.#bytes(bytes)
  }

  /** An entry whose body was added before. */
  entry(slot: PageEntry, oid: Oid): void {
    const { row, parents, links, merge, weight } = slot
    const sink = this.#sink
    sink.byte(ENTRY)
    sink.varint(row)
    this.#bytes(Buffer.from(slot.type))
    sink.bytes(bytesOf(slot.digest))
    sink.bytes(bytesOf(oid))
    sink.byte(slot.traits)
    sink.varint(parents.length)
    for (const parent of parents) sink.varint(row - parent)
    const { depth, jump, near, block, index } = slot
    for (const number of [
      depth,
      weight.calls,
      weight.tokens,
      weight.prompts,
      weight.texts,
      row - jump,
      distanceTo(row, merge),
      block,
      index,
    ])
      sink.varint(number)
    for (const other of near) sink.varint(distanceTo(row, other))
    this.#bytes(Object.keys(links).length === 0 ? NO_BYTES : encode(links))
  }

  record(log: LogId, position: number, record: StoredRecord): void {
    const { row, tip, time, native, usage, lead, content } = record
    this.#sink.byte(RECORD)
    this.#bytes(Buffer.from(log))
    this.#sink.varint(position)
    const held = 'raw' in content ? [content.raw] : [content.shape, content.values, content.spelling]
    const reported = usage ? [COUNTS.map((name) => usage[name] ?? null)] : []
    this.#bytes(encode([row, tip, time ?? null, native ?? null, lead, ...held, ...reported]))
  }
}

const NO_BYTES = new Uint8Array(0)

/** Receives the parts of a commit. */
export interface CommitHandler {
  put(put: Put): void
  body(block: number, bytes: Uint8Array): void
  blob(block: number, bytes: Uint8Array, key: Key): void
  entry(slot: PageEntry, oid: Oid): void
  record(log: LogId, position: number, record: StoredRecord): void
}

/** Decodes what CommitEncoder encoded, in the same order. Throws `corrupt` on other bytes. */
export function decodeCommits(bytes: Uint8Array, into: CommitHandler): void {
  const source = new ByteReader(bytes)
  wellFormed('a commit in the commit log', () => {
    while (source.left > 0) readPart(source, into)
  })
}

const bytesWithLength = (source: ByteReader): Uint8Array => source.bytes(source.varint()).slice()

function logIn(bytes: Uint8Array): LogId {
  const log = Buffer.from(bytes).toString()
  if (!isLogId(log)) throw new RangeError('it names no log')
  return log
}

function readPart(source: ByteReader, into: CommitHandler): void {
  switch (source.byte()) {
    case PUT: {
      const key = bytesWithLength(source)
      const length = source.varint()
      into.put({ key, value: length === 0 ? undefined : source.bytes(length - 1).slice() })
      return
    }
    case SEALED:
      into.put(new ChecksummedPut(bytesWithLength(source), bytesWithLength(source)))
      return
    case BODY:
      into.body(numberIn(source), bytesWithLength(source))
      return
    case BLOB: {
      const block = numberIn(source)
      const key = bytesWithLength(source)
      into.blob(block, bytesWithLength(source), key)
      return
    }
    case ENTRY:
      readEntry(source, into)
      return
    case RECORD:
      into.record(
        logIn(bytesWithLength(source)),
        numberIn(source),
        recordOf(decodeStored(bytesWithLength(source))),
      )
      return
    default:
      throw new RangeError('it has a part of no known kind')
  }
}

function readEntry(source: ByteReader, into: CommitHandler): void {
  const row = numberIn(source)
  const type = Buffer.from(bytesWithLength(source)).toString()
  const digest = oidOf(source.bytes(DIGEST)) as string as Digest
  const oid = oidOf(source.bytes(DIGEST))
  const traits = source.byte()
  const count = source.varint()
  if (count > source.left) throw new RangeError('an entry has absurdly many parents')
  const parents = Array.from({ length: count }, () => row - source.varint())
  const [depth, calls, tokens] = [source.varint(), source.varint(), source.varint()]
  const [prompts, texts] = [source.varint(), source.varint()]
  const jump = row - source.varint()
  const merge = rowAt(row, source.varint())
  const [block, index] = [source.varint(), source.varint()]
  const near = NEAR.map(() => rowAt(row, source.varint()))
  const linked = bytesWithLength(source)
  const links = linked.length === 0 ? {} : (decodeStored(linked) as RowLinks)
  const weight = { calls, tokens, prompts, texts }
  const node = { row, parents, type, traits, digest, links, depth, weight, jump, merge, near }
  into.entry({ ...node, block, index }, oid)
}

type EncodedRecord = readonly [Row, Row, number | null, string | null, Uint8Array, ...unknown[]]

function recordOf(value: unknown): StoredRecord {
  const [row, tip, time, native, lead, ...held] = value as EncodedRecord
  const [first, values, spelling] = held
  const isRaw = held.length <= 2
  const usage = usageIn(held[isRaw ? 1 : 3])
  const content = isRaw
    ? { raw: first as Extract<StoredRecord['content'], { raw: unknown }>['raw'] }
    : {
        shape: first as string,
        values: values as Extract<StoredRecord['content'], { shape: string }>['values'],
        spelling: spelling as string,
      }
  return {
    row,
    tip,
    ...(time !== null && { time }),
    ...(native !== null && { native }),
    ...(usage && { usage }),
    lead: new Uint8Array(lead),
    content,
  }
}

function usageIn(value: unknown): UsageCounts | undefined {
  if (value === undefined) return undefined
  if (!Array.isArray(value)) throw new RangeError('usage is no list')
  const counts = value as (number | null)[]
  return Object.fromEntries(
    COUNTS.flatMap((name, i) => (Number.isFinite(counts[i]) ? [[name, counts[i]]] : [])),
  )
}
