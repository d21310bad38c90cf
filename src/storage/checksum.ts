import { joinedBriefly } from '../model/bytes.ts'
import { hasher, sha256 } from '../model/encoding/sha256.ts'
import { SessError } from '../model/errors.ts'
import type { Key } from './levelbackend/keys.ts'

/** Bytes of checksum before each value. It covers the key too, so that a value under a wrong key is noticed. */
export const CHECKSUM_BYTES = 8

/** From this size on, copying key and value together takes longer than hashing them one after the other. */
const LARGE = 4096

const checksum = (key: Key, bytes: Uint8Array): Uint8Array =>
  bytes.length < LARGE ? sha256(joinedBriefly([key, bytes])) : checksumOfParts(key, bytes)

function checksumOfParts(key: Key, bytes: Uint8Array): Uint8Array {
  const hash = hasher()
  hash.update(key)
  hash.update(bytes)
  return hash.digest()
}

/** Returns a value, which may be in chunks, with its checksum before it. */
export function addChecksum(key: Key, ...chunks: readonly Uint8Array[]): Uint8Array {
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
  // The key is put where the checksum will be, so that key and value are hashed as one.
  const prefix = Math.max(CHECKSUM_BYTES, key.length)
  const all = new Uint8Array(prefix + length)
  all.set(key, prefix - key.length)
  let at = prefix
  for (const chunk of chunks) {
    all.set(chunk, at)
    at += chunk.length
  }
  const sum = sha256(all.subarray(prefix - key.length))
  const value = all.subarray(prefix - CHECKSUM_BYTES)
  value.set(sum.subarray(0, CHECKSUM_BYTES))
  return value
}

/** Returns a value without its checksum. Throws `corrupt` naming `what` where that does not match. */
export function removeChecksum(key: Key, value: Uint8Array, what: string): Uint8Array {
  if (failsChecksum(key, value)) throw new SessError('corrupt', `${what} fails its checksum`)
  return value.subarray(CHECKSUM_BYTES)
}

/** Returns whether a value fails its checksum . Values of the index of oids have none. */
export function failsChecksum(key: Key, value: Uint8Array): boolean {
  const sum = checksum(key, value.subarray(CHECKSUM_BYTES))
  for (let i = 0; i < CHECKSUM_BYTES; i++) if (sum[i] !== value[i]) return true
  return false
}
