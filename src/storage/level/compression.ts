import { promisify } from 'node:util'
import {
  type BrotliOptions,
  brotliCompress,
  brotliCompressSync,
  brotliDecompress,
  brotliDecompressSync,
  constants,
} from 'node:zlib'
import { SessError } from '../../model/errors.ts'

export const truncatedError = (): SessError => new SessError('corrupt', 'a block is cut short')

/** How a block's bytes are kept: as they are, or by Brotli. */
const PLAIN = 0

const BROTLI = 1

/** By Brotli as well as it can: not worth packing again. */
const DENSE = 2

const brotliAsync = promisify(brotliCompress)

const unbrotliAsync = promisify(brotliDecompress)

/** Below this a block is left to the compression of the database itself. */
const WORTH_COMPRESSING = 400

/** Packs bytes as they are, for what is written one at a time. */
export function storeUncompressed(bytes: Uint8Array): Uint8Array {
  const packed = new Uint8Array(1 + bytes.length)
  packed[0] = PLAIN
  packed.set(bytes, 1)
  return packed
}

/** Below this it takes about as long to hand bytes to the thread pool as to pack them, or to unpack so many. */
const WORTH_A_THREAD = 2 << 10

const WORTH_A_THREAD_UNPACKED = 32 << 10

/** Packs bytes by Brotli at a quality from 0 to 11, on the thread pool where they are many; few stay as they are. */
export async function compress(bytes: Uint8Array, quality: number): Promise<Uint8Array> {
  if (bytes.length < WORTH_A_THREAD) return compressNow(bytes, quality)
  return framed(bytes, await brotliAsync(bytes, compressOptions(bytes, quality)))
}

/** Packs bytes like `pack`, at once: for what is some kilobytes. */
export function compressNow(bytes: Uint8Array, quality: number): Uint8Array {
  if (bytes.length < WORTH_COMPRESSING) return storeUncompressed(bytes)
  return framed(bytes, brotliCompressSync(bytes, compressOptions(bytes, quality)))
}

/** Packs bytes as small as can be, on the thread pool: about 1 MB/s on one core, and as quick to unpack as any. */
export async function compressDense(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = await compress(bytes, constants.BROTLI_MAX_QUALITY)
  if (packed[0] === BROTLI) packed[0] = DENSE
  return packed
}

/** Tells whether bytes were packed into fewer. */
export const isCompressed = (packed: Uint8Array): boolean => packed[0] !== PLAIN

/** Tells whether bytes were packed by `packDense`. */
export const isDense = (packed: Uint8Array): boolean => packed[0] === DENSE

const compressOptions = (bytes: Uint8Array, quality: number): BrotliOptions => ({
  chunkSize: Math.max(4096, bytes.length >> 1),
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: windowFor(bytes.length),
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  },
})

function framed(bytes: Uint8Array, small: Uint8Array): Uint8Array {
  if (small.length + 5 >= bytes.length) return storeUncompressed(bytes)
  const packed = new Uint8Array(5 + small.length)
  packed[0] = BROTLI
  new DataView(packed.buffer).setUint32(1, bytes.length, true)
  packed.set(small, 5)
  return packed
}

/** A window larger than the bytes gains nothing and costs memory: 12 MB for one of 4 MB. */
const windowFor = (size: number): number =>
  Math.min(constants.BROTLI_MAX_WINDOW_BITS, Math.max(16, Math.ceil(Math.log2(size + 16))))

/** Gives the bytes that were packed. Never makes more bytes than the block says it holds. Throws `corrupt`. */
export function decompress(packed: Uint8Array): Uint8Array {
  const size = decompressedSize(packed)
  if (size === undefined) return packed.subarray(1)
  try {
    return checkedSize(brotliDecompressSync(packed.subarray(5), decompressOptions(size)), size)
  } catch (cause) {
    throw decompressError(cause)
  }
}

/** Gives the same, unpacked on the thread pool where they are many. */
export async function decompressInPool(packed: Uint8Array): Promise<Uint8Array> {
  const size = decompressedSize(packed)
  if (size === undefined || size < WORTH_A_THREAD_UNPACKED) return decompress(packed)
  try {
    return checkedSize(await unbrotliAsync(packed.subarray(5), decompressOptions(size)), size)
  } catch (cause) {
    throw decompressError(cause)
  }
}

/**
 * Gives the beginning of bytes that were packed, as far as so many of what they were packed into tell of it. Never makes
 * more bytes than the block says it holds. Throws `corrupt`.
 */
export function decompressPrefix(packed: Uint8Array, count: number): Uint8Array {
  const size = decompressedSize(packed)
  if (size === undefined) return packed.subarray(1)
  const likely = Math.ceil((1.5 * size * count) / packed.length)
  try {
    return brotliDecompressSync(packed.subarray(5, 5 + count), {
      maxOutputLength: Math.max(1, size),
      chunkSize: bufferSize(Math.min(likely, size + 1)),
      finishFlush: constants.BROTLI_OPERATION_FLUSH,
    })
  } catch (cause) {
    throw decompressError(cause)
  }
}

/** Gives how many bytes were packed; undefined where they stand as they are. */
export function decompressedSize(packed: Uint8Array): number | undefined {
  if (packed[0] === PLAIN) return undefined
  if ((packed[0] !== BROTLI && packed[0] !== DENSE) || packed.length < 5)
    throw new SessError('corrupt', 'a block has an unknown form')
  return new DataView(packed.buffer, packed.byteOffset).getUint32(1, true)
}

/** One byte more than there is room for tells that nothing follows: all is made in one piece. */
const decompressOptions = (size: number): BrotliOptions => ({
  maxOutputLength: Math.max(1, size),
  chunkSize: bufferSize(size + 1),
})

/** Room is made for so many bytes at most at a time: a damaged block may say that it holds gigabytes. */
const MAX_BUFFER = 64 << 20

const bufferSize = (size: number): number => Math.max(64, Math.min(size, MAX_BUFFER))

function checkedSize(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length !== size) throw truncatedError()
  return bytes
}

function decompressError(cause: unknown): SessError {
  if (cause instanceof SessError) return cause
  const detail = cause instanceof Error ? cause.message : ''
  return new SessError('corrupt', 'a block cannot be unpacked', { detail, cause })
}
