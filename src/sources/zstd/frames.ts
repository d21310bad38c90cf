import { Pieces } from '../pieces.ts'
import { damaged } from './bits.ts'
import { nothingLeft, unpackBlock } from './block.ts'
import { Window } from './window.ts'
import { Xxh64 } from './xxh64.ts'

/** What frames begin with: those of data, and those that are passed over (the last four bits are free). RFC 8878. */
const FRAME = 0xfd2fb528
const SKIPPED = 0x184d2a50

/** A frame that needs more memory than this is refused, as the reference decoder does unless told otherwise. */
const MOST_WINDOW = 128 << 20

/** No block unpacks to more than this. */
const MOST_BLOCK = 128 << 10

/** Kinds of blocks: as they are, one byte for as many equal ones, compressed. */
const RAW = 0
const EQUAL = 1
const COMPRESSED = 2

/**
 * Gives what chunks of Zstandard frames unpack to, in chunks. Throws an Error where they are damaged, end too early, or
 * need memory that no honest ones do. What it costs grows with what is read and what comes out of it, and with nothing
 * else: nobody can make a short file that takes long.
 */
export async function* unzstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new Pieces(chunks)
  try {
    for (;;) {
      const start = await source.take(4)
      if (start.length === 0) return
      const magic = start.length === 4 ? numberOf(start) : 0
      if (magic === FRAME) yield* frame(source)
      else if ((magic & ~0xf) === SKIPPED) await pass(source)
      else throw new Error('what follows is no frame')
    }
  } finally {
    await source.end()
  }
}

async function pass(source: Pieces): Promise<void> {
  const size = numberOf(await exactly(source, 4))
  if ((await source.skip(size)) < size) throw endsEarly()
}

/** Unpacks a frame block by block. */
async function* frame(source: Pieces): AsyncGenerator<Uint8Array> {
  const [descriptor = 0] = await exactly(source, 1)
  const rest = await exactly(source, lengthOf(descriptor))
  if ((descriptor & 8) !== 0) throw damaged('a frame of an unknown form')
  if (dictionaryOf(descriptor, rest) !== 0) throw new Error('it needs a dictionary')
  const size = windowOf(descriptor, rest)
  if (size > MOST_WINDOW) throw new Error('it needs more than 128 MiB of memory')
  const most = Math.min(size, MOST_BLOCK)
  const [window, left] = [new Window(size), nothingLeft()]
  const hash = hasChecksum(descriptor) ? new Xxh64() : undefined
  let bytes = 0
  for (let isLast = false; !isLast; ) {
    const header = numberOf(await exactly(source, 3))
    isLast = (header & 1) === 1
    const [kind, count] = [(header >> 1) & 3, header >> 3]
    if (count > most) throw damaged('a block that is too long')
    window.begin(kind === COMPRESSED ? most : count)
    const packed = await exactly(source, kind === EQUAL ? 1 : count)
    if (kind === RAW) window.put(packed, 0, count)
    else if (kind === EQUAL) window.fill(packed[0] as number, count)
    else if (kind === COMPRESSED) unpackBlock(packed, most, left, window)
    else throw damaged('a block of an unknown kind')
    const { unpacked } = window
    hash?.update(unpacked)
    bytes += unpacked.length
    yield unpacked
  }
  if (bytes !== (contentOf(descriptor, rest) ?? bytes))
    throw damaged('a frame of another length than it says')
  if (hash && BigInt(numberOf(await exactly(source, 4))) !== BigInt.asUintN(32, hash.digest()))
    throw damaged('what does not have its checksum')
}

const isOneSegment = (descriptor: number): boolean => (descriptor & 0x20) !== 0
const hasChecksum = (descriptor: number): boolean => (descriptor & 0x04) !== 0
const dictionaryBytes = (descriptor: number): number => [0, 1, 2, 4][descriptor & 3] as number
const sizeBytes = (descriptor: number): number =>
  [isOneSegment(descriptor) ? 1 : 0, 2, 4, 8][descriptor >> 6] as number

/** Gives how many bytes a frame's header has behind its descriptor. */
const lengthOf = (descriptor: number): number =>
  (isOneSegment(descriptor) ? 0 : 1) + dictionaryBytes(descriptor) + sizeBytes(descriptor)

const dictionaryOf = (descriptor: number, rest: Uint8Array): number => {
  const at = isOneSegment(descriptor) ? 0 : 1
  return numberOf(rest.subarray(at, at + dictionaryBytes(descriptor)))
}

/** Gives how many bytes a frame unpacks to; undefined where it does not say. */
function contentOf(descriptor: number, rest: Uint8Array): number | undefined {
  const size = rest.subarray(rest.length - sizeBytes(descriptor))
  if (size.length === 0) return undefined
  return numberOf(size) + (size.length === 2 ? 256 : 0)
}

/** Gives how many bytes back a frame may refer. */
function windowOf(descriptor: number, rest: Uint8Array): number {
  if (isOneSegment(descriptor)) return contentOf(descriptor, rest) as number
  const told = rest[0] as number
  const base = 2 ** (10 + (told >> 3))
  return base + (base / 8) * (told & 7)
}

/** Gives the number that bytes are, the low ones first. */
const numberOf = (bytes: Uint8Array): number => bytes.reduceRight((number, byte) => 256 * number + byte, 0)

const endsEarly = (): Error => new Error('unexpected end of the last frame')

async function exactly(source: Pieces, count: number): Promise<Uint8Array> {
  const bytes = await source.take(count)
  if (bytes.length < count) throw endsEarly()
  return bytes
}
