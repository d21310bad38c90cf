import { addExtension, Encoder } from 'cbor-x'
import { type Json, Verbatim } from './json.ts'

const text = new TextDecoder()
const utf8 = new TextEncoder()

/**
 * CBOR tag 262 is "Embedded JSON Object": a byte string that holds JSON text (IANA registry of CBOR tags).
 */
addExtension({
  Class: Verbatim,
  tag: 262,
  encode: (value: Verbatim, encodeInner: (data: Uint8Array) => Uint8Array) =>
    encodeInner(utf8.encode(value.text)),
  decode: (bytes: Uint8Array) => new Verbatim(text.decode(bytes)),
})

/**
 * A large string or byte run that storage keeps apart, by its place there. It stands in stored forms only,
 * never in canonical bytes: no hash depends on how a body is stored.
 */
export class BlobRef {
  readonly block: number
  readonly index: number
  constructor(block: number, index: number) {
    this.block = block
    this.index = index
  }
}

/** Tag 40321 is private to sess: the place of a blob. */
addExtension({
  Class: BlobRef,
  tag: 40321,
  encode: (ref: BlobRef, encodeInner: (data: number[]) => Uint8Array) => encodeInner([ref.block, ref.index]),
  decode: ([block, index]: [number, number]) => new BlobRef(block, index),
})

/**
 * The one fixed configuration. What it writes is hashed, so it never changes: definite lengths, minimal map
 * headers (by default cbor-x spends two bytes more), map keys in the order of the value, integers of up to 32
 * bits as integers and every other number as a double, no records, no shared structures.
 */
const codec = new Encoder({
  useRecords: false,
  variableMapSize: true,
  mapsAsObjects: true,
  tagUint8Array: false,
  copyBuffers: true,
})

/**
 * Gives the canonical bytes of a value: equal values give equal bytes. The value must come from `parseJson`
 * or `fromValue`, which put into `Verbatim` what CBOR or JavaScript would not hold. The bytes are valid until
 * they are copied or hashed; a caller that keeps them long copies them.
 */
export const encode = (value: unknown): Uint8Array => codec.encode(value)

/** Gives the canonical bytes of a value, to be kept. */
export const encoded = (value: unknown): Uint8Array => encode(value).slice()

/**
 * Gives the value that bytes written by `encode` hold. Accepts some bytes that `encode` never writes (a key
 * twice, long forms of integers): whoever must know compares digests, not values.
 */
export const decode = (bytes: Uint8Array): Json => codec.decode(bytes) as Json

/** Gives what `encode` stored, where more than JSON was (blob places, bytes). */
export const decodeStored = (bytes: Uint8Array): unknown => codec.decode(bytes)
