import { Decompress } from 'fzstd'
import { Pieces } from './pieces.ts'

/** What frames begin with: those of data, and those that are passed over (the last four bits are free). RFC 8878. */
const FRAME = 0xfd2fb528
const SKIPPED = 0x184d2a50

/** A frame that needs more memory than this is refused, as the reference decoder does unless told otherwise. */
const MOST_WINDOW = 128 << 20

/** Kinds of blocks: one byte stands for a block of equal ones. */
const EQUAL = 1

/**
 * Gives what chunks of Zstandard frames unpack to, in chunks. Throws an Error where they are damaged, end too early, or
 * need memory or time that no honest ones do.
 */
export async function* unzstd(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const source = new Pieces(chunks)
  const budget = new Budget()
  try {
    for (;;) {
      const start = await source.take(4)
      if (start.length === 0) return
      const magic = start.length === 4 ? numberOf(start) : 0
      if (magic === FRAME) yield* frame(source, start, budget)
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

/** Unpacks a frame block by block: what is unpacked at once stays bounded where a little stands for much. */
async function* frame(source: Pieces, magic: Uint8Array, budget: Budget): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = []
  const unpack = new Decompress((chunk: Uint8Array) => {
    ready.push(chunk)
  })
  const feed = (bytes: Uint8Array, last = false): Uint8Array[] => {
    budget.spend(bytes.length, () => {
      unpack.push(bytes, last)
    })
    const given = ready.splice(0)
    for (const chunk of given) budget.earn(chunk.length)
    return given
  }
  const head = await exactly(source, 1)
  const descriptor = head[0] as number
  const rest = await exactly(source, lengthOf(descriptor))
  if (windowOf(descriptor, rest) > MOST_WINDOW) throw new Error('it needs more than 128 MiB of memory')
  for (const bytes of [magic, head, rest]) yield* feed(bytes)
  for (let isLast = false; !isLast; ) {
    const told = await exactly(source, 3)
    const header = numberOf(told)
    isLast = (header & 1) === 1
    const size = ((header >> 1) & 3) === EQUAL ? 1 : header >> 3
    yield* feed(Buffer.concat([told, await exactly(source, size)]))
  }
  if (hasChecksum(descriptor)) yield* feed(await exactly(source, 4))
  yield* feed(new Uint8Array(0), true)
}

const isOneSegment = (descriptor: number): boolean => (descriptor & 0x20) !== 0
const hasChecksum = (descriptor: number): boolean => (descriptor & 0x04) !== 0
const dictionaryBytes = (descriptor: number): number => [0, 1, 2, 4][descriptor & 3] as number
const sizeBytes = (descriptor: number): number =>
  [isOneSegment(descriptor) ? 1 : 0, 2, 4, 8][descriptor >> 6] as number

/** Gives how many bytes a frame's header has behind its descriptor. */
const lengthOf = (descriptor: number): number =>
  (isOneSegment(descriptor) ? 0 : 1) + dictionaryBytes(descriptor) + sizeBytes(descriptor)

/** Gives how many bytes back a frame may refer. */
function windowOf(descriptor: number, rest: Uint8Array): number {
  if (isOneSegment(descriptor)) {
    const size = rest.subarray(dictionaryBytes(descriptor))
    return numberOf(size) + (size.length === 2 ? 256 : 0)
  }
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

/** Processor time in microseconds: what is allowed from the start, and for each byte that is read or unpacked. */
const FREE = 2_000_000
const PER_BYTE = 2

/**
 * Bounds the time that unpacking takes. A block of 25 bytes can be made that keeps the decoder busy for 17 s and unpacks
 * to no more than any other, and one of 4 bytes that has it move its whole window: only time tells them.
 */
class Budget {
  #left = FREE

  earn(bytes: number): void {
    this.#left += PER_BYTE * bytes
  }

  spend(bytes: number, work: () => void): void {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    this.#left += PER_BYTE * bytes - user - system
    if (this.#left < 0) throw new Error('it takes far longer to unpack than such a file may')
  }
}
