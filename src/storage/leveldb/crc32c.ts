/** Tables for eight bytes at a time (slicing-by-8), of the polynomial of Castagnoli, reflected. */
const TABLES = tables()

function tables(): readonly Int32Array[] {
  const all = Array.from({ length: 8 }, () => new Int32Array(256))
  const [first] = all as [Int32Array]
  for (let byte = 0; byte < 256; byte++) {
    let sum = byte
    for (let bit = 0; bit < 8; bit++) sum = (sum >>> 1) ^ (sum & 1 ? 0x82f63b78 : 0)
    first[byte] = sum
  }
  for (let i = 1; i < 8; i++) {
    const [before, now] = [all[i - 1] as Int32Array, all[i] as Int32Array]
    for (let byte = 0; byte < 256; byte++) {
      const sum = before[byte] as number
      now[byte] = (sum >>> 8) ^ (first[sum & 255] as number)
    }
  }
  return all
}

/** Returns the CRC-32C of a range of bytes, unsigned: the checksum of LevelDB's files. */
export function crc32c(bytes: Uint8Array, from = 0, to = bytes.length): number {
  const [a, b, c, d, e, f, g, h] = TABLES as Int32Array[] & { readonly length: 8 }
  const [t0, t1, t2, t3] = [a as Int32Array, b as Int32Array, c as Int32Array, d as Int32Array]
  const [t4, t5, t6, t7] = [e as Int32Array, f as Int32Array, g as Int32Array, h as Int32Array]
  const at = (i: number): number => bytes[i] as number
  let sum = -1
  let i = from
  for (; i + 8 <= to; i += 8)
    sum =
      (t7[(sum ^ at(i)) & 255] as number) ^
      (t6[((sum >>> 8) ^ at(i + 1)) & 255] as number) ^
      (t5[((sum >>> 16) ^ at(i + 2)) & 255] as number) ^
      (t4[(sum >>> 24) ^ at(i + 3)] as number) ^
      (t3[at(i + 4)] as number) ^
      (t2[at(i + 5)] as number) ^
      (t1[at(i + 6)] as number) ^
      (t0[at(i + 7)] as number)
  for (; i < to; i++) sum = (sum >>> 8) ^ (t0[(sum ^ at(i)) & 255] as number)
  return ~sum >>> 0
}

/**
 * Returns the end of the shortest range from an offset that is followed by its masked checksum; undefined where there
 * is none before `to`.
 */
export function checkedEnd(bytes: Buffer, from: number, to: number): number | undefined {
  const [table] = TABLES as readonly [Int32Array]
  let sum = -1
  for (let end = from + 1; end + 4 <= to; end++) {
    sum = (sum >>> 8) ^ (table[(sum ^ (bytes[end - 1] as number)) & 255] as number)
    if (masked(~sum >>> 0) === bytes.readUInt32LE(end)) return end
  }
  return undefined
}

/** Returns a checksum as LevelDB stores it: rotated and offset, because the CRC of data with a CRC is weak. */
export const masked = (sum: number): number => (((sum >>> 15) | (sum << 17)) + 0xa282ead8) >>> 0
