import { decodeStored, encode } from '../model/canonical.ts'
import { isObject, type Json, type JsonObject } from '../model/json.ts'
import { bytesOf, isOid, oidOf } from '../model/oid.ts'

/** A JSON value in which hashes stand as bytes: half as long as their digits. */
type Packed = Json | Uint8Array | readonly Packed[] | { readonly [key: string]: Packed }

/**
 * Gives the bytes in which a ref's value is stored: CBOR, each string of 32 or 64 hex digits, as ids and hashes are, as
 * the bytes that it spells.
 */
export const encodeRef = (value: Json): Uint8Array => encode(packed(value))

/** Gives the value that `encodeRef` stored. */
export const decodeRef = (bytes: Uint8Array): Json => unpacked(decodeStored(bytes) as Packed)

const isHash = (text: string): boolean =>
  text.length === 64 ? isOid(text) : text.length === 32 && /^[0-9a-f]+$/.test(text)

function packed(value: Json): Packed {
  if (typeof value === 'string') return isHash(value) ? bytesOf(value) : value
  if (Array.isArray(value)) return value.map((child: Json) => packed(child))
  return isObject(value) ? packedObject(value) : value
}

/** Gives the same object where none of it is a hash. */
function packedObject(value: JsonObject): Packed {
  let copy: { [key: string]: Packed } | undefined
  for (const key of Object.keys(value)) {
    const child = value[key] as Json
    const short = packed(child)
    if (short === child) continue
    copy ??= { ...value }
    copy[key] = short
  }
  return copy ?? value
}

/** Puts digits in the place of bytes: what was just decoded is nobody else's, and lists read thousands of refs. */
function unpacked(value: Packed): Json {
  if (value instanceof Uint8Array)
    return value.length === 32 ? oidOf(value) : Buffer.from(value).toString('hex')
  if (Array.isArray(value) || isObject(value as Json)) {
    const parts = value as { [key: string]: Packed }
    for (const key of Object.keys(parts)) {
      const child = parts[key] as Packed
      if (typeof child === 'object' && child !== null) parts[key] = unpacked(child)
    }
  }
  return value as Json
}
