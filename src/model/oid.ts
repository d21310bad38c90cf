/** The id of an object: 64 lowercase hex digits. Branded, so that no other string passes for one. */
export type Oid = string & { readonly __brand: 'Oid' }

const FULL = /^[0-9a-f]{64}$/

/** Tells whether a text is a full oid. */
export const isOid = (text: string): text is Oid => FULL.test(text)

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Gives the oid that 32 bytes spell. */
export function oidOf(bytes: Uint8Array): Oid {
  let hex = ''
  for (let i = 0; i < 32; i++) hex += HEX[bytes[i] as number]
  return hex as Oid
}

/** Gives the bytes that lowercase hex digits spell; a last odd digit is left out. */
export function bytesOf(hex: string): Uint8Array {
  const bytes = new Uint8Array(hex.length >> 1)
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16)
  return bytes
}

/** Gives the shortest prefix of an oid that is shown to people where nothing shorter is known to be unique. */
export const short = (oid: Oid): string => oid.slice(0, 10)
