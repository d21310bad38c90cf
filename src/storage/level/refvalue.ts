import { decodeStored, encodeBriefly } from '../../model/canonical.ts'
import { Laid } from '../../model/cbor.ts'
import { isObject, type Json } from '../../model/json.ts'
import { oidOf } from '../../model/oid.ts'

/** A JSON value in which hashes stand as bytes: half as long as their digits. */
type BinaryValue = Json | Uint8Array | readonly BinaryValue[] | { readonly [key: string]: BinaryValue }

/**
 * Gives the bytes in which a ref's value is stored: CBOR, each string of 32 or 64 hex digits, as ids and hashes are, as
 * the bytes that it spells.
 */
export const encodeRef = (value: Json): Uint8Array => {
  const laid = encodedOnce(value)
  return laid instanceof Laid ? laid.bytes : encodeBriefly(value)
}

/** Objects that were laid out: the same stand in a ref and in the operation that moves it, and in all that are joined onto it. */
const known = new WeakMap<object, Laid>()

/** Gives an object as it was laid out, to stand in a larger value; anything else as it is. */
export function encodedOnce(value: Json): Json | Laid {
  if (!isObject(value)) return value
  let laid = known.get(value)
  if (!laid) {
    laid = new Laid(encodeBriefly(value))
    known.set(value, laid)
  }
  return laid
}

/** Gives the value that `encodeRef` stored. */
export const decodeRef = (bytes: Uint8Array): Json => withHexDigits(decodeStored(bytes) as BinaryValue)

/** Puts digits in the place of bytes: what was just decoded is nobody else's, and lists read thousands of refs. */
function withHexDigits(value: BinaryValue): Json {
  if (value instanceof Uint8Array)
    return value.length === 32 ? oidOf(value) : Buffer.from(value).toString('hex')
  if (Array.isArray(value) || isObject(value as Json)) {
    const parts = value as { [key: string]: BinaryValue }
    for (const key of Object.keys(parts)) {
      const child = parts[key] as BinaryValue
      if (typeof child === 'object' && child !== null) parts[key] = withHexDigits(child)
    }
  }
  return value as Json
}
