import { joined } from '../../model/bytes.ts'
import { BlobRef, decodeStored, encode } from '../../model/encoding/canonical.ts'
import { endOfHeader, endOfItem, LARGE_TEXT } from '../../model/encoding/cbor.ts'
import { sha256 } from '../../model/encoding/sha256.ts'
import { SessError } from '../../model/errors.ts'
import { isObject, type Json } from '../../model/json.ts'
import type { BlobId } from '../../model/record.ts'
import { removeChecksum } from '../checksum.ts'
import { wellFormed } from '../ioerrors.ts'
import { ByteReader, ByteWriter } from '../varint.ts'
import { type Key, numberAt } from './keys.ts'
import type { Stored } from './storedrecord.ts'

/** Strings of at least this many characters are kept as blobs, once wherever they recur. */
export const BLOB_CHARS = LARGE_TEXT

/** The first byte of a blob's content: its kind. */
const TEXT = 0
const BASE64 = 1
const BYTES = 2
const DATA_URL = 3

const DATA_URL_HEAD = /^data:[\w.+/-]{1,100};base64,/
const BASE64_TEXT = /^[A-Za-z0-9+/]+={0,2}$/

const utf8 = new TextEncoder()

/**
 * Returns the content of the blob for a string: base64 and data URLs decoded, where encoding them again gives the same
 * text; else its UTF-8.
 */
export function encodeTextBlob(text: string): Uint8Array {
  const head = DATA_URL_HEAD.exec(text)?.[0] ?? ''
  const code = text.slice(head.length)
  if (code.length % 4 === 0 && BASE64_TEXT.test(code)) {
    const bytes = Buffer.from(code, 'base64')
    if (bytes.toString('base64') === code)
      return head === ''
        ? tagged(BASE64, bytes)
        : tagged(DATA_URL, Uint8Array.of(head.length), utf8.encode(head), bytes)
  }
  const content = Buffer.allocUnsafe(1 + Buffer.byteLength(text))
  content[0] = TEXT
  content.write(text, 1)
  return content
}

const DATA = Buffer.from('data:')
/** A text that begins with this many characters of base64 may be base64; only then all of it is checked. */
const PROBE = 64
const IS_BASE64 = Uint8Array.from({ length: 256 }, (_, byte) =>
  Number(/[A-Za-z0-9+/=]/.test(String.fromCharCode(byte))),
)

/**
 * Calls a function with the content of the blob for a text in a buffer. The content is not copied unless the text is
 * base64: the byte before the text is overwritten by the kind during the call.
 */
export function withTextBlobAt<T>(
  bytes: Buffer,
  from: number,
  to: number,
  keep: (content: Uint8Array) => T,
): T {
  if (mayBeBase64(bytes, from, to)) return keep(encodeTextBlob(bytes.toString('utf8', from, to)))
  const before = bytes[from - 1] as number
  bytes[from - 1] = TEXT
  try {
    return keep(bytes.subarray(from - 1, to))
  } finally {
    bytes[from - 1] = before
  }
}

function mayBeBase64(bytes: Buffer, from: number, to: number): boolean {
  if (bytes[from] === DATA[0] && bytes.compare(DATA, 0, DATA.length, from, from + DATA.length) === 0)
    return true
  if ((to - from) % 4 !== 0) return false
  for (let at = from; at < from + PROBE; at++) if (IS_BASE64[bytes[at] as number] === 0) return false
  return true
}

/** Returns the content of the blob for raw bytes. */
export const encodeBytesBlob = (bytes: Uint8Array): Uint8Array => tagged(BYTES, bytes)

/** Returns the name of raw bytes: the SHA-256 of the content of their blob. */
export const blobIdOf = (bytes: Uint8Array): BlobId =>
  Buffer.from(sha256(encodeBytesBlob(bytes))).toString('hex') as BlobId

/** Returns the string of a blob's content. */
export function decodeTextBlob(content: Uint8Array): string {
  if (content.length === 0) throw new SessError('corrupt', 'a blob is empty')
  const rest = Buffer.from(content.buffer, content.byteOffset + 1, content.length - 1)
  if (content[0] === BASE64) return rest.toString('base64')
  if (content[0] !== DATA_URL) return rest.toString('utf8')
  const head = rest[0] as number
  return rest.toString('utf8', 1, 1 + head) + rest.toString('base64', 1 + head)
}

/** Returns whether a content was not decoded from base64: most often it is text. */
export const isPlain = (content: Uint8Array): boolean => content[0] === TEXT || content[0] === BYTES

/** Returns the bytes of a blob's content. */
export const decodeBytesBlob = (content: Uint8Array): Uint8Array => content.subarray(1)

const tagged = (kind: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  joined([Uint8Array.of(kind), ...parts])

/** Returns whether a value is a short string or another scalar. */
export const isShort = (value: Json): boolean =>
  typeof value === 'string' ? value.length < BLOB_CHARS : typeof value !== 'object' || value === null

/** Returns a value with its large strings replaced by references to blobs; the same value where it has none. */
export const spill = (value: Json, keep: (text: string) => BlobRef): Stored =>
  replaced(value, (part) => (typeof part === 'string' && part.length >= BLOB_CHARS ? keep(part) : part))

/** Puts the strings of blobs back: the inverse of `spill`; the same value where it has none. */
export const restore = (stored: Stored, textAt: (ref: BlobRef) => string): Json =>
  replaced(stored, (part) => (part instanceof BlobRef ? textAt(part) : part)) as Json

/** Returns a value with its blob references replaced; the same value where none changes. */
export const relocated = (stored: Stored, to: (ref: BlobRef) => BlobRef): Stored =>
  replaced(stored, (part) => (part instanceof BlobRef ? to(part) : part))

/** Returns a value with its strings and blob references replaced; the same value where none changes. */
function replaced(value: Stored, by: (part: Stored) => Stored): Stored {
  if (typeof value === 'string' || value instanceof BlobRef) return by(value)
  if (Array.isArray(value)) {
    let copy: Stored[] | undefined
    value.forEach((child: Stored, i) => {
      const next = replaced(child, by)
      if (next !== child) {
        copy ??= value.slice()
        copy[i] = next
      }
    })
    return copy ?? (value as readonly Stored[])
  }
  if (isObject(value as Json)) {
    const source = value as { readonly [key: string]: Stored }
    let copy: Record<string, Stored> | undefined
    for (const key in source) {
      const child = source[key] as Stored
      const next = replaced(child, by)
      if (next !== child) {
        copy ??= { ...source }
        copy[key] = next
      }
    }
    return copy ?? value
  }
  return value
}

/** The first bytes of an encoded blob reference: CBOR tag 40321. */
const PLACE = Buffer.from('d99d81', 'hex')

/** Returns whether stored bytes may contain blob references. Otherwise they are the canonical bytes of their value. */
export const mayHaveBlobRefs = (stored: Uint8Array): boolean =>
  Buffer.from(stored.buffer, stored.byteOffset, stored.length).includes(PLACE)

/** Returns stored bytes with the texts of blobs in place of the references: the canonical bytes of their value. */
export function restoreBytes(stored: Uint8Array, contentAt: (ref: BlobRef) => Uint8Array): Uint8Array {
  const chunks: Uint8Array[] = []
  let done = 0
  for (let at = 0; at < stored.length; ) {
    if (isBlobRef(stored, at)) {
      const end = endOfItem(stored, at)
      const ref = decodeStored(stored.subarray(at, end)) as BlobRef
      chunks.push(stored.subarray(done, at), ...textItem(contentAt(ref)))
      done = at = end
    } else at = isString(stored, at) ? endOfItem(stored, at) : endOfHeader(stored, at)
  }
  return joined([...chunks, stored.subarray(done)])
}

const isBlobRef = (stored: Uint8Array, at: number): boolean =>
  stored[at] === PLACE[0] && stored[at + 1] === PLACE[1] && stored[at + 2] === PLACE[2]

/** Returns whether an item is a text or bytes: CBOR's kinds 2 and 3. */
const isString = (stored: Uint8Array, at: number): boolean => ((stored[at] as number) & 0xc0) === 0x40

/** Returns the text of a blob's content as a CBOR item, in chunks. */
function textItem(content: Uint8Array): readonly Uint8Array[] {
  if (content[0] !== TEXT) return [encode(decodeTextBlob(content))]
  const size = content.length - 1
  const header = Buffer.allocUnsafe(size < 0x10000 ? 3 : 5)
  header[0] = 0x79
  if (size < 0x10000) header.writeUInt16BE(size, 1)
  else {
    header[0] = 0x7a
    header.writeUInt32BE(size, 1)
  }
  return [header, content.subarray(1)]
}

/** Returns the blocks that blob references in stored bytes may name. May return others too. */
export function blocksReferenced(stored: Uint8Array): number[] {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.length)
  const blocks: number[] = []
  for (let at = bytes.indexOf(PLACE); at >= 0; at = bytes.indexOf(PLACE, at + 1)) {
    // The tag is followed by a list of two: the block, below 24 or in 1, 2 or 4 bytes, and the index.
    const info = (bytes[at + PLACE.length + 1] ?? 31) & 31
    const [from, size] = [at + PLACE.length + 2, 2 ** (info - 24)]
    if (info < 24) blocks.push(info)
    else if (size <= 4 && from + size <= bytes.length) blocks.push(bytes.readUIntBE(from, size))
  }
  return blocks
}

/** Bytes of the long form of a blob reference: block in 6, index in 4. */
const LONG_REF_BYTES = 10

/**
 * Encodes a blob reference for the index of blobs: block and index as varints, or in 6 and 4 bytes where that is
 * shorter.
 */
export function encodeBlobRef(block: number, index: number): Uint8Array {
  const sink = new ByteWriter(16)
  sink.varint(block)
  sink.varint(index)
  if (sink.length < LONG_REF_BYTES) return sink.view()
  const place = new Uint8Array(LONG_REF_BYTES)
  const view = new DataView(place.buffer)
  view.setUint16(0, Math.floor(block / 2 ** 32))
  view.setUint32(2, block % 2 ** 32)
  view.setUint32(6, index)
  return place
}

const BLOB_REF_NAME = 'the location of a blob'

/** Decodes a value of the index of blobs. Throws `corrupt`. */
export const decodeBlobRef = (key: Key, value: Uint8Array): BlobRef =>
  wellFormed(BLOB_REF_NAME, () => readPlace(removeChecksum(key, value, BLOB_REF_NAME)))

function readPlace(place: Uint8Array): BlobRef {
  if (place.length >= LONG_REF_BYTES) return new BlobRef(numberAt(place, 0, 6), numberAt(place, 6, 4))
  const source = new ByteReader(place)
  return new BlobRef(source.varint(), source.varint())
}
