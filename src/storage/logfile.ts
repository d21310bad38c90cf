import { crc32c, masked } from './crc32c.ts'

const BLOCK = 32_768
const HEADER = 7

/** The kinds of fragments of a record: whole, its first, middle and last one. */
const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4] as const

/** Gives the records of a file in LevelDB's log format (doc/log_format.md), up to one that is not whole. */
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
 * Gives where a log in this format is damaged in its middle: a fragment fails its checksum though sound ones follow
 * it, which LevelDB passes over in silence. What fails at the end alone was being written when a process ended.
 * undefined where all is well.
 */
export function damageIn(bytes: Buffer): number | undefined {
  let damaged: number | undefined
  for (let at = 0; at + HEADER <= bytes.length; ) {
    const left = BLOCK - (at % BLOCK)
    if (left < HEADER) {
      at += left
      continue
    }
    const [length, kind] = [bytes.readUInt16LE(at + 4), bytes[at + 6] as number]
    const end = at + HEADER + length
    const isSound =
      length + HEADER <= left &&
      end <= bytes.length &&
      [FULL, FIRST, MIDDLE, LAST].some((known) => known === kind) &&
      masked(crc32c(bytes, at + 6, end)) === bytes.readUInt32LE(at)
    // The rest of a record whose beginning was never whole may have reached the disk before that.
    if (isSound && damaged !== undefined && (kind === FULL || kind === FIRST)) return damaged
    if (!isSound) damaged ??= at
    at = isSound ? end : (nextSound(bytes, at + 1) ?? bytes.length)
  }
  return undefined
}

/** Gives where the next sound fragment begins, at a place or behind it. */
function nextSound(bytes: Buffer, from: number): number | undefined {
  for (let at = from; at + HEADER < bytes.length; at++) {
    const [length, kind] = [bytes.readUInt16LE(at + 4), bytes[at + 6] as number]
    if (kind < FULL || kind > LAST || length === 0) continue
    const end = at + HEADER + length
    if (end > bytes.length || HEADER + length > BLOCK - (at % BLOCK)) continue
    if (masked(crc32c(bytes, at + 6, end)) === bytes.readUInt32LE(at)) return at
  }
  return undefined
}
