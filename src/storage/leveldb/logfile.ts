import { crc32c, masked } from './crc32c.ts'

const BLOCK = 32_768
const HEADER = 7

/** The kinds of fragments of a record: whole, its first, middle and last one. */
const [FULL, FIRST, , LAST] = [1, 2, 3, 4] as const

/** Yields the records of a file in LevelDB's log format (doc/log_format.md), up to the first incomplete one. */
export function* recordsIn(bytes: Buffer): Generator<Buffer> {
  let parts: Buffer[] = []
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const left = BLOCK - (at % BLOCK)
    const [length, kind] = [bytes.readUInt16LE(at + 4), bytes[at + 6]]
    if (left < HEADER || (length === 0 && kind === 0)) {
      at += left
      continue
    }
    const part = bytes.subarray(at + HEADER, at + HEADER + length)
    if (part.length < length) return
    at += HEADER + length
    if (kind === FULL || kind === FIRST) parts = []
    parts.push(part)
    if (kind === FULL || kind === LAST) yield Buffer.concat(parts)
  }
}

/**
 * Returns the offset of a fragment that fails its checksum though sound ones follow it, which LevelDB ignores silently;
 * else undefined. A fragment at the end that fails was being written when a process ended.
 */
export function findDamage(bytes: Buffer): number | undefined {
  let damaged: number | undefined
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const left = BLOCK - (at % BLOCK)
    if (left < HEADER) {
      at += left
      continue
    }
    const kind = bytes[at + 6]
    const end = soundEnd(bytes, at)
    const isSound = end !== undefined
    // The rest of a record may have reached the disk before its beginning.
    if (isSound && damaged !== undefined && (kind === FULL || kind === FIRST)) return damaged
    if (!isSound) damaged ??= at
    at = end ?? nextSound(bytes, at + 1) ?? bytes.length
  }
  return undefined
}

/** The bytes of fragments that are verified to find the next sound one in a block. Beyond it the next block is tried. */
const SEARCH = 32 * BLOCK

/** Returns the start of the first sound fragment at or after an offset, or undefined. */
function nextSound(bytes: Buffer, from: number): number | undefined {
  let searched = 0
  for (let at = from; at + HEADER < bytes.length; at++) {
    if (searched > SEARCH) at += BLOCK - (at % BLOCK)
    if (at % BLOCK === 0) searched = 0
    if (at + HEADER >= bytes.length) return undefined
    if (soundEnd(bytes, at) !== undefined) return at
    if (isFragment(bytes, at)) searched += bytes.readUInt16LE(at + 4)
  }
  return undefined
}

/** Returns whether the header at an offset may be that of a fragment. */
function isFragment(bytes: Buffer, at: number): boolean {
  const [length, kind] = [bytes.readUInt16LE(at + 4), bytes[at + 6] as number]
  const size = HEADER + length
  return kind >= FULL && kind <= LAST && at + size <= bytes.length && size <= BLOCK - (at % BLOCK)
}

/** Returns the end of the fragment at an offset, or undefined where it is not sound. */
function soundEnd(bytes: Buffer, at: number): number | undefined {
  if (!isFragment(bytes, at)) return undefined
  const end = at + HEADER + bytes.readUInt16LE(at + 4)
  return masked(crc32c(bytes, at + 6, end)) === bytes.readUInt32LE(at) ? end : undefined
}

/** Yields the sound records of a log, those after damage included. */
export function* soundRecords(bytes: Buffer): Generator<Buffer> {
  let parts: Buffer[] | undefined
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const left = BLOCK - (at % BLOCK)
    if (left < HEADER) {
      at += left
      continue
    }
    const end = soundEnd(bytes, at)
    if (end === undefined) {
      parts = undefined
      at = nextSound(bytes, at + 1) ?? bytes.length
      continue
    }
    const kind = bytes[at + 6]
    if (kind === FULL || kind === FIRST) parts = []
    parts?.push(bytes.subarray(at + HEADER, end))
    if ((kind === FULL || kind === LAST) && parts) {
      yield Buffer.concat(parts)
      parts = undefined
    }
    at = end
  }
}
