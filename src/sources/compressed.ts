import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { SessError } from '../model/errors.ts'
import type { SourceContent } from './content.ts'
import { chunksOf, folderOf, headOf, nameOf, statOf } from './files.ts'
import type { Scratch } from './scratch.ts'
import { unzstd } from './zstd.ts'

/** The maximum decompressed size: this number of bytes, or this multiple of the compressed size if that is more. */
const MAX_BYTES = 256 << 20
const MAX_RATIO = 200

const ENDING = /\.(?:gz|zst)$/i

/** Returns whether a file is compressed, by its name. */
export const isCompressed = (path: string): boolean => ENDING.test(path)

type Compression = 'gzip' | 'zstd'

/** Returns the compression of a file by its first bytes. */
function compressionOf(path: string): Compression | undefined {
  const [a, b, c, d] = headOf(path, 4)
  if (a === 0x1f && b === 0x8b) return 'gzip'
  return a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd ? 'zstd' : undefined
}

/**
 * Returns the content of a compressed file, or undefined where it is not compressed. Opening it throws `unreadable-path`
 * where the file is damaged or exceeds the maximum size, as a decompression bomb does.
 */
export function compressedContent(
  path: string,
  scratch: Scratch,
  most = MAX_BYTES,
): SourceContent | undefined {
  const packing = isCompressed(path) ? compressionOf(path) : undefined
  if (packing === undefined) return undefined
  return {
    path,
    name: nameOf(path).replace(ENDING, ''),
    folder: folderOf(path),
    packing,
    stat: () => statOf(path),
    open: () => scratch.keep(unpacked(path, packing, most)),
  }
}

async function* unpacked(path: string, packing: Compression, least: number): AsyncGenerator<Uint8Array> {
  const { size } = statOf(path)
  const most = Math.max(least, MAX_RATIO * size)
  const chunks = chunksOf(path, size)
  let bytes = 0
  try {
    for await (const chunk of decompressed(packing, chunks)) {
      bytes += chunk.length
      if (bytes > most) throw new Error(`it unpacks to more than ${most} bytes`)
      yield chunk
    }
  } catch (error) {
    const detail = `cannot decompress it: ${error instanceof Error ? error.message : String(error)}`
    const hint = `check the file: ${packing} -t`
    throw new SessError('unreadable-path', path, { detail, hint, cause: error })
  }
}

/** Decompresses the bytes of a file; throws where they are damaged. */
export const decompressed = (
  packing: Compression,
  chunks: AsyncIterable<Uint8Array>,
): AsyncIterable<Uint8Array> => (packing === 'gzip' ? gunzip(chunks) : unzstd(chunks))

async function* gunzip(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const stream = createGunzip()
  // Errors reach the reader of the stream.
  pipeline(Readable.from(chunks), stream, () => undefined)
  for await (const chunk of stream) yield chunk as Uint8Array
}
