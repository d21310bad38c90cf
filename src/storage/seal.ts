import { joined } from '../model/bytes.ts'
import { SessError } from '../model/errors.ts'
import { hasher, sha256 } from '../model/hash.ts'

/** Bytes of checksum before each value. It covers the key too, so that a value under a wrong key is noticed. */
const SEAL = 8

/** From so many bytes on it takes longer to copy them than to hash two pieces. */
const LARGE = 4096

function checksum(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const digest = bytes.length < LARGE ? sha256(joined([key, bytes])) : inPieces(key, bytes)
  return digest.subarray(0, SEAL)
}

function inPieces(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const hash = hasher()
  hash.update(key)
  hash.update(bytes)
  return hash.digest()
}

/** Puts a checksum before a value. */
export function seal(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  const value = new Uint8Array(SEAL + bytes.length)
  value.set(checksum(key, bytes))
  value.set(bytes, SEAL)
  return value
}

/** Takes the checksum off a value, or throws `corrupt` naming what the value is. */
export function unseal(key: Uint8Array, value: Uint8Array, what: string): Uint8Array {
  const bytes = value.subarray(SEAL)
  const sum = checksum(key, bytes)
  for (let i = 0; i < SEAL; i++)
    if (sum[i] !== value[i]) throw new SessError('corrupt', `${what} fails its checksum`)
  return bytes
}

/** Tells whether a value fails its checksum; those of the index of oids have none. */
export const isUnsealed = (key: Uint8Array, value: Uint8Array): boolean =>
  checksum(key, value.subarray(SEAL)).some((byte, i) => byte !== value[i])
