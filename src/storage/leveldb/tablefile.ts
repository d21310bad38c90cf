import { ByteReader } from '../varint.ts'
import { checkedEnd, crc32c, masked } from './crc32c.ts'

const FOOTER = 48
const MAGIC = 0xdb4775248b80fb57n

/** Each block is followed by its compression type and its checksum, which covers both. */
const TRAILER = 5
const SNAPPY = 1

/** The position of a block in a table file. */
interface BlockRange {
  readonly offset: number
  readonly size: number
}

const blockRange = (reader: ByteReader): BlockRange => ({ offset: reader.varint(), size: reader.varint() })

/**
 * Returns the problem of a table of LevelDB (doc/table_format.md), or undefined where the checksum of every block
 * matches. LevelDB does not verify them on reads: with a damaged block it may omit entries or crash the process. Without
 * `data` only the blocks that say where others are get verified, from which LevelDB takes how much memory to allocate.
 */
export function tableProblem(bytes: Buffer, { data = true } = {}): string | undefined {
  if (bytes.length < FOOTER) return 'it is too short'
  const footer = bytes.subarray(bytes.length - FOOTER)
  if (footer.readBigUInt64LE(FOOTER - 8) !== MAGIC) return 'it does not end as a table does'
  try {
    const ranges = new ByteReader(footer)
    const [metaindex, index] = [blockRange(ranges), blockRange(ranges)]
    for (const place of [metaindex, index]) if (!isSound(bytes, place)) return checksumProblem(place)
    for (const block of [metaindex, index])
      for (const place of blocksIn(contentOf(bytes, block)))
        if (data ? !isSound(bytes, place) : !isWithin(bytes, place)) return checksumProblem(place)
    return undefined
  } catch (error) {
    if (error instanceof RangeError) return error.message
    throw error
  }
}

const checksumProblem = ({ offset, size }: BlockRange): string =>
  `the block of ${size} bytes at ${offset} fails its checksum`

const isWithin = (bytes: Buffer, { offset, size }: BlockRange): boolean =>
  offset + size + TRAILER <= bytes.length

function isSound(bytes: Buffer, place: BlockRange): boolean {
  if (!isWithin(bytes, place)) return false
  const { offset, size } = place
  return masked(crc32c(bytes, offset, offset + size + 1)) === bytes.readUInt32LE(offset + size + 1)
}

function contentOf(bytes: Buffer, { offset, size }: BlockRange): Uint8Array {
  const content = bytes.subarray(offset, offset + size)
  return bytes[offset + size] === SNAPPY ? decompressSnappy(content) : content
}

/** Yields the blocks that an index block lists. Throws a RangeError where they overlap: reading them would not end soon. */
function* blocksIn(block: Uint8Array): Generator<BlockRange> {
  let end = 0
  for (const [, value] of itemsIn(block)) {
    const place = blockRange(new ByteReader(value))
    if (place.offset < end) throw new RangeError(`the block at ${place.offset} is listed after a later one`)
    end = place.offset + place.size + TRAILER
    yield place
  }
}

/** Each key of a block is written in full once in so many keys, so all keys have at most so many times its size. */
const RESTART_INTERVAL = 16

/**
 * Yields the keys and values of a block. Each key is encoded relative to the previous one; the restart points at the
 * end of the block are not needed.
 */
function* itemsIn(block: Uint8Array): Generator<[key: Buffer, value: Uint8Array]> {
  const view = new DataView(block.buffer, block.byteOffset, block.length)
  if (block.length < 4) throw new RangeError('a block is too short')
  const restarts = 4 + 4 * view.getUint32(block.length - 4, true)
  const fields = new ByteReader(block)
  let last = Buffer.alloc(0)
  let left = RESTART_INTERVAL * block.length
  while (fields.left > restarts) {
    const [shared, fresh, length] = [fields.varint(), fields.varint(), fields.varint()]
    left -= Math.min(shared, last.length) + fresh
    if (left < 0) throw new RangeError('the keys of a block are longer than it can hold')
    last = Buffer.concat([last.subarray(0, shared), fields.bytes(fresh)])
    yield [last, fields.bytes(length)]
  }
}

/** A version of a key: the one with the highest sequence number is current. */
export interface Version {
  readonly key: Uint8Array
  /** Undefined where it was removed. */
  readonly value: Uint8Array | undefined
  readonly sequence: number
}

/** Yields the versions in the sound blocks of a table. */
export function* versionsIn(bytes: Buffer): Generator<Version> {
  for (const place of soundBlocks(bytes)) yield* untilMalformed(versionsOf(bytes, place))
}

function* versionsOf(bytes: Buffer, place: BlockRange): Generator<Version> {
  for (const [key, value] of itemsIn(contentOf(bytes, place))) {
    const end = key.readBigUInt64LE(key.length - 8)
    yield {
      key: key.subarray(0, -8),
      value: (end & 0xffn) === 1n ? value : undefined,
      sequence: Number(end >> 8n),
    }
  }
}

/** Yields versions up to where the bytes that they are read from are malformed, though their checksum matches. */
export function* untilMalformed(versions: Iterable<Version>): Generator<Version> {
  try {
    yield* versions
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
}

/**
 * Returns the sound blocks that the index of a table lists, or without a sound index those found by their checksums.
 */
function soundBlocks(bytes: Buffer): BlockRange[] {
  if (bytes.length < FOOTER) return []
  try {
    const ranges = new ByteReader(bytes.subarray(bytes.length - FOOTER))
    blockRange(ranges)
    const index = blockRange(ranges)
    if (isSound(bytes, index))
      return [...blocksIn(contentOf(bytes, index))].filter((place) => isSound(bytes, place))
  } catch (error) {
    if (!(error instanceof RangeError)) throw error // a damaged footer names no blocks
  }
  return blocksByChecksums(bytes)
}

/** Returns the data blocks, which precede the filter block; none where the block that names the filter is not found. */
function blocksByChecksums(bytes: Buffer): BlockRange[] {
  const places: BlockRange[] = []
  for (const place of consecutiveBlocks(bytes)) {
    const filter = filterIn(bytes, place)
    if (filter) return places.filter(({ offset }) => offset < filter.offset)
    places.push(place)
  }
  return []
}

/** Yields blocks by their checksums: LevelDB writes them one after the other, each with its trailer. */
function* consecutiveBlocks(bytes: Buffer): Generator<BlockRange> {
  for (let offset = 0; ; ) {
    const end = checkedEnd(bytes, offset, bytes.length - FOOTER)
    if (end === undefined) return
    yield { offset, size: end - 1 - offset }
    offset = end - 1 + TRAILER
  }
}

/** Returns the position of the filter block, from the block that names it. */
function filterIn(bytes: Buffer, place: BlockRange): BlockRange | undefined {
  try {
    const [item] = itemsIn(contentOf(bytes, place))
    return item?.[0].toString('latin1').startsWith('filter.')
      ? blockRange(new ByteReader(item[1]))
      : undefined
  } catch (error) {
    if (error instanceof RangeError) return undefined // it is of another kind
    throw error
  }
}

/**
 * Decompresses Snappy (format_description.txt of google/snappy), with which LevelDB compresses blocks. Throws a
 * RangeError on malformed bytes.
 */
export function decompressSnappy(bytes: Uint8Array): Uint8Array {
  let at = 0
  const next = (): number => {
    const byte = bytes[at++]
    if (byte === undefined) throw new RangeError('a compressed block ends too early')
    return byte
  }
  const little = (width: number): number => {
    let value = 0
    for (let i = 0; i < width; i++) value += next() * 256 ** i
    return value
  }
  let size = 0
  for (let scale = 1; ; scale *= 128) {
    const byte = next()
    size += (byte & 127) * scale
    if (byte < 128) break
  }
  // A compressed byte produces at most 64 bytes.
  if (size > 64 * bytes.length) throw new RangeError('a compressed block claims an impossible size')
  const out = new Uint8Array(size)
  let end = 0
  const checkSize = (length: number): void => {
    if (end + length > size) throw new RangeError('a compressed block holds more than it claims')
  }
  while (at < bytes.length) {
    const tag = next()
    const kind = tag & 3
    if (kind === 0) {
      const short = tag >> 2
      const length = 1 + (short < 60 ? short : little(short - 59))
      checkSize(length)
      if (at + length > bytes.length) throw new RangeError('a compressed block ends too early')
      out.set(bytes.subarray(at, at + length), end)
      at += length
      end += length
      continue
    }
    const length = kind === 1 ? 4 + ((tag >> 2) & 7) : 1 + (tag >> 2)
    const back = kind === 1 ? (tag >> 5) * 256 + next() : little(kind === 2 ? 2 : 4)
    checkSize(length)
    if (back === 0 || back > end)
      throw new RangeError('a compressed block refers to bytes before its beginning')
    // Byte by byte: source and target may overlap.
    for (let i = 0; i < length; i++, end++) out[end] = out[end - back] as number
  }
  if (end !== size) throw new RangeError('a compressed block holds less than it claims')
  return out
}
