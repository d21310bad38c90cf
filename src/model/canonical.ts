import { addExtension, Decoder } from 'cbor-x'
import { CborWriter, type TagOf } from './cbor.ts'
import { type Json, Verbatim } from './json.ts'
import { isHash } from './oid.ts'

const text = new TextDecoder()
const utf8 = new TextEncoder()

/** The package that reads wants to know how a class is written, which it never does here. */
function unused(): never {
  throw new TypeError('values are written by CborWriter')
}

/** CBOR tag 262 is "Embedded JSON Object": a byte string that holds JSON text (IANA registry of CBOR tags). */
const JSON_TEXT = 262
addExtension({
  Class: Verbatim,
  tag: JSON_TEXT,
  encode: unused,
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
const PLACE = 40321
addExtension({
  Class: BlobRef,
  tag: PLACE,
  encode: unused,
  decode: ([block, index]: [number, number]) => new BlobRef(block, index),
})

const tagOf: TagOf = (value) => {
  if (value instanceof Verbatim) return { tag: JSON_TEXT, inner: utf8.encode(value.text) }
  return value instanceof BlobRef ? { tag: PLACE, inner: [value.block, value.index] } : undefined
}

/** What it writes is hashed, so it never changes. */
const writer = new CborWriter(tagOf)

/** Apart, so that what is laid out stands while other values are written. */
const roomWriter = new CborWriter(tagOf)

const briefWriter = new CborWriter(tagOf, isHash)

const reader = new Decoder({ useRecords: false, mapsAsObjects: true, copyBuffers: true })

/**
 * Gives the canonical bytes of a value: equal values give equal bytes. The value must come from `parseJson`
 * or `fromValue`, which put into `Verbatim` what CBOR or JavaScript would not hold.
 */
export const encode = (value: unknown): Uint8Array => writer.encode(value)

/** Gives the same bytes, valid until it is called again: of what is hashed at once. */
export const layOut = (value: unknown): Uint8Array => roomWriter.layOut(value)

/** Gives the bytes of a value in which ids and hashes stand as bytes, half as long as their digits: for storage. */
export const encodeBriefly = (value: unknown): Uint8Array => briefWriter.encode(value)

/**
 * Gives the value that bytes written by `encode` hold. Accepts some bytes that `encode` never writes (a key
 * twice, long forms of integers): whoever must know compares digests, not values.
 */
export const decode = (bytes: Uint8Array): Json => reader.decode(bytes) as Json

/** Gives what `encode` stored, where more than JSON was (blob places, bytes). */
export const decodeStored = (bytes: Uint8Array): unknown => reader.decode(bytes)
