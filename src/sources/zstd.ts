import { pipeline, Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import type { decompress } from '@bokuweb/zstd-wasm'
import { ChunkReader } from './chunkreader.ts'

/** Magic numbers of a data frame and, but for the lowest four bits, of a skippable frame (RFC 8878). */
const FRAME = 0xfd2fb528
const SKIPPABLE = 0x184d2a50

/** The largest window that is accepted: the limit of the reference decoder. */
const MAX_WINDOW = 128 << 20

/** The largest content of a block that the format permits. */
const MAX_BLOCK = 128 << 10

/** The largest frame, compressed or decoded, that is decoded in memory. */
const MAX_IN_MEMORY = 256 << 20

/** Compressed bytes are passed to the decoder in batches of at least this size. */
const BATCH = 64 << 10

/**
 * Decodes Zstandard frames. Throws an Error if they are damaged, truncated, or need a dictionary or a window over
 * 128 MiB. The frames are split here, because `node:zlib` accepts truncated frames and stops after the first one, and
 * the decoder for Node before 22.15 must know the size of its result in advance.
 */
export async function* unzstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new ChunkReader(chunks)
  try {
    for (;;) {
      const start = await source.take(4)
      if (start.length === 0) return
      const magic = start.length === 4 ? uint(start) : 0
      if (magic === FRAME) yield* decodeFrame(new Frame(await readHeader(source, start), source))
      else if ((magic & ~0xf) === SKIPPABLE) await skipFrame(source)
      else throw new Error('the data after the last frame is not a frame')
    }
  } finally {
    await source.end()
  }
}

async function skipFrame(source: ChunkReader): Promise<void> {
  const size = uint(await exactly(source, 4))
  if ((await source.skip(size)) < size) throw truncated()
}

async function* decodeFrame(frame: Frame): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of createZstdDecompress ? decodeStream(frame) : decodeInMemory(frame)) {
    size += chunk.length
    yield chunk
  }
  if (!frame.complete) throw damaged('the decoder did not read the whole frame')
  if (size < frame.least || size > frame.most || size !== (frame.header.contentSize ?? size))
    throw damaged('the frame does not have its declared size')
}

interface Header {
  readonly bytes: Uint8Array
  /** The declared size of the content, if any. */
  readonly contentSize: number | undefined
  readonly maxBlock: number
  readonly hasChecksum: boolean
}

async function readHeader(source: ChunkReader, magic: Uint8Array): Promise<Header> {
  const first = await exactly(source, 1)
  const descriptor = first[0] as number
  const singleSegment = (descriptor & 0x20) !== 0
  const windowBytes = singleSegment ? 0 : 1
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] as number
  const sizeBytes = [singleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] as number
  const rest = await exactly(source, windowBytes + dictionaryBytes + sizeBytes)
  if ((descriptor & 8) !== 0) throw damaged('a reserved bit of the frame header is set')
  if (uint(rest.subarray(windowBytes, windowBytes + dictionaryBytes)) !== 0)
    throw new Error('the frame needs a dictionary')
  const size = uint(rest.subarray(windowBytes + dictionaryBytes)) + (sizeBytes === 2 ? 256 : 0)
  const window = singleSegment ? size : windowSize(rest[0] as number)
  if (window > MAX_WINDOW) throw new Error('the frame needs more than 128 MiB of memory')
  return {
    bytes: Buffer.concat([magic, first, rest]),
    contentSize: sizeBytes === 0 ? undefined : size,
    maxBlock: Math.min(window, MAX_BLOCK),
    hasChecksum: (descriptor & 4) !== 0,
  }
}

function windowSize(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >> 3))
  return base + (base / 8) * (descriptor & 7)
}

const RAW = 0
const RLE = 1
const RESERVED = 3

/** The compressed bytes of one frame, and the bounds of its content that follow from the blocks read so far. */
class Frame {
  readonly header: Header
  readonly #source: ChunkReader
  least = 0
  most = 0
  /** Set when the whole frame was read. */
  complete = false

  constructor(header: Header, source: ChunkReader) {
    this.header = header
    this.#source = source
  }

  /** Returns the bytes of the frame, up to the end of its checksum, in batches. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    let batch = [this.header.bytes]
    let size = 0
    for (let last = false; !last; ) {
      const head = await exactly(this.#source, 3)
      const block = uint(head)
      last = (block & 1) === 1
      const body = await this.#readBlock((block >> 1) & 3, block >> 3)
      batch.push(head, body)
      size += head.length + body.length
      if (size < BATCH) continue
      yield Buffer.concat(batch)
      batch = []
      size = 0
    }
    if ((this.header.contentSize ?? 0) > this.most) throw damaged('the frame does not have its declared size')
    if (this.header.hasChecksum) batch.push(await exactly(this.#source, 4))
    this.complete = true
    yield Buffer.concat(batch)
  }

  async #readBlock(type: number, size: number): Promise<Uint8Array> {
    const { maxBlock } = this.header
    if (type === RESERVED) throw damaged('a block has an unknown type')
    if (size > maxBlock) throw damaged('a block is too long')
    const isExact = type === RAW || type === RLE
    if (isExact) this.least += size
    this.most += isExact ? size : maxBlock
    return exactly(this.#source, type === RLE ? 1 : size)
  }
}

/** The stream of `node:zlib`, which Node has from 22.15 on. */
const { createZstdDecompress } = zlib as {
  createZstdDecompress?: (options: { chunkSize: number }) => Transform
}

async function* decodeStream(frame: Frame): AsyncGenerator<Uint8Array> {
  const decoder = (createZstdDecompress as NonNullable<typeof createZstdDecompress>)({ chunkSize: MAX_BLOCK })
  // An error reaches the reader of the decoder.
  pipeline(Readable.from(frame.bytes()), decoder, () => undefined)
  try {
    for await (const chunk of decoder) yield chunk as Uint8Array
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw code.startsWith('ZSTD_') ? decodingError(code === 'ZSTD_error_checksum_wrong', error) : error
  }
}

/** Error codes of the reference implementation. */
const CHECKSUM_WRONG = 22
const RESULT_TOO_LARGE = 70

/** Decodes a frame by WebAssembly. */
async function* decodeInMemory(frame: Frame): AsyncGenerator<Uint8Array> {
  const { contentSize = 0 } = frame.header
  const batches: Uint8Array[] = []
  let size = 0
  for await (const batch of frame.bytes()) {
    size += batch.length
    if (Math.max(size, frame.least, contentSize) > MAX_IN_MEMORY) throw tooLarge()
    batches.push(batch)
  }
  const decode = await loadDecoder()
  const defaultHeapSize = Math.min(frame.most, MAX_IN_MEMORY)
  let content: Uint8Array
  try {
    content = decode(Buffer.concat(batches.splice(0)), { defaultHeapSize })
  } catch (error) {
    const code = Number(/code -(\d+)/.exec(String(error))?.[1])
    if (code === RESULT_TOO_LARGE && frame.most > MAX_IN_MEMORY) throw tooLarge()
    throw decodingError(code === CHECKSUM_WRONG, error)
  }
  yield content
}

let loaded: Promise<typeof decompress> | undefined

/** Loads the decoder once: a second initialization would replace the memory of the first one. */
function loadDecoder(): NonNullable<typeof loaded> {
  loaded ??= import('@bokuweb/zstd-wasm').then(async (module) => {
    await module.init()
    return module.decompress
  })
  return loaded
}

/** Returns the little-endian unsigned integer that the bytes encode. */
const uint = (bytes: Uint8Array): number => bytes.reduceRight((number, byte) => 256 * number + byte, 0)

async function exactly(source: ChunkReader, count: number): Promise<Uint8Array> {
  const bytes = await source.take(count)
  if (bytes.length < count) throw truncated()
  return bytes
}

const truncated = (): Error => new Error('unexpected end of the last frame')

const damaged = (detail: string, cause?: unknown): Error =>
  new Error(`the data is damaged: ${detail}`, { cause })

const decodingError = (isChecksum: boolean, cause: unknown): Error =>
  damaged(isChecksum ? 'the content does not match its checksum' : 'a block cannot be decoded', cause)

const tooLarge = (): Error =>
  new Error(
    "a frame holds more than 256 MiB, which needs Node 22.15 or later: decompress the file with 'zstd -d' first",
  )
