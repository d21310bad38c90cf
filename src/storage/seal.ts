import { joined } from '../model/bytes.ts'
import { SessError } from '../model/errors.ts'
import { sha256 } from '../model/hash.ts'

/** Bytes of checksum before each value. It covers the key too, so that a value under a wrong key is noticed. */
const SEAL = 8

function checksum(key: Uint8Array, bytes: Uint8Array): Uint8Array {
  return sha256(joined([key, bytes])).subarray(0, SEAL)
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
