import { addExtension, Decoder } from 'cbor-x'
import type { Json } from '../json.ts'
import { CborWriter, type TagOf } from './cbor.ts'
import { isHash } from './oid.ts'
import { Verbatim } from './verbatim.ts'

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
 * The address of a large string or byte sequence that storage keeps apart. It occurs in stored forms only, never in
 * canonical bytes: no hash depends on how a body is stored.
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

/** Returns the tag of a value that canonical and stored bytes mark. */
export const tagOf: TagOf = (value) => {
  if (value instanceof Verbatim) return { tag: JSON_TEXT, inner: utf8.encode(value.text) }
  return value instanceof BlobRef ? { tag: PLACE, inner: [value.block, value.index] } : undefined
}

/** Its output is hashed, so it never changes. */
const writer = new CborWriter(tagOf)

/** A second writer, so that its output stays valid while other values are written. */
const roomWriter = new CborWriter(tagOf)

const briefWriter = new CborWriter(tagOf, isHash)

const reader = new Decoder({ useRecords: false, mapsAsObjects: true, copyBuffers: true })

/**
 * Returns the canonical bytes of a value: equal values have equal bytes. The value must come from `parseJson` or
 * `fromValue`, which wrap in `Verbatim` what CBOR or JavaScript would not preserve.
 */
export const encode = (value: unknown): Uint8Array => writer.encode(value)

/** Returns the same bytes, valid until the next call: to be hashed at once. */
export const layOut = (value: unknown): Buffer => roomWriter.layOut(value)

/** Returns the bytes of a value with ids and hashes as byte strings, half as long as their digits: for storage. */
export const encodeBriefly = (value: unknown): Uint8Array => briefWriter.encode(value)

/**
 * Returns the value of bytes written by `encode`. Accepts some bytes that `encode` never writes (duplicate keys, long
 * forms of integers): to verify a value, compare digests.
 */
export const decode = (bytes: Uint8Array): Json => reader.decode(bytes) as Json

/** Returns the value of bytes written by `encode` that may hold more than JSON: blob addresses and bytes. */
export const decodeStored = (bytes: Uint8Array): unknown => reader.decode(bytes)
