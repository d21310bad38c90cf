/** The id of an object: 64 lowercase hex digits. Branded, so that no other string passes for one. */
export type Oid = string & { readonly __brand: 'Oid' }

const FULL = /^[0-9a-f]{64}$/

/** Returns whether a text is a full oid. */
export const isOid = (text: string): text is Oid => FULL.test(text)

const HALF = /^[0-9a-f]{32}$/

/** Returns whether a text is a hash, or an id of half as many hex digits. */
export const isHash = (text: string): boolean =>
  text.length === 64 ? isOid(text) : text.length === 32 && HALF.test(text)

const CODES = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))

/** Returns the oid of 32 bytes. The string is flattened at once: a concatenated one takes ten times the memory. */
export function oidOf(bytes: Uint8Array): Oid {
  const codes: number[] = []
  for (let i = 0; i < 32; i++) {
    const byte = bytes[i] as number
    codes.push(CODES[byte >> 4] as number, CODES[byte & 15] as number)
  }
  return String.fromCharCode.apply(null, codes) as Oid
}

const DIGIT = new Uint8Array(128)
for (let i = 0; i < 16; i++) DIGIT[i.toString(16).charCodeAt(0)] = i

/** Returns the bytes of lowercase hex digits; a last odd digit is ignored. */
export function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length >> 1)
  writeBytesOf(hex, bytes, 0)
  return bytes
}

/** Writes the bytes of lowercase hex digits into others, and returns the offset after them. */
export function writeBytesOf(hex: string, into: Uint8Array, at: number): number {
  const count = hex.length >> 1
  for (let i = 0; i < count; i++)
    into[at + i] =
      ((DIGIT[hex.charCodeAt(2 * i) & 127] as number) << 4) |
      (DIGIT[hex.charCodeAt(2 * i + 1) & 127] as number)
  return at + count
}

/** Returns the prefix of an oid that is shown if no shorter one is known to be unique. */
export const short = (oid: Oid): string => oid.slice(0, 10)
