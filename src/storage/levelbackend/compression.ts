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

const brotliCompressInPool = promisify(brotliCompress)
const brotliDecompressInPool = promisify(brotliDecompress)

export const truncatedError = (): SessError => new SessError('corrupt', 'a block is cut short')

/**
 * The most bytes that are compressed, and that compressed bytes may claim to be: a kilobyte can claim gigabytes. Longer
 * data is stored as it is.
 */
const MOST_BYTES = 128 << 20

/** The first byte of compressed data: stored as it is, or by Brotli. */
const PLAIN = 0

const BROTLI = 1

/** By Brotli at its best quality: not worth compressing again. */
const BEST = 2

/** By Brotli at a good quality: worth compressing again only where time does not matter. */
const GOOD = 3

/** Smaller data is left to the compression of the database itself. */
const WORTH_COMPRESSING = 400

/** Frames bytes without compression. */
export function storeUncompressed(bytes: Uint8Array): Uint8Array {
  const packed = new Uint8Array(1 + bytes.length)
  packed[0] = PLAIN
  packed.set(bytes, 1)
  return packed
}

/** Below these sizes handing bytes to the thread pool takes about as long as the work itself. */
const WORTH_A_THREAD = 2 << 10

const WORTH_A_THREAD_UNPACKED = 32 << 10

/** Compresses bytes at a quality from 0 to 11, on the thread pool where they are many. */
export async function compress(bytes: Uint8Array, quality: number): Promise<Uint8Array> {
  if (bytes.length < WORTH_A_THREAD || bytes.length > MOST_BYTES) return compressNow(bytes, quality)
  return framed(bytes, await brotliCompressInPool(bytes, compressOptions(bytes, quality)))
}

/** Compresses bytes as `compress` does, synchronously: for a few kilobytes, and operations of imports. */
export function compressNow(bytes: Uint8Array, quality: number): Uint8Array {
  if (bytes.length < WORTH_COMPRESSING || bytes.length > MOST_BYTES) return storeUncompressed(bytes)
  return framed(bytes, brotliCompressSync(bytes, compressOptions(bytes, quality, MAX_WINDOW_NOW)))
}

/** Compresses bytes at the best quality, on the thread pool: slow, though decompression is as fast as ever. */
async function compressDense(bytes: Uint8Array): Promise<Uint8Array> {
  return marked(await compress(bytes, constants.BROTLI_MAX_QUALITY), BEST)
}

/** Returns whether bytes are compressed rather than stored. */
export const isCompressed = (packed: Uint8Array): boolean => packed[0] !== PLAIN

/** How densely a rewrite packs. */
export interface Density {
  /** Compresses bytes, on the thread pool where they are many. */
  readonly pack: (bytes: Uint8Array) => Promise<Uint8Array>
  /** Returns whether packed bytes are dense enough to be copied as they are. */
  readonly isDense: (packed: Uint8Array) => boolean
}

/** The qualities of `GOOD_DENSITY` and of blocks that change in a rewrite that keeps the density of the others. */
const GOOD_QUALITY = 9
const CHANGED_QUALITY = 5

/** The least size, which takes the longest. */
const BEST_DENSITY: Density = { pack: compressDense, isDense: (packed) => packed[0] === BEST }

/** A slightly larger size, in a fraction of the time. */
const GOOD_DENSITY: Density = {
  pack: async (bytes) => marked(await compress(bytes, GOOD_QUALITY), GOOD),
  isDense: (packed) => packed[0] === BEST || packed[0] === GOOD,
}

/** Nothing is compressed that does not change. */
export const SAME_DENSITY: Density = {
  pack: (bytes) => compress(bytes, CHANGED_QUALITY),
  isDense: () => true,
}

/** The densities by name. */
export const DENSITIES = { best: BEST_DENSITY, good: GOOD_DENSITY, same: SAME_DENSITY } as const

/** Marks bytes that were compressed, and returns them. */
function marked(packed: Uint8Array, as: typeof BEST | typeof GOOD): Uint8Array {
  if (packed[0] === BROTLI) packed[0] = as
  return packed
}

/** The largest window of `compressNow`, in bits. Brotli takes 12 times its size. */
const MAX_WINDOW_NOW = 18

const compressOptions = (
  bytes: Uint8Array,
  quality: number,
  mostBits = constants.BROTLI_MAX_WINDOW_BITS,
): BrotliOptions => ({
  // Most data shrinks to less than a quarter. The rest of a larger buffer would wait for the collector.
  chunkSize: Math.max(4096, bytes.length >> 2),
  params: {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: Math.min(mostBits, windowFor(bytes.length)),
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
  Math.min(constants.BROTLI_MAX_WINDOW_BITS, Math.max(16, Math.round(Math.log2(size + 16))))

/** Decompresses bytes. Never produces more than the recorded size. Throws `corrupt`. */
export function decompress(packed: Uint8Array): Uint8Array {
  const size = decompressedSize(packed)
  if (size === undefined) return packed.subarray(1)
  try {
    return checkedSize(brotliDecompressSync(packed.subarray(5), decompressOptions(size)), size)
  } catch (cause) {
    throw decompressError(cause)
  }
}

/** Decompresses as `decompress` does, on the thread pool where the bytes are many. */
export async function decompressInPool(packed: Uint8Array): Promise<Uint8Array> {
  const size = decompressedSize(packed)
  if (size === undefined || size < WORTH_A_THREAD_UNPACKED) return decompress(packed)
  try {
    return checkedSize(await brotliDecompressInPool(packed.subarray(5), decompressOptions(size)), size)
  } catch (cause) {
    throw decompressError(cause)
  }
}

/**
 * Decompresses the first `count` compressed bytes only, and returns the beginning of the data. Never produces more than
 * the recorded size. Throws `corrupt`.
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

/** Returns the size of the decompressed data; undefined where it is stored uncompressed. */
export function decompressedSize(packed: Uint8Array): number | undefined {
  if (packed[0] === PLAIN) return undefined
  if (![BROTLI, BEST, GOOD].includes(packed[0] as number) || packed.length < 5)
    throw new SessError('corrupt', 'a block has an unknown form')
  const size = new DataView(packed.buffer, packed.byteOffset).getUint32(1, true)
  if (size > MOST_BYTES) throw new SessError('corrupt', `a block claims to have ${size} bytes`)
  return size
}

/** The chunk is one byte larger than the data, so that the data is produced in one chunk. */
const decompressOptions = (size: number): BrotliOptions => ({
  maxOutputLength: Math.max(1, size),
  chunkSize: bufferSize(size + 1),
})

/** The largest buffer that is allocated at once: a damaged block may claim gigabytes. */
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
